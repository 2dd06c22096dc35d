package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
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
	kinds  []string           // the sinks'
	hold   context.CancelFunc // no try begins any more
	cancel context.CancelFunc // of the tries that are under way

	mu      sync.Mutex
	desk    *desk
	unsent  []unsent // they are saved until they are sent
	count   uint64   // of posts
	timer   *time.Timer
	compare *time.Timer // with what the engine has open
	closed  bool        // nothing is decided any more
	over    bool        // nothing is saved any more: dirty is closed

	dirty chan struct{} // capacity 1: there is something to save
	saved chan struct{} // closed when the last save is done
	last  []byte        // what was saved last; the saver's own, as is failing, until saved is closed
	// failing: the last save failed.
	failing bool
}

const (
	// compareAfter is how long after a restart, or a gap in the events, the desk is
	// compared with the engine: what is on its way has come by then.
	compareAfter = 5 * time.Second
	saveAgain    = 30 * time.Second
)

// New makes them, with what was open before. Sinks are not empty.
func New(opts Options) *Alerts {
	begin, hold := context.WithCancel(context.Background())
	wire, cancel := context.WithCancel(context.Background())
	a := &Alerts{opts: opts, hold: hold, cancel: cancel, dirty: make(chan struct{}, 1), saved: make(chan struct{})}
	for _, s := range opts.Sinks {
		warn := func(t redact.Safe) { opts.Warn(s.Name().String(), t) }
		done := func(p Post) { a.sent(p, s.Kind()) }
		a.queues = append(a.queues, newQueue(s, opts.Tell, warn, done))
		a.kinds = append(a.kinds, s.Kind())
	}
	a.load()
	for _, q := range a.queues {
		go q.run(begin, wire)
	}
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
	for _, q := range a.queues {
		maps.Copy(q.heard, s.Heard[q.sink.Kind()])
	}
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
		p.seq = a.count
		u := unsent{post: p}
		for _, q := range a.queues {
			if q.put(p) {
				u.owed = append(u.owed, q.sink.Kind())
			}
		}
		if len(u.owed) > 0 {
			a.unsent = append(a.unsent, u)
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

// sent takes a post that a sink took, or that was given up, out of what is saved
// for it.
func (a *Alerts) sent(p Post, kind string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.unsent, func(u unsent) bool { return u.post.seq == p.seq })
	u := &a.unsent[i]
	u.owed = slices.DeleteFunc(u.owed, func(k string) bool { return k == kind })
	if len(u.owed) == 0 {
		a.unsent = slices.Delete(a.unsent, i, i+1)
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
		case a.failing:
			a.opts.Warn("alerts", redact.Safe{})
		}
		a.failing = err != nil
	}
}

func (a *Alerts) saveOnce() error {
	if a.opts.Store == nil {
		return nil
	}
	a.mu.Lock()
	s := a.desk.save(a.unsent, a.kinds)
	a.mu.Unlock()
	// What got there in between is heard, and may be sent again: better than never.
	s.Heard = map[string]map[string]time.Time{}
	for _, q := range a.queues {
		s.Heard[q.sink.Kind()] = q.remembered()
	}
	b, err := json.Marshal(s)
	if err != nil || bytes.Equal(b, a.last) {
		return err
	}
	if err := a.opts.Store.Save(b); err != nil {
		return err
	}
	a.last = b
	return nil
}

// Left is what a sink did not get before the end.
type Left struct {
	Sink  redact.Safe
	Posts int  // at least 1
	Kept  bool // they are sent at the next start
}

// Close lets what is queued go out until begin ends, what is under way then
// until wire ends, which is not before, saves what is left, and returns it, an
// entry for each sink that has some. Events are ignored from then on.
func (a *Alerts) Close(begin, wire context.Context) []Left {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
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
	a.await(begin)
	a.hold()
	a.await(wire)
	a.cancel()
	for _, q := range a.queues {
		select {
		case <-q.ended: // one that hangs is left to its fate
		case <-time.After(closeGrace):
		}
	}
	return a.closeSaver()
}

// await waits until all queues have ended, or ctx has.
func (a *Alerts) await(ctx context.Context) {
	for _, q := range a.queues {
		select {
		case <-q.ended:
		case <-ctx.Done():
		}
	}
}

// closeGrace is how long an end that was cancelled may take.
const closeGrace = 500 * time.Millisecond

// closeSaver saves for the last time.
func (a *Alerts) closeSaver() []Left {
	a.mu.Lock()
	a.mark()
	a.over = true
	close(a.dirty)
	left := make([]Left, len(a.queues))
	for i, q := range a.queues {
		left[i].Sink = q.sink.Name()
		for _, u := range a.unsent {
			if slices.Contains(u.owed, q.sink.Kind()) {
				left[i].Posts++
			}
		}
	}
	a.mu.Unlock()
	kept := false
	select {
	case <-a.saved:
		kept = a.opts.Store != nil && !a.failing
	case <-time.After(closeGrace):
	}
	for i := range left {
		left[i].Kept = kept
	}
	return slices.DeleteFunc(left, func(l Left) bool { return l.Posts == 0 })
}
