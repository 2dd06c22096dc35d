package supervise

import (
	"time"

	"rollcall/model"
)

// effect is what the engine does for a server, in the order given: a sealed
// sum type. What schedules comes before what tells (L5).
type effect interface{ effect() }

type (
	// readEntry: read the server's entry anew, in a goroutine of its own, and
	// answer with entryRead.
	readEntry struct{ id string }
	// wantSlot: ask for a start slot; answered by slotGranted, after slotAwaited
	// where none is free. Urgent ones, an operator's, come first.
	wantSlot struct {
		ticket uint64
		urgent bool
	}
	// freeSlot: give a slot back, or leave the queue.
	freeSlot struct{ ticket uint64 }
	// dial: start a run; the transport reports on it.
	dial struct {
		run     uint64
		attempt int
		spec    *model.Spec
		timeout time.Duration
		legacy  bool
	}
	// hangUp: close the run; Reaped follows.
	hangUp struct{ run uint64 }
	// probe: ask the run whether it lives, within the window; answered by probed.
	probe struct {
		run    uint64
		window time.Duration
	}
	// startTimer: set a timer as the state has it: answer with timerFired and its
	// token when it is due, at most model.MaxTimer from now, in place of what it
	// was set for. (A byte, which costs no allocation: it comes with each probe.)
	startTimer timer
	// stopTimer: forget a timer.
	stopTimer timer
	// tell: one event for everyone who listens. The engine adds the sequence
	// number, the wall clock's time and, where stderr is set, the last lines.
	tell struct {
		at     instant
		event  model.Event
		stderr bool
	}
	// leave: the server is no more; forget it.
	leave struct{}
)

func (readEntry) effect()  {}
func (wantSlot) effect()   {}
func (freeSlot) effect()   {}
func (dial) effect()       {}
func (hangUp) effect()     {}
func (probe) effect()      {}
func (startTimer) effect() {}
func (stopTimer) effect()  {}
func (tell) effect()       {}
func (leave) effect()      {}

// timer names a server's timers.
type timer uint8

const (
	retryTimer   timer = iota // waiting: the next attempt is due
	lastingTimer              // the connection will have lasted
	probeTimer                // the next probe is due
	silenceTimer              // 15 minutes without a connection (A7)
	timerCount
)

var timerNames = [timerCount]string{"retry", "lasting", "probe", "silence"}

func (t timer) String() string { return timerNames[t] }
