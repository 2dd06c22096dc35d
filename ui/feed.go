package ui

import (
	"context"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// fleetMsg is a new snapshot.
type fleetMsg struct{ fleet model.Fleet }

// lostMsg says that the engine could not be read.
type lostMsg struct{ err error }

// panicked is a panic of a goroutine, handed over to the program's own, which
// raises it again: one place restores the terminal (D10).
type panicked struct {
	value any
	stack []byte
}

// retryLost is how long to wait before a lost engine is read again.
const retryLost = time.Second

const (
	idleRest = 250 * time.Millisecond // between two snapshots while nobody touches a key
	awake    = 3 * time.Second        // how long after a key each snapshot is shown at once
)

// feed reads snapshots and keeps the latest alone, until someone takes it: a
// screen that is behind skips what is old. While nobody touches a key it reads
// four a second and no more: drawing is most of what the dashboard costs. Where
// drawing them sends more than a slow link takes, it reads as few as keep within
// the budget, but one a second at least; a key is answered at once even so.
type feed struct {
	latest chan tea.Msg
	touch  chan struct{} // of capacity 1: a key was touched
	sent   func() int64  // to the terminal in all, in bytes
	budget budget        // run's
}

func newFeed(sent func() int64) *feed {
	return &feed{latest: make(chan tea.Msg, 1), touch: make(chan struct{}, 1), sent: sent, budget: tableBudget()}
}

// touched says that somebody is there. It never blocks.
func (f *feed) touched() {
	select {
	case f.touch <- struct{}{}:
	default:
	}
}

// rest waits until the next snapshot may be read: not at all before the instant
// until, up to which somebody attends, and for idleRest after it; always for as long
// as the budget asks. A key ends the wait but for the budget's part of it. It returns
// up to when somebody attends: until, or awake from the last key on.
func (f *feed) rest(ctx context.Context, until time.Time) time.Time {
	begun := time.Now()
	owed := f.budget.pause(begun, f.sent())
	pause := owed
	if !begun.Before(until) {
		pause = max(idleRest, owed)
	}
	wait := time.NewTimer(pause)
	defer wait.Stop()
	for {
		select {
		case <-f.touch:
			until = time.Now().Add(awake)
			wait.Reset(owed - time.Since(begun))
		case <-ctx.Done():
			return until
		case <-wait.C:
			return until
		}
	}
}

// run reads until ctx ends. It is the only writer.
func (f *feed) run(ctx context.Context, e Engine) {
	defer close(f.latest)
	defer func() {
		if v := recover(); v != nil {
			f.put(panicked{v, debug.Stack()})
		}
	}()
	var seen uint64
	var last model.Fleet
	var attended time.Time
	for ctx.Err() == nil {
		fleet, err := e.Next(ctx, seen)
		if err == nil {
			seen = fleet.Seq
			if fleet.Seq != last.Seq || !fleet.At.Equal(last.At) { // not what a lost engine said last
				f.put(fleetMsg{fleet})
			}
			last = fleet
			attended = f.rest(ctx, attended)
			continue
		}
		if ctx.Err() != nil {
			return
		}
		f.put(lostMsg{err})
		seen = 0 // the engine that comes back may count anew
		select {
		case <-ctx.Done():
		case <-time.After(retryLost):
		}
	}
}

// put replaces what nobody took yet.
func (f *feed) put(m tea.Msg) {
	select {
	case <-f.latest:
	default:
	}
	f.latest <- m
}

// next is a command that waits for the latest; it ends with the feed.
func (f *feed) next() tea.Msg {
	m, ok := <-f.latest
	if !ok {
		return nil
	}
	return m
}

// guarded hands a command's panic over instead of ending the process with the
// terminal as it is.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (m tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				m = panicked{v, debug.Stack()}
			}
		}()
		m = cmd()
		if batch, ok := m.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = guarded(batch[i])
			}
		}
		return m
	}
}
