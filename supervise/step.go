package supervise

import (
	"rollcall/model"
	"rollcall/redact"
)

// step is the only place where a server's phase changes. It is pure: no I/O,
// no clock, no goroutine, no randomness. The effects are appended to out, to
// be performed in order. An event that bears an old run, ticket or token is
// dropped.
func step(s state, e event, out []effect) (state, []effect) {
	t := turn{state: s, now: e.when(), out: out}
	switch e := e.(type) {
	case ordered:
		t.ordered(e.order)
	case entryRead:
		t.entryRead(e)
	case slotGranted:
		t.slotGranted(e)
	case slotAwaited:
		t.slotAwaited(e)
	case reported:
		t.reported(e)
	case probed:
		t.probed(e)
	case timerFired:
		t.timerFired(e)
	case configured:
		t.configured(e)
	case restored:
		t.restored(e)
	case shutdown:
		t.shutdown()
	}
	return t.state, t.out
}

// turn is one step under way: the state that becomes the next one, the instant
// of the event, and the effects so far.
type turn struct {
	state
	now instant
	out []effect
}

func (t *turn) do(e effect) { t.out = append(t.out, e) }

// enter changes the phase, as of an instant.
func (t *turn) enter(p model.Phase, at instant) {
	t.phase = p
	t.since = at
}

// arm sets a timer. One that is further off than any timer may be set for
// fires early; whoever it fires for arms it again (B3).
func (t *turn) arm(which timer, due instant) {
	t.tokens++
	t.timers[which] = armed{t.tokens, min(due, t.now+model.MaxTimer)}
	t.do(startTimer(which))
}

func (t *turn) disarm(which timer) {
	if t.timers[which].token != 0 {
		t.timers[which].token = 0
		t.do(stopTimer(which))
	}
}

// enqueue asks for a start slot for an attempt (T9).
func (t *turn) enqueue(attempt int, urgent bool) {
	t.releaseSlot()
	t.disarm(retryTimer)
	t.enter(model.Queued, t.now)
	t.upcoming = attempt
	t.ticket++
	t.slotHeld = true
	t.do(wantSlot{t.ticket, urgent})
}

// fresh starts the count afresh and asks for attempt 0 (O3, O4).
func (t *turn) fresh(urgent bool) {
	t.attempt = 0
	t.credit = true
	t.relaunched = false
	t.survivors = nil
	t.silentFrom(t.now)
	t.enqueue(0, urgent)
}

func (t *turn) releaseSlot() {
	if t.slotHeld {
		t.slotHeld = false
		t.do(freeSlot{t.ticket})
	}
}

func (t *turn) slotGranted(e slotGranted) {
	if e.ticket != t.ticket || t.phase != model.Queued {
		t.do(freeSlot{e.ticket}) // it came too late
		return
	}
	t.slotAt = t.now
	t.dial(t.upcoming)
}

func (t *turn) slotAwaited(e slotAwaited) {
	if e.ticket != t.ticket || t.phase != model.Queued {
		return
	}
	ev := t.event(model.EvQueued)
	ev.Attempt = model.Some(t.upcoming)
	ev.Text = redact.Sprintf("queued for attempt %d: no start slot is free, %d ahead of it", redact.Int(t.upcoming), redact.Int(e.ahead))
	t.tell(ev)
}

// dial begins a run. What is left of start_timeout is what the slot's time
// leaves: a second launch within an attempt gets no new one (T6, T9).
func (t *turn) dial(attempt int) {
	t.run++
	t.starts++
	t.attempt = attempt
	t.dialled = t.now
	t.stage = model.Opt[model.StopStage]{}
	t.enter(model.Starting, t.now)
	timeout := min(t.spec.Timings.StartTimeout.D, model.MaxTimer)
	t.do(dial{t.run, attempt, t.spec, timeout - (t.now - t.slotAt), t.legacy})
	ev := t.event(model.EvStarting)
	ev.Attempt = model.Some(attempt)
	ev.Transport = model.Some(t.spec.Transport)
	ev.Protocol = model.Some(t.spec.Protocol)
	ev.Text = redact.Sprintf("starting, attempt %d", redact.Int(attempt))
	t.tell(ev)
}

