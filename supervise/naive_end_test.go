package supervise

import (
	"fmt"
	"slices"
	"time"

	"rollcall/model"
)

// The naive model's second part: how a run ends, and what comes after.

// ended: the end of the run was seen (L5). What it means comes after the reap.
func (n *naive) ended(at instant, e model.End, hang bool) {
	if n.alive && !n.lasted && at-n.born >= n.spec.Timings.Lasting() {
		n.last() // S
	}
	n.lastsAt, n.probeAt = never, never
	if n.alive {
		n.silenceAt = at + 15*time.Minute // A7
	}
	n.phase = model.Stopping
	if hang {
		n.act("hang up run=%d", n.run)
	}
	made, guess := n.alive, n.legacy && !n.proven
	n.alive = false
	switch {
	case e.Cause == model.DiscoveryRefused && !made && !n.relaunched && !n.legacy: // T6
		n.relaunched, n.legacy, n.then = true, true, "relaunch"
		return
	case e.Cause == model.SessionMissing && made && n.credit: // T5
		n.credit, n.then = false, "session"
		return
	}
	if !made {
		n.turnRound(e.Cause)
	}
	n.end = &naiveEnd{at: at, lasted: n.lasted, asAsked: made && e.AsAsked(), once: !n.spec.Reconnect}
	n.next = n.shown + 1
	switch {
	case e.Cause.Permanent() && !(e.Cause == model.NoCommonRevision && guess): // H1
		n.then, n.silenceAt = "halted", never
	case !n.spec.Reconnect:
		n.then, n.silenceAt = "ended", never
	default:
		n.end.wait = n.backoff(n.shown, e.RetryAfter)
		n.retryAt, n.then = at+n.end.wait, "retry"
	}
}

// turnRound: a way to the handshake that was only guessed and failed gives the
// other one its turn; a proven one only where the server itself refused it (T6).
func (n *naive) turnRound(c model.Cause) {
	switch {
	case n.proven && c != model.HandshakeFailed && c != model.NoCommonRevision:
	case n.legacy:
		n.forget()
	case c == model.DiscoveryRefused:
		n.legacy = true
	}
}

// reaped: nothing of the run is left, or something that cannot be ended (H2).
func (n *naive) reaped(at instant, survivors bool) {
	n.stuck = survivors
	switch {
	case n.stopped && survivors: // X2 names them
	case n.stopped:
		n.tellEnd("off")
		n.tell("off")
		n.phase = model.Off
	case survivors:
		n.unreapable(at)
	default:
		n.turn()
		n.tellEnd(n.then)
		n.goOn(at, n.then)
	}
}

// turn: nothing runs, so that a changed entry applies, to what comes next too;
// a bad one never turns what ran into refused (C8, S).
func (n *naive) turn() {
	if n.pending == nil || n.pending.Spec == nil {
		return
	}
	n.install(n.pending.Spec)
	switch ordered := n.order != nil && !n.read; {
	case !n.spec.Enabled && !ordered && n.then != "leave":
		n.then = "off"
	case n.then == "retry" && !n.spec.Reconnect:
		n.then = "ended"
	case n.then == "ended" && n.spec.Reconnect:
		n.then = "fresh"
	case n.then == "halted":
		n.then = "halted, changed"
	}
}

// install: the way that worked is remembered for that entry (T6).
func (n *naive) install(spec *model.Spec) {
	if n.way != spec.Fingerprint {
		n.forget()
	}
	n.spec, n.pending, n.way = spec, nil, spec.Fingerprint
}

func (n *naive) forget() { n.legacy, n.proven = false, false }

func (n *naive) goOn(at instant, then string) {
	switch then {
	case "relaunch":
		if at-n.slotAt < n.spec.Timings.StartTimeout.D {
			n.dial(at)
		} else {
			n.want(n.shown) // the slot's time is over
		}
	case "session":
		n.want(n.shown)
	case "connect":
		n.want(n.next)
	case "fresh", "halted, changed":
		n.afresh(at)
	case "retry":
		if n.phase = model.Waiting; n.retryAt <= at {
			n.want(n.next) // S
		}
	case "off":
		n.goOff(at)
	case "ended":
		n.rest(model.Ended)
	case "halted":
		n.rest(model.Halted)
	case "leave":
		n.leave(at)
		return
	}
	n.reapedFor(at)
}

