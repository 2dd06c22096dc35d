package supervise

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Run is one run of a server, as the transport made it. Nothing of it blocks
// but Probe and Usage.
type Run interface {
	// Probe asks whether the server lives; ctx's deadline is the window (P1).
	Probe(ctx context.Context) model.Probed
	// Usage samples what its processes use. It reads the process table.
	Usage() (model.Usage, error)
	// Stop closes the connection and ends the process as H2 says; Reaped follows.
	Stop()
	// Kill ends what Stop has not ended yet, at once (X2).
	Kill()
}

// Options are what an engine is made with.
type Options struct {
	Host   redact.Safe // shown, and part of the jitter (B6)
	Config redact.Safe // the configuration's path, shown

	// Start launches and dials a server and returns at once; everything is told
	// by the dial's Report. It is called from the loop, and must not block.
	Start func(spec *model.Spec, d model.Dial) Run
	// Read reads and validates a server's entry anew (O2). It may block: it is
	// called from a goroutine of its own, and given up after readLimit.
	Read func(server string) (*model.Spec, *model.Refusal)
	// Store keeps holds and open episodes over a restart (O5); nil keeps nothing.
	Store Store
	// Slots is start_concurrency (T9), at least 1.
	Slots int
	// Listeners are told each event, in order, each in a goroutine of its own;
	// missed says how many it was too slow for since the call before.
	Listeners []func(ev model.Event, missed uint64)
}

// readLimit bounds the reading of an entry: a hung file system refuses an
// order, and blocks nothing.
const readLimit = 10 * time.Second

// Engine supervises all servers: mailbox → step → perform → publish. One loop
// owns all state. Its methods may be called from any goroutine.
type Engine struct {
	opts  Options
	start time.Time
	box   *mailbox

	// Owned by the loop.
	units     []*unit
	byName    map[string]*unit
	slots     *slots
	effects   []effect
	stale     []*unit      // rows to rebuild
	rows      []*model.Row // as published, in the order of units
	moved     bool         // rows no longer has that order
	changed   bool         // the fleet differs from the published one
	stopping  bool
	publishAt *time.Timer
	published instant
	epoch     time.Time // of instant 0, as rows have it
	note      redact.Safe
	warnings  warnings
	unknown   []string    // C8: entries of the file that wait for reload
	waits     model.Waits // what waits for reload, the unknown ones left out

	history   *history
	listeners []*listener
	saver     *saver
	board     board
	lines     lines
	days      days
	running   atomic.Bool                             // Run was called
	over      chan struct{}                           // closed when the loop has ended
	afterFunc func(time.Duration, func()) *time.Timer // time.AfterFunc; tests watch it
}

// New makes an engine with the servers of a configuration. It reads the Store,
// which may block; one that cannot be read is told, and is no error. Nothing is
// started before Run, but what may be called then is kept for it, and the first
// snapshot can be read. The entries are the engine's from then on, as Configure
// has it.
func New(opts Options, entries []model.Entry) *Engine {
	e := &Engine{
		opts: opts, start: time.Now(), box: newMailbox(),
		byName: map[string]*unit{}, slots: newSlots(max(opts.Slots, 1)), history: newHistory(),
		warnings: warnings{standing: map[string]*warning{}}, over: make(chan struct{}),
		board: board{next: make(chan struct{})}, lines: lines{tails: map[string]*Tail{}}, days: days{of: map[string]*day{}},
		afterFunc: time.AfterFunc,
	}
	for _, fn := range opts.Listeners {
		e.listeners = append(e.listeners, listen(fn, e.listenerFailed))
	}
	e.saver = newSaver(opts.Store, func(err error) { e.call(func() { e.stateSaved(err) }) })
	saved, err := e.saver.load()
	if err != nil {
		e.tellConfig(redact.Sprintf("the state file could not be read, disconnects of before are forgotten: %s", (*redact.Redactor)(nil).Error(err)))
	}
	for _, entry := range entries {
		u := e.addUnit(entry.Name)
		if s, ok := saved[entry.Name]; ok {
			e.handle(u, restored{0, e.unsave(s)})
		}
	}
	e.configure(entries, true)
	e.publish()
	return e
}

// Run is the loop. It returns when Stop was called and nothing is left to
// reap, with the processes that could not be ended (X2), and has then waited up
// to 2 s for listeners and the last save. Without Stop it never returns.
// Call it once; a panic in what it calls comes out of it.
func (e *Engine) Run() []Survivor {
	e.running.Store(true)
	var batch []message
	for !e.stopping || !e.idle() {
		select {
		case <-e.box.wake:
		case <-e.publishDue():
			e.publishAt = nil
		}
		batch = e.box.take(batch)
		inStampOrder(batch)
		for _, m := range batch {
			if m.call != nil {
				m.call()
			} else {
				e.handle(m.unit, m.event)
			}
			e.box.done()
		}
		e.saveChanged()
		e.publishIfDue()
	}
	return e.wind()
}

// windLimit bounds, over all, how long the engine's end waits for listeners and
// the last save.
const windLimit = 2 * time.Second

// wind ends what the loop has started.
func (e *Engine) wind() []Survivor {
	e.box.close()
	close(e.over)
	e.lines.close()
	e.history.close()
	for _, l := range e.listeners {
		l.close()
	}
	e.saver.close()
	ctx, cancel := context.WithTimeout(context.Background(), windLimit)
	defer cancel()
	ends := []<-chan struct{}{e.saver.done}
	for _, l := range e.listeners {
		ends = append(ends, l.done)
	}
	for _, end := range ends {
		select {
		case <-end:
		case <-ctx.Done(): // it hangs; that is its own affair
		}
	}
	e.publish()
	e.board.close()
	return e.survivors()
}