func (t *turn) reported(e reported) {
	if e.run != t.run {
		return
	}
	switch ev := e.event.(type) {
	case model.Launched:
		t.pid = ev.PID
	case model.Handshaken:
		t.handshaken(ev)
	case model.Connected:
		t.connected(ev)
	case model.Closed:
		t.closed(ev.End)
	case model.Staged:
		t.staged(ev.Stage)
	case model.Reaped:
		t.reaped(ev.Survivors)
	case model.Gone:
		t.survivorsGone()
	}
}

// handshaken: life starts (L, "handshake").
func (t *turn) handshaken(e model.Handshaken) {
	if t.phase != model.Starting || t.alive {
		return
	}
	t.alive, t.born, t.lasted = true, t.now, false
	t.handshake = &e.Handshake
	t.tools = model.Opt[int]{}
	t.probe = probeState{}
	t.legacy = e.Handshake.Legacy
	t.proven = e.Handshake.Legacy
	t.relaunched = false
	t.episode.repeats = false // what comes after is news
	t.disarm(silenceTimer)
	t.arm(lastingTimer, t.threshold())
}

// connected: the exchange after the handshake is over (A3). The slot is free.
func (t *turn) connected(e model.Connected) {
	if !t.alive {
		return // stopping: it was hung up already
	}
	t.releaseSlot()
	if t.phase == model.Starting {
		t.enter(model.Settling, t.now)
	}
	t.tools = e.Tools
	t.firstProbe()
	t.tellConnected()
}

// outlive turns a connection that has reached the threshold `up`, as of the
// very instant at which it did (L2, L8).
func (t *turn) outlive() {
	if !t.alive || t.lasted || t.now < t.threshold() {
		return
	}
	at := t.threshold()
	t.lasted = true
	t.attempt = 0
	t.credit = true
	t.disarm(lastingTimer)
	t.releaseSlot()
	t.enter(model.Up, at)
	ev := t.event(model.EvLasted)
	ev.Life = model.Some(model.Millis(at - t.born))
	ev.Text = redact.Sprintf("up: connected for %d s", model.Seconds(at-t.born))
	t.tellAt(at, ev)
	t.recover(at)
}

func (t *turn) timerFired(e timerFired) {
	if e.token == 0 || t.timers[e.timer].token != e.token {
		return
	}
	t.timers[e.timer].token = 0
	switch e.timer {
	case retryTimer:
		if t.phase == model.Waiting {
			t.retry()
		}
	case lastingTimer:
		if t.outlive(); t.alive && !t.lasted {
			t.arm(lastingTimer, t.threshold())
		}
	case probeTimer:
		t.probeDue()
	case silenceTimer:
		t.silenceDue()
	}
}

// retry goes for the next attempt if its time has come, and waits if not.
func (t *turn) retry() {
	if t.now >= t.due {
		t.enqueue(t.attempt+1, false)
		return
	}
	t.arm(retryTimer, t.due)
}

// shutdown: rollcall stops. Nothing is told of the ends that this causes (L6).
func (t *turn) shutdown() {
	if t.quits {
		return
	}
	t.quits = true
	switch t.phase {
	case model.Starting, model.Settling, model.Up:
		t.hangUp(afterOff, redact.Word("rollcall is stopping"))
	case model.Stopping:
		t.disarm(silenceTimer)
		t.after = afterOff
	default:
		t.settleOff()
	}
	t.dropOrders(redact.Word("rollcall is stopping"))
}

// hangUp closes the present run for a reason that is no failure.
func (t *turn) hangUp(next after, why redact.Safe) {
	t.outlive()
	t.endRun(false)
	t.after = next
	t.ending = ending{}
	t.enter(model.Stopping, t.now)
	t.do(hangUp{t.run})
	ev := t.event(model.EvStopping)
	ev.PID = t.pid
	ev.Text = redact.Sprintf("stopping: %s", why)
	t.tell(ev)
}

// endRun forgets what belongs to a live run. The slot is kept where a second
// launch goes on with it (T6).
func (t *turn) endRun(keepSlot bool) {
	t.alive = false
	if !keepSlot {
		t.releaseSlot()
	}
	t.disarm(lastingTimer)
	t.disarm(probeTimer)
}
