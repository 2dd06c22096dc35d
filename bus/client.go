package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	// waitAnswer bounds the questions that bear no context of the caller's.
	waitAnswer = 10 * time.Second
	retryFirst = 50 * time.Millisecond // before a lost engine is dialled again; doubled each time
	retryMost  = time.Second
)

// DialOptions say how a client comes.
type DialOptions struct {
	Version  redact.Safe // of this rollcall
	ReadOnly bool        // the engine lets it give no order (N2)
}

// Client reads and orders an engine in another process. It is what the
// dashboard wants of an engine; its methods may be called from any goroutine,
// several at once, but Close: that ends them all.
//
// An engine that is lost is dialled again until Close. Where another engine
// answers then, what counts lines and events goes on counting: Seq never falls.
type Client struct {
	socket string
	greet  greeting
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	outbox *outbox

	mu       sync.Mutex
	changed  chan struct{} // closed when anything of the following changes
	link     *link         // nil while the engine is lost
	hello    Hello         // of the last engine
	lostWhy  error
	watching bool
	view     view
	numbers  numbers
	given    uint64 // orders so far
	pending  map[string]*given
	local    []model.Event // answers that no engine gave
}

// Dial connects to the engine that serves a socket (Paths.Socket). Errors:
// ErrNoEngine where none does, *RefusedError with the reason where it does not
// let this client in: another user's, a version that it does not understand.
func Dial(ctx context.Context, socket string, opts DialOptions) (*Client, error) {
	c := &Client{
		socket: socket, greet: greeting{Protocol: Protocol, Version: opts.Version, ReadOnly: opts.ReadOnly},
		changed: make(chan struct{}), pending: map[string]*given{}, outbox: newOutbox(),
	}
	l, err := connect(ctx, socket, c.greet)
	if err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.join(l)
	c.wg.Go(c.keep)
	c.wg.Go(c.carry)
	return c, nil
}

// Close ends the connection, and whatever waits for an answer.
func (c *Client) Close() {
	c.mu.Lock()
	c.cancel() // from here on Next starts nothing
	c.mu.Unlock()
	c.wg.Wait()
}

// Hello is what the engine that was reached last says of itself.
func (c *Client) Hello() Hello {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hello
}

// Differs says that the engine is another version than this client, empty
// where it is not (N5).
func (c *Client) Differs() redact.Safe {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.differs()
}

func (c *Client) differs() redact.Safe {
	if c.hello.Version == c.greet.Version {
		return redact.Safe{}
	}
	return redact.Sprintf("the engine is rollcall %s, this is rollcall %s", c.hello.Version, c.greet.Version)
}

// keep holds the connection: when it is lost, it dials until it has another.
func (c *Client) keep() {
	for {
		l := c.live()
		select {
		case <-l.closed:
			c.lose(l)
		case <-c.ctx.Done():
			l.close()
			<-l.closed
			return
		}
		if !c.redial() {
			return
		}
	}
}

// redial dials until it succeeds; false at the client's end.
func (c *Client) redial() bool {
	pause := retryFirst
	for {
		select {
		case <-time.After(pause):
		case <-c.ctx.Done():
			return false
		}
		l, err := connect(c.ctx, c.socket, c.greet)
		if err == nil {
			c.join(l)
			return true
		}
		c.mu.Lock()
		if !errors.As(c.lostWhy, new(stoppedError)) || !errors.Is(err, ErrNoEngine) {
			c.lostWhy = err
		}
		c.mu.Unlock()
		pause = min(2*pause, retryMost)
	}
}

// join makes a connection the present one.
func (c *Client) join(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hello.Instance != "" && c.hello.Instance != l.Instance {
		c.numbers.rebase()
		c.forgetPending()
	}
	c.link, c.hello, c.lostWhy = l, l.Hello, nil
	for _, g := range c.ordered() { // the same engine carries out none twice
		c.outbox.put(g)
	}
	if c.watching {
		c.watch(l)
	}
	c.tell()
}

func (c *Client) lose(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l {
		c.link, c.lostWhy = nil, errors.New("its connection ended")
		if text := l.farewell(); !text.IsZero() {
			c.lostWhy = stoppedError{text}
		}
		c.view.have = false
		c.tell()
	}
}

// tell wakes whoever waits for a change. It is called with the lock.
func (c *Client) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// live is the present connection, or nil.
func (c *Client) live() *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// lost is why there is no connection, for a dashboard: that there is none it says
// itself. It is called with the lock.
func (c *Client) lost() error { return lostError{c.lostWhy} }

// unreached is the same for an order or a question. It is called with the lock.
func (c *Client) unreached() error {
	if errors.As(c.lostWhy, new(stoppedError)) {
		return c.lost()
	}
	return fmt.Errorf("%w: %w", ErrLost, c.lostWhy)
}

// question asks the present engine.
func (c *Client) question(ctx context.Context, verb string, q question, answer any) error {
	l, err := c.reach()
	if err != nil {
		return err
	}
	return l.question(ctx, verb, q, answer)
}

// reach is the present connection, or why there is none.
func (c *Client) reach() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		return nil, c.unreached()
	}
	return c.link, nil
}

// Whole is a snapshot made for this call, in one round trip; its Seq is the
// engine's own.
func (c *Client) Whole(ctx context.Context) (model.Fleet, error) {
	l, err := c.reach()
	if err != nil {
		return model.Fleet{}, err
	}
	return l.whole(ctx)
}

// Health asks the engine's loop how it is doing.
func (c *Client) Health(ctx context.Context) (model.Health, error) {
	var h model.Health
	err := c.question(ctx, "health", question{}, &h)
	return h, err
}

// Timeline is empty where the engine is lost, or does not answer within 10 s.
func (c *Client) Timeline(server string) model.Timeline {
	ctx, cancel := context.WithTimeout(c.ctx, waitAnswer)
	defer cancel()
	var t model.Timeline
	if c.question(ctx, "timeline", question{Server: server}, &t) != nil {
		return model.Timeline{}
	}
	return t
}

// Usage samples what the processes of a server's launch use.
func (c *Client) Usage(ctx context.Context, server string) (model.Usage, error) {
	ctx, cancel := context.WithTimeout(ctx, waitAnswer)
	defer cancel()
	var u model.Usage
	err := c.question(ctx, "usage", question{Server: server}, &u)
	return u, err
}

// Pending says what a reload would do; its Problem, why that is not known.
func (c *Client) Pending() model.Reload {
	ctx, cancel := context.WithTimeout(c.ctx, waitAnswer)
	defer cancel()
	var r model.Reload
	if err := c.question(ctx, "pending", question{}, &r); err != nil {
		return model.Reload{Problem: (*redact.Redactor)(nil).Error(err)}
	}
	return r
}

// Reload applies the configuration, if that still does what was shown. Where it
// could not be ordered, Problem says why.
func (c *Client) Reload(shown model.Reload) (model.Reload, bool) {
	ctx, cancel := context.WithTimeout(c.ctx, waitAnswer)
	defer cancel()
	var r reloaded
	if err := c.command(ctx, "reload", shown, &r); err != nil {
		return model.Reload{Problem: (*redact.Redactor)(nil).Error(err)}, false
	}
	return r.Did, r.Ok
}

// command orders what is no order for a server.
func (c *Client) command(ctx context.Context, verb string, payload, answer any) error {
	if c.greet.ReadOnly {
		return ErrReadOnly
	}
	l, err := c.reach()
	if err != nil {
		return err
	}
	return l.ask(ctx, l.subjects.order(verb, l.Who), payload, answer)
}

// NewID is an order's id that no other has.
func NewID() string { return rand.Text() }
