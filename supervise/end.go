package supervise

import (
	"slices"

	"rollcall/model"
	"rollcall/redact"
)

// closed: the transport saw the run's end, or the attempt's failure.
func (t *turn) closed(end model.End) {
	switch t.phase {
	case model.Starting, model.Settling, model.Up:
		t.end(end)
	}
}

// staged: the stop has come a stage further (H2).
func (t *turn) staged(stage model.StopStage) {
	if t.phase == model.Stopping {
		t.stage, t.stageAt = model.Some(stage), t.now
	}
}

// end counts the end of the run, once, and decides what follows the reap (L5).
// The wait runs from here.
func (t *turn) end(end model.End) {
	t.outlive()            // an end at or after the threshold has lasted (S)
	t.note = redact.Safe{} // what an order was told is not what the row is about any more
	e := ending{counted: true, at: t.now, end: end, connected: t.alive, lasted: t.alive && t.lasted, once: !t.spec.Reconnect}
	if t.alive {
		e.life = t.now - t.born
	}
	keepSlot := false
	switch {
	case t.secondLaunch(end):
		t.relaunched, t.legacy, keepSlot = true, true, true
		t.after, e.same = afterSame, true
	case t.alive && end.Cause == model.SessionMissing && t.credit:
		t.credit = false
		t.after, e.same = afterSame, true
	case end.Cause.Permanent() && !t.guessedWay(end):
		t.after = afterHalted
	case !t.spec.Reconnect:
		t.after = afterEnded
	default:
		t.after = afterRetry
		// L2: of a connection that had lasted the attempt is 0, so it waits base.
		e.wait = backoff(t.spec.Timings.ReconnectInterval.D, t.spec.Timings.ReconnectMaxInterval.D, t.attempt, t.jitter())
		e.wait = min(max(e.wait, t.atLeast(end.RetryAfter)), model.MaxTimer)
		t.due = t.now + e.wait
	}
	if !t.alive && !keepSlot {
		t.chooseWay(end)
	}
	if t.alive {
		t.silentFrom(t.now)
	}
	t.endRun(keepSlot)
	t.ending = e
	t.enter(model.Stopping, t.now)
}

// secondLaunch reports whether a server that went away upon the newest
// revision's discovery is launched once more, within the attempt (T6).
func (t *turn) secondLaunch(end model.End) bool {
	return !t.alive && end.Cause == model.DiscoveryRefused && !t.legacy && !t.relaunched
}

// guessedWay reports whether the failure may be that of a way to the handshake
// that was only guessed: it halts nobody.
func (t *turn) guessedWay(end model.End) bool {
	return end.Cause == model.NoCommonRevision && t.legacy && !t.proven
}

// chooseWay decides, after an attempt without a handshake, how the next one
// begins: a guess that failed is turned round, so that both ways get their
// turn, at one launch an attempt; a proven way is left only where the server
// itself refused it (T6).
func (t *turn) chooseWay(end model.End) {
	switch {
	case t.proven && end.Cause != model.HandshakeFailed && end.Cause != model.NoCommonRevision:
	case t.legacy:
		t.legacy, t.proven = false, false
	case end.Cause == model.DiscoveryRefused:
		t.legacy = true
	}
}

// reaped: nothing of the run is left, or what is left cannot be ended (H2).
func (t *turn) reaped(survivors []int) {
	if t.phase != model.Stopping {
		return // the transport reports Closed first
	}
	t.pid = 0
	if len(survivors) > 0 {
		t.unreapable(survivors)
		return
	}
	next := t.after
	t.after = afterNothing
	if next == afterLeave {
		t.leave()
		return
	}
	changed := t.applyChange()
	switch t.afterChange(next, changed) {
	case afterRetry:
		t.enter(model.Waiting, t.now)
		t.retry()
		t.tellEnding(afterRetry)
	case afterNow:
		t.enqueue(t.attempt+1, true)
		t.tellEnding(afterNow)
	case afterSame:
		t.same()
	case afterFresh:
		e := t.ending
		failed := t.attempt
		t.fresh(t.reaping)
		t.ending = e
		t.tellEndingOf(failed, afterFresh)
	case afterEnded:
		t.enter(model.Ended, t.now)
		t.disarm(silenceTimer)
		t.tellEnding(afterEnded)
	case afterHalted:
		t.halt()
		if changed {
			t.startIfWanted()
		}
	default:
		t.tellEnding(afterOff)
		t.rest()
	}
	t.stopped()
}

// rest: nothing of the server runs, and nothing was to follow. Its entry may
// have changed again meanwhile: enabled once more, it starts (S); a bad one is
// no longer only a mark (C5, C8).
func (t *turn) rest() {
	switch {
	case t.quits || t.hold.on:
		t.settleOff()
	case t.changed != nil:
		bad := *t.changed
		t.changed = nil
		t.refuse(bad, false)
	default:
		t.startIfWanted()
	}
}

