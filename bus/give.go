package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// maxLocal is how many answers that no engine gave are kept.
const maxLocal = 1 << 14

// errUnknown says that the engine was lost before it answered, and another one
// is there now.
var errUnknown = errors.New("the engine was lost before it answered, and what became of the order is not known: look at the row")

// given is an order that is not answered yet.
type given struct {
	n       uint64 // the order in which they were given
	order   model.Order
	payload []byte
	settled func(model.Event, error) // nil: an event tells it
}

// outbox is what waits to be sent. put only appends.
type outbox struct {
	mu    sync.Mutex
	queue []*given
	wake  chan struct{} // of capacity 1
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) put(g *given) {
	o.mu.Lock()
	o.queue = append(o.queue, g)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) take() []*given {
	o.mu.Lock()
	defer o.mu.Unlock()
	queue := o.queue
	o.queue = nil
	return queue
}

// Do gives an order and never blocks. An event with the order's id answers: the
// engine's, or, where the order did not reach one, this client's own.
func (c *Client) Do(o model.Order) { c.give(o, nil) }

// Order gives an order and waits for what becomes of it until ctx ends; the
// event's Outcome is a word of model.Result. The error says that the order did
// not reach an engine, or, for errors.Is(err, ErrLost), that the engine was
// lost before it answered. An order without an id is given one.
func (c *Client) Order(ctx context.Context, o model.Order) (model.Event, error) {
	if o.ID == "" {
		o.ID = NewID()
	}
	type result struct {
		ev  model.Event
		err error
	}
	got := make(chan result, 1)
	c.give(o, func(ev model.Event, err error) { got <- result{ev, err} })
	select {
	case r := <-got:
		return r.ev, r.err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, o.ID)
		c.mu.Unlock()
		return model.Event{}, ctx.Err()
	case <-c.ctx.Done():
		return model.Event{}, ErrLost
	}
}

// give notes an order and has it sent, in the order in which they are given.
func (c *Client) give(o model.Order, settled func(model.Event, error)) {
	payload, err := json.Marshal(o)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given++
	g := &given{n: c.given, order: o, payload: payload, settled: settled}
	switch {
	case err != nil:
	case c.greet.ReadOnly:
		err = ErrReadOnly
	case c.link == nil:
		err = c.unreached()
	case c.pending[o.ID] != nil:
		err = errors.New("an order with this id waits already")
	default:
		c.pending[o.ID] = g
		c.outbox.put(g)
		return
	}
	c.settle(g, model.Event{}, err)
}

// carry sends what is given, in its order.
func (c *Client) carry() {
	for {
		select {
		case <-c.outbox.wake:
		case <-c.ctx.Done():
			return
		}
		for _, g := range c.outbox.take() {
			if l := c.live(); l != nil {
				l.send(l.subjects.order("do", l.Who), g.payload, func(b []byte, err error) { c.answered(g, b, err) })
			}
		}
	}
}

// answered takes an order's answer. One that was lost on the way is sent again
// once the engine is there again.
func (c *Client) answered(g *given, b []byte, err error) {
	if errors.Is(err, ErrLost) {
		return
	}
	var ev model.Event
	if err == nil {
		err = json.Unmarshal(b, &ev)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[g.order.ID] == g {
		delete(c.pending, g.order.ID)
		c.settle(g, ev, err)
	}
}

// settle tells what became of an order. It is called with the lock.
func (c *Client) settle(g *given, ev model.Event, err error) {
	switch {
	case g.settled != nil:
		g.settled(ev, err)
	case err != nil:
		why := (*redact.Redactor)(nil).Error(err)
		o := g.order
		c.local = append(c.local, model.Event{
			Seq: c.numbers.local(), At: time.Now(), Kind: model.EvOrder, Server: o.Server,
			Order: model.Some(o.Verb), OrderID: o.ID, By: o.By, Outcome: redact.Word("refused"), Error: why,
			Text: redact.Sprintf("%s %s: refused: %s", o.Verb.Word(), redact.Name(o.Server), why),
		})
		if extra := len(c.local) - maxLocal; extra > 0 {
			c.local = slices.Clone(c.local[extra:])
		}
	}
}

// ordered are the orders that are not answered, as they were given. It is
// called with the lock.
func (c *Client) ordered() []*given {
	var all []*given
	for _, g := range c.pending {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *given) int { return cmp.Compare(a.n, b.n) })
	return all
}

// forgetPending settles what an engine that is gone will not answer. It is
// called with the lock.
func (c *Client) forgetPending() {
	for _, g := range c.ordered() {
		c.settle(g, model.Event{}, errUnknown)
	}
	clear(c.pending)
}
