package supervise

import (
	"time"

	"rollcall/model"
)

// instant is monotonic time since the engine's start. It does not run while
// the host is suspended, and no step of the wall clock moves it (L7). What was
// before the engine's start is negative.
type instant = time.Duration

// event is what happened to one server, and when: a sealed sum type.
type event interface{ when() instant }

type (
	// ordered: an operator gave an order.
	ordered struct {
		at    instant
		order model.Order
	}
	// entryRead answers readEntry: the entry, or why it was refused (O2).
	entryRead struct {
		at      instant
		id      string // the order's
		spec    *model.Spec
		refusal *model.Refusal
	}
	// slotGranted: a start slot is ours (T9).
	slotGranted struct {
		at     instant
		ticket uint64
	}
	// slotAwaited: no start slot is free; the server waits in the queue.
	slotAwaited struct {
		at     instant
		ticket uint64
		ahead  int // how many wait before it
	}
	// reported: the transport saw something of a run.
	reported struct {
		at    instant
		run   uint64
		event model.RunEvent
	}
	// probed: a probe of a run had an outcome.
	probed struct {
		at     instant
		run    uint64
		result model.Probed
	}
	// timerFired: the time of a timer has come. A token that is not the armed
	// one's is stale.
	timerFired struct {
		at    instant
		timer timer
		token uint64
	}
	// configured: the entry was read from the configuration: at start-up, upon a
	// save (C8), or, with apply, upon reload.
	configured struct {
		at    instant
		entry *model.Entry // nil: it is no longer there
		apply bool
		// quiet: refused by a bad [defaults], whose one alert another server
		// raises (C5).
		quiet bool
	}
	// restored: what the engine before this one knew (O5); before configured.
	restored struct {
		at    instant
		saved saved
	}
	// shutdown: rollcall stops (L6, X2).
	shutdown struct{ at instant }
)

func (e ordered) when() instant     { return e.at }
func (e entryRead) when() instant   { return e.at }
func (e slotGranted) when() instant { return e.at }
func (e slotAwaited) when() instant { return e.at }
func (e reported) when() instant    { return e.at }
func (e probed) when() instant      { return e.at }
func (e timerFired) when() instant  { return e.at }
func (e configured) when() instant  { return e.at }
func (e restored) when() instant    { return e.at }
func (e shutdown) when() instant    { return e.at }
