package supervise

import (
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// event begins an event of the present run.
func (t *turn) event(k model.Kind) model.Event {
	return model.Event{Kind: k, Server: t.name, Run: t.run}
}

func (t *turn) tell(ev model.Event)                       { t.do(tell{t.now, ev, false}) }
func (t *turn) tellAt(at instant, ev model.Event)         { t.do(tell{at, ev, false}) }
func (t *turn) tellWithStderr(at instant, ev model.Event) { t.do(tell{at, ev, true}) }

func (t *turn) tellConnected() {
	h := t.handshake
	ev := t.event(model.EvConnected)
	ev.Attempt = model.Some(t.attempt)
	ev.PID = t.pid
	ev.Transport = model.Some(t.spec.Transport)
	ev.Protocol = model.Some(t.spec.Protocol)
	ev.Revision, ev.ServerInfo, ev.Tools = h.Revision, h.Server, t.tools
	ev.Elapsed = model.Some(model.Millis(t.born - t.dialled))
	tools := redact.Word("tools not listed")
	switch {
	case t.tools.Ok && t.tools.V == 1:
		tools = redact.Word("1 tool")
	case t.tools.Ok:
		tools = redact.Sprintf("%d tools", redact.Int(t.tools.V))
	}
	ev.Text = redact.Sprintf("connected, attempt %d: %s, revision %s, %s", redact.Int(t.attempt), h.Server, h.Revision, tools)
	t.tell(ev)
}

// describe puts the facts of an end into an event.
func (t *turn) describe(ev *model.Event, e ending) {
	ev.ExitCode, ev.Signal, ev.CloseCode, ev.OutOfMemory = e.end.ExitCode, e.end.Signal, e.end.CloseCode, e.end.OutOfMemory
	defer func() { t.lastError = ev.Error }()
	if !e.connected {
		ev.Error = e.end.Reason()
		return
	}
	ev.Life = model.Some(model.Millis(e.life))
	ev.Error = model.ClosedText(e.life, e.end)
	switch {
	case e.end.Cause.Permanent(): // what halts comes first (D1, D7)
		ev.Error = redact.Sprintf("%s; had been connected for %d s", e.end.Reason(), model.Seconds(e.life))
	case e.end.AsAsked():
		ev.Error = redact.Sprintf("%s; the server ended as asked", ev.Error)
	}
}

// tellEnding tells the end that was reaped, with what comes next (A1, A2, L5).
func (t *turn) tellEnding(next after) { t.tellEndingOf(t.attempt, next) }

func (t *turn) tellEndingOf(attempt int, next after) {
	e := t.ending
	t.ending = ending{}
	if !e.counted || e.same {
		return // no end of ours to tell: an order, or the attempt had not failed
	}
	retries := next == afterRetry || next == afterNow || next == afterFresh
	switch {
	case e.once && e.connected && e.end.AsAsked() || next == afterEnded:
		t.tellEnded(attempt, e, next)
	case e.lasted:
		t.tellLost(e, next, retries)
	default:
		t.tellFailed(attempt, e, next, retries)
	}
}

// tellFailed tells a failed attempt, and down from the fifth on. One that an
// operator's disconnect overtook raises no down (S).
func (t *turn) tellFailed(attempt int, e ending, next after, retries bool) {
	ev := t.event(model.EvAttemptFailed)
	ev.Attempt = model.Some(attempt)
	t.describe(&ev, e)
	ev.WillRetry = model.Some(retries)
	ev.Text = model.FailedText(attempt, ev.Error, retries)
	t.addRetry(&ev, e.wait, next)
	t.tellWithStderr(e.at, ev)
	if retries && attempt >= downFrom {
		t.down(e.at, attempt, ev.Error)
	}
}

// tellLost tells the end of a connection that had lasted: no failed attempt.
func (t *turn) tellLost(e ending, next after, retries bool) {
	ev := t.event(model.EvLost)
	t.describe(&ev, e)
	ev.WillRetry = model.Some(retries)
	ev.Text = redact.Sprintf("lost: %s", ev.Error)
	t.addRetry(&ev, e.wait, next)
	t.tellWithStderr(e.at, ev)
	t.countLoss(e.at, retries)
}

// addRetry says when the next attempt comes.
func (t *turn) addRetry(ev *model.Event, wait time.Duration, next after) {
	switch next {
	case afterRetry:
		ev.RetryIn = model.Some(model.Millis(wait))
		ev.Text = redact.Sprintf("%s; next try in %s", ev.Text, model.Span(wait))
	case afterNow, afterFresh:
		ev.Text = redact.Sprintf("%s; next try at once", ev.Text)
	}
}

// tellEnded tells the end of a server whose reconnect is off (H3): as asked,
// or a failure with its alert.
func (t *turn) tellEnded(attempt int, e ending, next after) {
	ev := t.event(model.EvEnded)
	ev.Attempt = model.Some(attempt)
	t.describe(&ev, e)
	ev.WillRetry = model.Some(next != afterEnded && next != afterOff)
	asAsked := e.connected && e.end.AsAsked()
	ev.Text = redact.Sprintf("ended: %s", ev.Error)
	t.tellWithStderr(e.at, ev)
	if !asAsked && next == afterEnded {
		t.down(e.at, attempt, ev.Error)
	}
}

// answer answers an order, once (O1).
func (t *turn) answer(o model.Order, r model.Result, field string, why redact.Safe) {
	ev := t.event(model.EvOrder)
	ev.Order, ev.OrderID, ev.By = model.Some(o.Verb), o.ID, o.By
	ev.Outcome = redact.Name(r.String())
	ev.Field = redact.Name(field)
	ev.Text = redact.Sprintf("%s %s: %s", o.Verb.Word(), redact.Name(t.name), ev.Outcome)
	if !why.IsZero() {
		ev.Error = why
		ev.Text = redact.Sprintf("%s: %s", ev.Text, why)
	}
	t.tell(ev)
}

func (t *turn) answerRefusal(o model.Order, r model.Refusal) {
	t.answer(o, model.Declined, r.Field, r.Text)
	last := t.out[len(t.out)-1].(tell)
	last.event.Elsewhere = r.Elsewhere
	t.out[len(t.out)-1] = last
}
