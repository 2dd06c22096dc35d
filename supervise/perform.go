package supervise

import (
	"context"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// unit is one server in the loop: its state, and what performs its effects.
type unit struct {
	name    string
	state   state
	tail    *Tail
	day     *day
	spends  spent // as told to day
	moments moments
	run     Run // of state.run; nil before the first
	timers  [timerCount]*time.Timer
	left    bool
	waits   wait // as counted in Engine.waits

	row           *model.Row // as published
	stale         bool       // in Engine.stale
	order         int        // in the configuration
	place         int        // in Engine.units and rows, but where these have moved
	lastFailure   redact.Safe
	lastFailureAt time.Time
}

// handle takes one event through the step, and performs what comes of it.
func (e *Engine) handle(u *unit, ev event) {
	if u.left {
		return
	}
	before := saved{u.state.hold, u.state.episode}
	u.state, e.effects = step(u.state, ev, e.effects[:0])
	if before != (saved{u.state.hold, u.state.episode}) {
		e.noteMoments(u)
		e.saver.dirty = true
	}
	if now := u.state.spends(); now != u.spends {
		u.spends = now
		u.day.turns(now, ev.when())
	}
	for i, f := range e.effects {
		e.effects[i] = nil
		e.perform(u, f)
	}
	e.markStale(u)
}

func (e *Engine) perform(u *unit, f effect) {
	switch f := f.(type) {
	case readEntry:
		e.readEntry(u, f)
	case wantSlot:
		e.wantSlot(u, f)
	case freeSlot:
		e.freeSlot(u, f.ticket)
	case dial:
		e.dial(u, f)
	case hangUp:
		u.run.Stop()
	case probe:
		e.probe(u, f)
	case startTimer:
		e.startTimer(u, timer(f))
	case stopTimer:
		if t := u.timers[f]; t != nil {
			t.Stop()
		}
	case tell:
		e.tell(u, f)
	case leave:
		e.removeUnit(u)
	}
}

// readEntry answers once: with what Read says, or with a refusal when it takes
// too long.
func (e *Engine) readEntry(u *unit, f readEntry) {
	answers := make(chan entryRead, 1)
	e.spawn(func() {
		spec, refusal := e.opts.Read(u.name)
		answers <- entryRead{id: f.id, spec: spec, refusal: refusal}
	})
	e.spawn(func() {
		limit := time.NewTimer(readLimit)
		defer limit.Stop()
		var answer entryRead
		select {
		case answer = <-answers:
		case <-limit.C:
			answer = entryRead{id: f.id, refusal: &model.Refusal{Elsewhere: true,
				Text: redact.Sprintf("reading the configuration took longer than %s", model.Span(readLimit))}}
		}
		answer.at = e.now()
		e.post(u, answer)
	})
}

func (e *Engine) wantSlot(u *unit, f wantSlot) {
	granted, ahead := e.slots.want(claim{u.name, f.ticket}, f.urgent)
	if granted {
		e.post(u, slotGranted{e.now(), f.ticket})
		return
	}
	e.post(u, slotAwaited{e.now(), f.ticket, ahead})
}

func (e *Engine) freeSlot(u *unit, ticket uint64) {
	next, ok := e.slots.release(claim{u.name, ticket})
	if !ok {
		return
	}
	if v := e.byName[next.server]; v != nil {
		e.post(v, slotGranted{e.now(), next.ticket})
	}
}

func (e *Engine) dial(u *unit, f dial) {
	run := f.run
	u.run = e.opts.Start(f.spec, model.Dial{
		Run: run, Timeout: f.timeout, Legacy: f.legacy,
		Report: func(ev model.RunEvent) {
			if closed, ok := ev.(model.Closed); ok && !closed.End.ExitCode.Ok && closed.End.Signal.IsZero() {
				u.tail.stops(run) // here, not in the loop: the stop of what lives waits for this call alone
			}
			e.post(u, reported{e.stampOf(ev), run, ev})
		},
		Line: func(at time.Time, kind model.LineKind, text redact.Safe) {
			u.tail.add(at, run, kind, text)
		},
	})
}

// stampOf is when the transport saw an event.
func (e *Engine) stampOf(ev model.RunEvent) instant {
	switch ev := ev.(type) {
	case model.Launched:
		return e.stamp(ev.At)
	case model.Handshaken:
		return e.stamp(ev.At)
	case model.Connected:
		return e.stamp(ev.At)
	case model.Closed:
		return e.stamp(ev.At)
	case model.Staged:
		return e.stamp(ev.At)
	case model.Reaped:
		return e.stamp(ev.At)
	case model.Gone:
		return e.stamp(ev.At)
	}
	return e.now()
}

func (e *Engine) probe(u *unit, f probe) {
	run := u.run
	e.spawn(func() {
		ctx, cancel := context.WithTimeout(context.Background(), f.window)
		defer cancel()
		result := run.Probe(ctx)
		e.post(u, probed{e.now(), f.run, result})
	})
}

func (e *Engine) startTimer(u *unit, which timer) {
	if t := u.timers[which]; t != nil {
		t.Stop()
	}
	set := u.state.timers[which]
	due := set.due
	if which == probeTimer {
		due = together(due, u.state.spec.Timings.ProbeInterval.D)
	}
	wait := min(max(due-e.now(), 0), model.MaxTimer)
	u.timers[which] = e.afterFunc(wait, func() {
		e.post(u, timerFired{e.now(), which, set.token})
	})
}

// together puts off a probe that is due until others are: to the next full
// quarter of a second, or less where the interval is less than a minute.
// Servers that are probed one by one wake rollcall, and redraw the screen, once
// each; that was a quarter of what two hundred of them cost when idle. More at
// once would be seen in each other's latency.
func together(due, interval time.Duration) time.Duration {
	grid := min(interval/240, time.Second/4)
	if grid <= 0 || due >= model.Forever-grid {
		return due
	}
	return (due + grid - 1) / grid * grid
}

// tell gives an event its number, its time and the last lines, keeps it, and
// hands it to everyone who listens.
func (e *Engine) tell(u *unit, f tell) {
	ev := f.event
	ev.At = e.wall(f.at)
	if ev.Kind == model.EvProbe && ev.Text.IsZero() {
		ev.Text = aliveText(ev)
	}
	if f.stderr {
		ev.Stderr = u.tail.lastStderr(ev.Run, lastLines)
	}
	if ev.Kind == model.EvEnded { // as asked, it is no problem any more
		u.lastFailure, u.lastFailureAt = redact.Safe{}, time.Time{}
	}
	if brief, ok := ev.Brief(); ok {
		u.lastFailure, u.lastFailureAt = brief, ev.At
		if ev.Kind == model.EvLost || ev.Attempt.Ok {
			u.day.failed(f.at)
		}
	}
	if ev.Kind == model.EvProbe {
		u.day.probed(u.state.probe.outcome, ev.Elapsed.V.D(), f.at)
	}
	if ev.Kind != model.EvProbe || u.state.probe.outcome != model.Alive {
		kind := model.LineEvent
		if ev.Kind.Failure() {
			kind = model.LineFailure
		}
		u.tail.add(ev.At, ev.Run, kind, ev.Text)
	}
	e.spread(ev)
}

func (e *Engine) spread(ev model.Event) {
	ev = e.history.add(ev)
	for _, l := range e.listeners {
		l.put(ev)
	}
}

func (e *Engine) listenerFailed(p any) {
	e.call(func() {
		e.tellConfig(redact.Sprintf("a listener of events failed: %s", (*redact.Redactor)(nil).Text(toText(p))))
	})
}

// tellConfig tells an event that belongs to no server.
func (e *Engine) tellConfig(text redact.Safe) {
	e.spread(model.Event{At: e.wall(e.now()), Kind: model.EvConfig, Text: text})
}

func (e *Engine) tellUnknown(o model.Order) {
	why := redact.Sprintf("no server is named %s", redact.Name(o.Server))
	e.spread(model.Event{At: e.wall(e.now()), Kind: model.EvOrder, Server: o.Server,
		Order: model.Some(o.Verb), OrderID: o.ID, By: o.By, Outcome: redact.Word("refused"), Error: why,
		Text: redact.Sprintf("%s %s: refused: %s", o.Verb.Word(), redact.Name(o.Server), why)})
}
