package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/model"
)

// maxHeld is how many changes are held while the whole is fetched.
const maxHeld = 64

// view is the rows as this client knows them.
type view struct {
	have  bool        // fleet is the present engine's
	fleet model.Fleet // numbered by this client
	seq   uint64      // of fleet, the engine's own count
	index map[string]int
	held  []delta       // came while the whole is under way
	ask   chan struct{} // of capacity 1: fetch the whole
	heard time.Time     // the last word of the engine
}

// Next blocks until there is a snapshot above seen, and returns the newest. An
// error before ctx's end says that the engine is lost or silent; Next may be
// called again. Seq counts this client's snapshots: it never falls, whatever
// engine they are of.
func (c *Client) Next(ctx context.Context, seen uint64) (model.Fleet, error) {
	for {
		fleet, changed, due, err := c.look(seen)
		if changed == nil {
			return fleet, err
		}
		wait := time.NewTimer(due)
		select {
		case <-changed:
		case <-wait.C: // it may be silent by now
		case <-ctx.Done():
			wait.Stop()
			return model.Fleet{}, ctx.Err()
		case <-c.ctx.Done():
			wait.Stop()
			return model.Fleet{}, ErrLost
		}
		wait.Stop()
	}
}

// look is what Next returns now, or what it waits for, and for how long.
func (c *Client) look(seen uint64) (fleet model.Fleet, changed <-chan struct{}, due time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ctx.Err() != nil:
		return fleet, nil, 0, ErrLost
	case c.link == nil:
		return fleet, nil, 0, c.lost()
	}
	if !c.watching {
		c.watching = true
		c.watch(c.link)
	}
	silence := time.Since(c.view.heard)
	switch {
	case silence >= Silent:
		return fleet, nil, 0, lostError{fmt.Errorf("%w for %d s, and it may still be there", ErrSilent, int(silence.Seconds()))}
	case c.view.have && c.view.fleet.Seq > seen:
		return c.view.fleet, nil, 0, nil
	}
	return fleet, c.changed, Silent - silence, nil
}

// watch has a connection's changes applied. It is called with the lock.
func (c *Client) watch(l *link) {
	c.view.have, c.view.held, c.view.heard = false, nil, time.Now()
	ask := make(chan struct{}, 1)
	c.view.ask = ask
	ask <- struct{}{}
	c.wg.Go(func() { c.watcher(l, ask) })
}

// watcher subscribes, and fetches the whole at first and whenever changes were
// missed.
func (c *Client) watcher(l *link, ask chan struct{}) {
	for subject, fn := range map[string]nats.MsgHandler{
		l.subjects.rows(): func(m *nats.Msg) { c.took(l, m.Data) },
		l.subjects.beat(): func(m *nats.Msg) { c.beaten(l, m.Data) },
	} {
		if _, err := l.nc.Subscribe(subject, fn); err != nil {
			l.close()
			return
		}
	}
	for {
		select {
		case <-ask:
			c.fetch(l)
		case <-l.closed:
			return
		}
	}
}

// fetch asks for the whole. The broker has the subscriptions by then: it takes
// what one connection sends in order.
func (c *Client) fetch(l *link) {
	ctx, cancel := context.WithTimeout(c.ctx, waitAnswer)
	defer cancel()
	fleet, err := l.whole(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != l {
		return
	}
	if err != nil {
		// A loop that does not answer now may do so later.
		time.AfterFunc(time.Second, func() { c.askAgain(l) })
		return
	}
	c.view.heard = time.Now()
	c.view.seq = fleet.Seq
	c.numbers.rows(fleet.Rows)
	c.present(fleet)
	held := c.view.held
	c.view.held = nil
	for _, d := range held {
		c.apply(d)
	}
}

// missed has the whole fetched. It is called with the lock.
func (c *Client) missed() {
	c.view.have = false
	select {
	case c.view.ask <- struct{}{}:
	default:
	}
}

func (c *Client) askAgain(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l && !c.view.have {
		c.missed()
	}
}

// took takes changes from the bus.
func (c *Client) took(l *link, b []byte) {
	var d delta
	if json.Unmarshal(b, &d) != nil {
		return
	}
	c.hear(l, d.Instance, func() {
		switch {
		case c.view.have:
			c.apply(d)
		case len(c.view.held) < maxHeld: // what overflows is found missing once the whole is there
			c.view.held = append(c.view.held, d)
		}
	})
}

// hear has fn called, with the lock, for a word of the engine that a connection
// is to, if that is the present one.
func (c *Client) hear(l *link, instance string, fn func()) {
	if instance != l.Instance {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l {
		c.view.heard = time.Now()
		fn()
	}
}

// apply applies changes to a snapshot that is as new as what they start from.
// It is called with the lock.
func (c *Client) apply(d delta) {
	v := &c.view
	switch {
	case !v.have, d.Head.Seq <= v.seq:
		return
	case d.Ask, d.From > v.seq:
		c.missed()
		return
	}
	c.numbers.rows(d.Rows)
	fleet := d.Head
	rows, ok := v.merge(d)
	if !ok {
		c.missed()
		return
	}
	fleet.Rows, v.seq = rows, d.Head.Seq
	c.present(fleet)
}

// merge is the rows with the changed ones in their places; ok is false where
// one is not known.
func (v *view) merge(d delta) (rows []*model.Row, ok bool) {
	if len(d.Names) == 0 {
		rows = slices.Clone(v.fleet.Rows)
		for _, r := range d.Rows {
			i, ok := v.index[r.Server]
			if !ok {
				return nil, false
			}
			rows[i] = r
		}
		return rows, true
	}
	changed := make(map[string]*model.Row, len(d.Rows))
	for _, r := range d.Rows {
		changed[r.Server] = r
	}
	rows = make([]*model.Row, len(d.Names))
	for i, name := range d.Names {
		rows[i] = changed[name]
		if at, ok := v.index[name]; rows[i] == nil && ok {
			rows[i] = v.fleet.Rows[at]
		}
		if rows[i] == nil {
			return nil, false
		}
	}
	return rows, true
}

// present makes a fleet the newest snapshot. It is called with the lock.
func (c *Client) present(fleet model.Fleet) {
	v := &c.view
	if !v.have || !sameNames(v.fleet.Rows, fleet.Rows) {
		v.index = make(map[string]int, len(fleet.Rows))
		for i, r := range fleet.Rows {
			v.index[r.Server] = i
		}
	}
	fleet.Seq = v.fleet.Seq + 1
	if note := c.differs(); !note.IsZero() {
		fleet.Warnings = append(slices.Clip(fleet.Warnings), note)
	}
	v.fleet, v.have = fleet, true
	c.tell()
}

func sameNames(a, b []*model.Row) bool {
	return slices.EqualFunc(a, b, func(x, y *model.Row) bool { return x.Server == y.Server })
}

// beaten takes a sign of life.
func (c *Client) beaten(l *link, b []byte) {
	var t beat
	if json.Unmarshal(b, &t) != nil {
		return
	}
	c.hear(l, t.Instance, func() {
		if c.view.have && t.Seq > c.view.seq {
			c.missed()
		}
		c.tell()
	})
}