// afterChange is what comes after the reap where a changed entry was applied
// upon it (C8). Disabled, it is off, unless an operator's order brings it back.
func (t *turn) afterChange(next after, changed bool) after {
	switch {
	case !changed:
	case !t.spec.Enabled && !t.reaping:
		return afterOff
	case !t.spec.Reconnect && next == afterRetry:
		return afterEnded
	case t.spec.Reconnect && next == afterEnded:
		return afterFresh
	}
	return next
}

// same makes the attempt once more: with the slot that it kept while that has
// time left (T9), or a new one.
func (t *turn) same() {
	e := t.ending
	t.ending = ending{}
	if t.slotHeld {
		if t.now-t.slotAt < t.spec.Timings.StartTimeout.D {
			t.dial(t.attempt)
		} else {
			t.enqueue(t.attempt, t.reaping)
		}
		return
	}
	t.enqueue(t.attempt, t.reaping)
	ev := t.event(model.EvStopping)
	ev.Error = redact.Word("the server no longer knows our session")
	ev.Life = model.Some(model.Millis(e.life))
	ev.Text = redact.Sprintf("%s: a fresh one at once, same attempt", ev.Error)
	t.tell(ev)
}

// settleOff brings a server that has no live run to off. Its episode closes,
// but where it is rollcall itself that stops.
func (t *turn) settleOff() {
	was := t.phase
	t.releaseSlot()
	for which := range timerCount {
		t.disarm(which)
	}
	if len(t.survivors) == 0 { // an unreapable one stays halted
		t.handshake = nil
		if was != model.Off {
			t.enter(model.Off, t.now)
		}
		if was == model.Stopping || was != model.Off && !t.quits {
			t.tellOff()
		}
	}
	if !t.quits {
		t.withdraw()
	}
}

func (t *turn) tellOff() {
	ev := t.event(model.EvOff)
	ev.Text = t.offText()
	ev.By = t.hold.by
	t.tell(ev)
}

func (t *turn) offText() redact.Safe {
	switch {
	case t.quits:
		return redact.Word("off: rollcall is stopping")
	case t.hold.on && !t.hold.by.IsZero():
		return redact.Sprintf("off: disconnected by %s", t.hold.by)
	case t.hold.on:
		return redact.Word("off: disconnected")
	}
	return redact.Word("off: disabled in the configuration")
}

// halt is a permanent failure (H1): one report, no retry.
func (t *turn) halt() {
	e := t.ending
	t.ending = ending{}
	t.enter(model.Halted, t.now)
	t.disarm(silenceTimer)
	ev := t.event(model.EvHalted)
	ev.Attempt = model.Some(t.attempt)
	t.describe(&ev, e)
	ev.WillRetry = model.Some(false)
	ev.Text = redact.Sprintf("halted: %s", ev.Error)
	t.tellWithStderr(e.at, ev)
	t.openEpisode(e.at, true)
}

// unreapable: what is left of the launch cannot be ended. The one permanent
// report replaces the end's own; nothing else is launched (H2).
func (t *turn) unreapable(pids []int) {
	e := t.ending
	t.ending = ending{}
	next := t.after
	t.after = afterNothing
	t.survivors = slices.Clone(pids)
	t.enter(model.Halted, t.now)
	t.releaseSlot() // a second launch within the attempt will not come
	t.disarm(silenceTimer)
	if t.quits {
		return // the engine names the survivors (X2)
	}
	ev := t.event(model.EvHalted)
	ev.PID = pids[0]
	if e.counted {
		t.describe(&ev, e)
		ev.Attempt = model.Some(t.attempt)
		if e.lasted {
			ev.Attempt = model.Some(1)
		}
		ev.Error = redact.Sprintf("%s; %s", survivorsText(pids), ev.Error)
	} else {
		ev.Error = survivorsText(pids)
	}
	ev.WillRetry = model.Some(false)
	ev.Text = redact.Sprintf("halted: %s", ev.Error)
	t.tellWithStderr(t.now, ev)
	t.openEpisode(t.now, true)
	if next == afterLeave {
		t.after = afterLeave // the row stays until it is gone (S)
	}
	if t.reaping {
		o := *t.order
		t.order, t.reaping = nil, false
		t.answer(o, model.Declined, "", ev.Error)
		t.nextOrder()
	}
}

func survivorsText(pids []int) redact.Safe {
	list := make([]redact.Safe, len(pids))
	for i, p := range pids {
		list[i] = redact.Sprintf("%d", redact.Int(p))
	}
	return redact.Sprintf("still there after SIGKILL: process %s; nothing else is launched until it is gone", redact.Join(", ", list...))
}

// survivorsGone: what could not be reaped is gone after all (H2).
func (t *turn) survivorsGone() {
	if len(t.survivors) == 0 {
		return
	}
	t.survivors = nil
	switch {
	case t.after == afterLeave:
		t.leave()
	case t.hold.on || t.quits:
		t.applyChange()
		t.settleOff()
	case t.applyChange() && !t.spec.Enabled:
		t.disabled()
	default:
		t.note = redact.Word("gone: c connects")
	}
}
