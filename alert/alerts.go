package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Store keeps what is open over a restart. Its methods may block; they are
// called from one goroutine at a time.
type Store interface {
	Load() ([]byte, error) // nil where there is nothing yet
	Save([]byte) error
}

// Options are what Alerts are made with. Tell and Warn must not block.
type Options struct {
	Host  redact.Safe
	Sinks []Sink
	Store Store // nil keeps nothing
	// Open asks the engine for the servers whose episode is open; ok is false
	// where it does not answer. It may block.
	Open func() (servers map[string]bool, ok bool)
	Tell func(redact.Safe)               // a line for the event log
	Warn func(key string, t redact.Safe) // stands in the header until t is empty
}

// Alerts post what happens to servers to its sinks (A5): a desk that decides,
// and a queue a sink. Its methods may be called from any goroutine.
type Alerts struct {
	opts   Options
	queues []*queue
	cancel context.CancelFunc // of what is being sent

	mu      sync.Mutex
	desk    *desk
	unsent  []Post // of the first sink: they are saved until they are sent
	count   uint64 // of posts
	timer   *time.Timer
	compare *time.Timer // with what the engine has open
	closed  bool        // nothing is decided any more
	over    bool        // nothing is saved any more: dirty is closed

	dirty chan struct{} // capacity 1: there is something to save
	saved chan struct{} // closed when the last save is done
	last  []byte        // what was saved last; the saver's own
}

const (
	// compareAfter is how long after a restart, or a gap in the events, the desk is
	// compared with the engine: what is on its way has come by then.
	compareAfter = 5 * time.Second
	saveAgain    = 30 * time.Second
)

// New makes them, with what was open before. Sinks are not empty.
func New(opts Options) *Alerts {
	ctx, cancel := context.WithCancel(context.Background())
	a := &Alerts{opts: opts, cancel: cancel, dirty: make(chan struct{}, 1), saved: make(chan struct{})}
	for i, s := range opts.Sinks {
		warn := func(t redact.Safe) { opts.Warn(s.Name().String(), t) }
		done := func(Post) {}
		if i == 0 {
			done = a.sent
		}
		q := newQueue(s, opts.Tell, warn, done)
		a.queues = append(a.queues, q)
		go q.run(ctx)
	}
	a.load()
	go a.save()
	return a
}

// load takes up what was open, and what was not sent.
func (a *Alerts) load() {
	now := time.Now()
	a.desk = newDesk(a.opts.Host)
	if a.opts.Store == nil {
		return
	}
	b, err := a.opts.Store.Load()
	var s saved
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		a.opts.Tell(redact.Sprintf("what alerts were open before cannot be read, and is forgotten: %s", cleanError(err)))
		return
	}
	a.desk = restore(s, a.opts.Host, now)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(s.Servers)+len(s.Waiting) > 0 {
		a.desk.quiet = now.Add(compareAfter)
		a.compareSoon()
	}
	a.last = b
	a.arm()
}

// Event is the engine's listener. missed are events that did not reach it.
func (a *Alerts) Event(ev model.Event, missed uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	if missed > 0 {
		a.opts.Tell(redact.Sprintf("%d events were missed by the alerts: what ended meanwhile is found by looking", redact.Int(missed)))
		a.compareSoon()
	}
	switch ev.Kind {
	case model.EvDown, model.EvHalted, model.EvRefused, model.EvRecovered, model.EvWithdrawn, model.EvUnsteady:
		a.post(a.desk.take(ev, time.Now()))
	}
}

// post queues posts, and has what changed saved. The lock is held.
func (a *Alerts) post(posts []Post) {
	for _, p := range posts {
		a.count++
		p.id = a.count
		for i, q := range a.queues {
			if i == 0 {
				a.unsent = append(a.unsent, p)
			}
			if !q.put(p) && i == 0 {
				a.unsent = a.unsent[:len(a.unsent)-1]
			}
		}
	}
	a.arm()
	a.mark()
}

// mark has the state saved. The lock is held.
func (a *Alerts) mark() {
	if a.over {
		return
	}
	select {
	case a.dirty <- struct{}{}:
	default:
	}
}

// arm sets the timer for what the desk does next. The lock is held.
func (a *Alerts) arm() {
	if a.timer != nil {
		a.timer.Stop()
	}
	if next := a.desk.next(); !next.IsZero() && !a.closed {
		a.timer = time.AfterFunc(max(time.Until(next), 0), a.tick)
	}
}

func (a *Alerts) tick() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.post(a.desk.advance(time.Now()))
	}
}

// sent takes a post that was sent, or given up, out of what is saved.
func (a *Alerts) sent(p Post) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.unsent {
		if a.unsent[i].id == p.id {
			a.unsent = append(a.unsent[:i:i], a.unsent[i+1:]...)
			break
		}
	}
	a.mark()
}

// compareSoon compares the desk with the engine in a while. The lock is held.
func (a *Alerts) compareSoon() {
	if a.compare != nil {
		a.compare.Stop()
	}
	a.compare = time.AfterFunc(compareAfter, func() {
		open, ok := a.opts.Open()
		a.mu.Lock()
		defer a.mu.Unlock()
		if ok && !a.closed {
			a.post(a.desk.reconcile(open, time.Now()))
		}
	})
}

// save writes the newest state, until dirty is closed: the latest wins.
func (a *Alerts) save() {
	defer close(a.saved)
	failing := false
	for range a.dirty {
		err := a.saveOnce()
		switch {
		case err != nil:
			a.opts.Warn("alerts", redact.Sprintf("what alerts are open cannot be saved, a restart would forget it: %s", cleanError(err)))
			time.AfterFunc(saveAgain, func() {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.mark()
			})
		case failing:
			a.opts.Warn("alerts", redact.Safe{})
		}
		failing = err != nil
	}
}

func (a *Alerts) saveOnce() error {
	if a.opts.Store == nil {
		return nil
	}
	a.mu.Lock()
	b, err := json.Marshal(a.desk.save(a.unsent))
	a.mu.Unlock()
	if err != nil || bytes.Equal(b, a.last) {
		return err
	}
	if err := a.opts.Store.Save(b); err != nil {
		return err
	}
	a.last = b
	return nil
}

// Close lets what is queued go out until ctx ends, saves what is left, and
// returns how many posts of the first sink were not sent: they are at the next
// start, where there is a Store. Events are ignored from then on.
func (a *Alerts) Close(ctx context.Context) int {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return 0
	}
	a.post(a.desk.hasten(time.Now()))
	a.closed = true
	for _, t := range []*time.Timer{a.timer, a.compare} {
		if t != nil {
			t.Stop()
		}
	}
	for _, q := range a.queues {
		close(q.posts)
	}
	a.mu.Unlock()
	for _, q := range a.queues {
		select {
		case <-q.ended:
		case <-ctx.Done():
		}
	}
	a.cancel()
	for _, q := range a.queues {
		select {
		case <-q.ended: // one that hangs is left to its fate
		case <-time.After(closeGrace):
		}
	}
	return a.closeSaver()
}

// closeGrace is how long an end that was cancelled may take.
const closeGrace = 500 * time.Millisecond

// closeSaver saves for the last time.
func (a *Alerts) closeSaver() int {
	a.mu.Lock()
	a.mark()
	a.over = true
	close(a.dirty)
	left := len(a.unsent)
	a.mu.Unlock()
	select {
	case <-a.saved:
	case <-time.After(closeGrace):
	}
	return left
}