// inStampOrder puts a batch in the order of its stamps: a timer that fired and
// an end that was seen before it are taken as they happened (S).
func inStampOrder(batch []message) {
	for _, m := range batch {
		if _, ok := m.event.(timerFired); ok {
			slices.SortStableFunc(batch, func(a, b message) int { return cmp.Compare(a.at, b.at) })
			return
		}
	}
}

// Do gives an order. It never blocks; the answer is an event that bears the
// order's id (O1), also where no such server is there. Before Run the order waits
// for it; after the engine's end it is dropped, and nobody answers.
func (e *Engine) Do(o model.Order) {
	e.call(func() {
		u := e.byName[o.Server]
		if u == nil {
			e.tellUnknown(o)
			return
		}
		e.handle(u, ordered{e.now(), o})
	})
}

// Stop stops every server and then the loop (L6, X2). It does not wait: Run's
// return is the end. Before Run it waits for that: what has its start slot by
// then is started, and stopped at once. A second one, and one after the end, do
// nothing.
func (e *Engine) Stop() {
	e.call(func() {
		if e.stopping {
			return
		}
		e.stopping = true
		e.changed = true
		for _, u := range slices.Clone(e.units) {
			e.handle(u, shutdown{e.now()})
		}
	})
}

// Kill ends at once what runs, or is being stopped: SIGKILL for its whole group,
// its grace cut short. It does not wait, and neither stops the loop nor keeps
// servers from being started: without Stop it is an end like any other, and is
// retried. What cannot be ended is unreapable 2 s later (H2).
func (e *Engine) Kill() {
	e.call(func() {
		for _, u := range e.units {
			if u.run != nil && u.state.runs() {
				u.run.Kill()
			}
		}
	})
}

// Configure takes a configuration that was read anew (C8), in the file's order.
// Without apply it is a save: nothing that runs is touched, and new and removed
// entries wait. With apply it is a reload. It never blocks; InForce, asked after
// it, answers once it was taken. While rollcall stops it does nothing.
//
// The slice and all that its entries point to are the engine's from then on: the
// loop reads them later, and keeps the Specs. The caller must not change them, and
// may hand in the same ones again.
func (e *Engine) Configure(entries []model.Entry, apply bool) {
	e.call(func() { e.configure(entries, apply) })
}

// InForce returns the entries as they are in force, in the configuration's
// order: a refused one has no Spec, one that comes into force by itself counts.
// It waits for the loop until ctx ends; the error is ErrStopped after its end.
func (e *Engine) InForce(ctx context.Context) ([]model.Entry, error) {
	return ask(ctx, e, e.inForce)
}

// ask has the loop answer a question, and waits for the answer until ctx ends;
// the error is ctx's, or ErrStopped after the engine's end.
func ask[T any](ctx context.Context, e *Engine, question func() T) (T, error) {
	var none T
	got := make(chan T, 1)
	if !e.box.put(message{at: e.now(), call: func() { got <- question() }}) {
		return none, ErrStopped
	}
	select {
	case answer := <-got:
		return answer, nil
	case <-e.over:
		return none, ErrStopped
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Note says what is wrong with the configuration's file, until it is mended;
// the empty text takes the note away. Either is told once.
func (e *Engine) Note(text redact.Safe) {
	e.call(func() {
		switch {
		case text == e.note:
			return
		case text.IsZero():
			e.tellConfig(redact.Word("the configuration can be read again"))
		default:
			e.tellConfig(text)
		}
		e.note = text
		e.changed = true
	})
}

// Tell tells an event that belongs to no server: what became of the
// configuration. A snapshot follows, for who reads events when one comes.
func (e *Engine) Tell(text redact.Safe) {
	e.call(func() {
		e.tellConfig(text)
		e.changed = true
	})
}

// Survivor is a process that could not be ended.
type Survivor struct {
	Server string
	PID    int
}

func (e *Engine) survivors() []Survivor {
	var out []Survivor
	for _, u := range e.units {
		for _, pid := range u.state.survivors {
			out = append(out, Survivor{u.name, pid})
		}
	}
	return out
}

// idle reports whether nothing is left to reap.
func (e *Engine) idle() bool {
	for _, u := range e.units {
		if u.state.phase.Runs() {
			return false
		}
	}
	return true
}

func (e *Engine) now() instant { return time.Since(e.start) }

// stamp is the instant of a time that the transport took.
func (e *Engine) stamp(t time.Time) instant { return t.Sub(e.start) }

// wall is the time of an instant. It is computed from the present one, so that
// a wall clock that was stepped is right again at once.
func (e *Engine) wall(at instant) time.Time { return time.Now().Add(at - e.now()) }

// post sends a server's event to the loop.
func (e *Engine) post(u *unit, ev event) { e.box.put(message{at: ev.when(), unit: u, event: ev}) }

// call has the loop call something.
func (e *Engine) call(fn func()) { e.box.put(message{at: e.now(), call: fn}) }

// spawn runs what may block. A panic in it is the loop's own.
func (e *Engine) spawn(fn func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				stack := debug.Stack()
				e.call(func() { panic(fmt.Sprintf("%v\n%s", p, stack)) })
			}
		}()
		fn()
	}()
}