// reapedFor answers the order that waited for the reap.
func (n *naive) reapedFor(at instant) {
	switch {
	case n.order == nil || n.read:
	case n.order.Verb != model.Disconnect && n.in(model.Off, model.Refused):
		n.answered(at, "refused") // disabled meanwhile
	default:
		n.answered(at, "done")
	}
}

// goOff: nothing was to follow, if the entry still says so (S).
func (n *naive) goOff(at instant) {
	switch bad := n.pending != nil && n.pending.Spec == nil; {
	case n.held:
		n.off()
	case bad:
		n.pending = nil
		n.apply(at, nil)
	case n.spec.Enabled:
		n.afresh(at)
	default:
		n.disabled()
	}
}

// disabled forgets count and streak (S).
func (n *naive) disabled() {
	n.shown, n.losses, n.unsteady = 0, nil, false
	if n.phase == model.Off {
		n.withdraw()
	} else {
		n.off()
	}
}

func (n *naive) gone() {
	if !n.stuck {
		return
	}
	n.stuck = false
	changed := n.pending != nil && n.pending.Spec != nil
	if changed {
		n.install(n.pending.Spec)
	}
	switch {
	case n.removed:
		n.leave(0)
	case n.stopped:
	case n.held:
		n.off()
	case changed && !n.spec.Enabled:
		n.disabled()
	}
}

// tellEnd tells the end that was reaped, and its alerts.
func (n *naive) tellEnd(then string) {
	e := n.end
	n.end = nil
	switch {
	case e == nil || then == "leave":
		return
	case then == "halted", then == "halted, changed":
		n.worse()
		n.tell("halted attempt=%d", n.shown)
		return
	case e.asAsked && e.once || then == "ended": // H3
		n.tell("ended")
		if !e.asAsked {
			n.down()
		}
		return
	}
	retry := "will_retry=false"
	switch then {
	case "retry":
		retry = fmt.Sprintf("will_retry=true retry_in=%s", e.wait)
	case "connect", "fresh":
		retry = "will_retry=true"
	}
	if e.lasted {
		n.tell("lost %s", retry)
		n.lose(e.at, then != "off")
		return
	}
	n.tell("attempt-failed attempt=%d %s", n.shown, retry)
	if then != "off" && n.shown >= 5 { // A2
		n.down()
	}
}

// lose counts the losses of 24 h (A7).
func (n *naive) lose(at instant, wanted bool) {
	const day = 24 * time.Hour
	n.losses = append(slices.DeleteFunc(n.losses, func(l instant) bool { return at-l > day }), at)
	if len(n.losses) >= 5 && wanted && (!n.unsteady || at-n.unsteadyAt >= day) {
		n.unsteady, n.unsteadyAt = true, at
		n.tell("unsteady")
	}
}

func (n *naive) unreapable(at instant) {
	n.end = nil
	n.worse()
	n.rest(model.Halted)
	switch {
	case n.noNumber:
		n.tell("halted")
	case n.lasted:
		n.tell("halted attempt=1")
	default:
		n.tell("halted attempt=%d", n.shown)
	}
	if n.order != nil && !n.read {
		n.answered(at, "refused")
	}
}

// rest: nothing happens until someone says so.
func (n *naive) rest(p model.Phase) {
	n.phase, n.retryAt, n.lastsAt, n.probeAt, n.silenceAt = p, never, never, never, never
}

func (n *naive) withdraw() {
	if n.episode {
		n.episode, n.repeats, n.acked = false, false, false
		n.tell("withdrawn")
	}
}

func (n *naive) off() {
	n.rest(model.Off)
	n.tell("off")
	n.withdraw()
}

func (n *naive) leave(at instant) {
	n.phase = model.Off
	n.reapedFor(at)
	n.refuseOrders()
	n.withdraw()
	if !n.stopped {
		n.act("leave")
	}
}

func (n *naive) refuseOrders() {
	n.read = false
	n.answer(&n.order, "refused")
	n.answer(&n.waits, "refused")
}
