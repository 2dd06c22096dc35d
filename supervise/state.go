package supervise

import (
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// state is all that the step knows of one server. It is a value: the step
// takes one and gives the next.
type state struct {
	name   string
	seed   uint64  // of the jitter (B6)
	spread float64 // of the jitter; scenarios set 0, so that waits are round

	spec    *model.Spec  // the entry in force; nil where it was refused
	changed *model.Entry // C8: a changed entry that waits for the restart
	problem redact.Safe  // why the entry was refused
	known   *model.Known // what could be read of it then
	gone    bool         // C8: the entry is no longer in the file
	note    redact.Safe  // stands on the row until the next order

	phase    model.Phase
	since    instant // in this phase since
	attempt  int     // the attempt made last (B1)
	upcoming int     // queued: the attempt that the slot is for
	run      uint64
	starts   int

	ticket   uint64  // of the newest wantSlot
	slotHeld bool    // a slot is ours, or asked for
	slotAt   instant // start_timeout runs from here (T9)

	// The present run.
	pid       int
	alive     bool // its handshake completed, and it has not ended
	born      instant
	lasted    bool
	handshake *model.Handshake
	tools     model.Opt[int]
	probe     probeState
	dialled   instant

	// What comes after stopping.
	after     after
	ending    ending
	lastError redact.Safe // of the last end that was told
	due       instant     // waiting, or stopping before it: the next attempt's time

	stage     model.Opt[model.StopStage] // stopping: how far the stop has come
	stageAt   instant
	survivors []int // H2: PIDs that could not be reaped

	// T6: the way to the handshake.
	legacy     bool // dial with initialize at once
	proven     bool // that way has worked
	relaunched bool // the second launch within an attempt was used up
	credit     bool // T5: one fresh session

	order   *model.Order // in progress (O1): its entry is being read, or
	reaping bool         // it is done once the run is reaped
	waits   *model.Order // the one that waits for it

	hold    hold
	episode episode
	streak  streak

	timers [timerCount]armed
	tokens uint64 // given so far
	quits  bool   // rollcall stops
}

// armed is what a timer is set for.
type armed struct {
	token uint64 // 0 where it is not
	due   instant
}

// after says what comes when the run is reaped.
type after uint8

const (
	afterNothing after = iota
	afterRetry         // waiting, until due
	afterNow           // an operator connects: the next attempt at once, count kept
	afterSame          // the same attempt once more (T5, T6)
	afterFresh         // attempt 0
	afterOff           // off
	afterEnded         // ended: reconnect is off
	afterHalted        // halted
	afterLeave         // the server is no more
)

// ending is the end that is being reaped, until it is told (L5).
type ending struct {
	counted   bool // there is something to tell
	at        instant
	end       model.End
	connected bool // the attempt had made a connection
	life      time.Duration
	lasted    bool
	once      bool // reconnect was off (H3)
	same      bool // the attempt goes on with another run: told only if that cannot be
	wait      time.Duration
}

// hold is an operator's disconnect (O5).
type hold struct {
	on    bool
	by    redact.Safe
	since instant
}

// episode is the time from the first alert to recovered or withdrawn.
type episode struct {
	open      bool
	since     instant
	permanent bool // it halted, or was refused, in it
	repeats   bool // so in an engine before this one: the first such report says it again
	acked     acked
}

// acked says that an operator knows of the open episode as it is.
type acked struct {
	on    bool
	by    redact.Safe
	since instant
}

// probeState is the row of P3 and what the column shows.
type probeState struct {
	due      instant
	seen     bool
	at       instant
	outcome  model.Outcome
	latency  time.Duration
	timeouts int
}

// newState is a server that nothing is known of yet: off, without an entry.
func newState(name string, seed uint64) state {
	return state{name: name, seed: seed, spread: spread, credit: true}
}

// jitter is the factor of the wait after the present run and attempt (B2, B6).
func (s *state) jitter() float64 {
	return 1 + s.spread*(draw(s.seed, s.run, s.attempt)-0.5)
}

// atLeast spreads a wait that a server asked for: not before it (H1), and not
// all at once where many were asked the same (B6).
func (s *state) atLeast(asked time.Duration) time.Duration {
	return time.Duration(float64(min(asked, model.MaxTimer)) * (1 + s.spread/2*draw(s.seed, s.run, s.attempt)))
}

// wanted reports whether the server is meant to be connected.
func (s *state) wanted() bool {
	switch s.phase {
	case model.Queued, model.Starting, model.Settling, model.Up, model.Waiting:
		return true
	case model.Stopping:
		switch s.after {
		case afterRetry, afterNow, afterSame, afterFresh:
			return true
		}
	}
	return false
}

// runs reports whether a run may be live: no other may be dialled.
func (s *state) runs() bool { return s.phase.Runs() || len(s.survivors) > 0 }

// threshold is the life at which the present connection has lasted (L1).
func (s *state) threshold() instant { return later(s.born, s.spec.Timings.Lasting()) }

// later is an instant and a wait, without overflow (B3): what is too far off to
// count never comes.
func later(at instant, wait time.Duration) instant {
	if wait > model.Forever-max(at, 0) {
		return model.Forever
	}
	return at + wait
}
