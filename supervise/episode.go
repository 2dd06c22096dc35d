package supervise

import (
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	downFrom      = 5                // the first attempt that raises down (A2)
	silenceLimit  = 15 * time.Minute // without a connection (A7)
	unsteadyCount = 5                // connections lost … (A7)
	unsteadySpan  = 24 * time.Hour   // … within this
)

// streak remembers what A7 counts: the last losses.
type streak struct {
	losses     [unsteadyCount]instant // a ring; the next is written at count % unsteadyCount
	count      int
	unsteadyAt instant
	unsteady   bool // raised, at unsteadyAt
}

// openEpisode opens the server's episode, if none is open. An alert that it
// halted, or was refused, is news to whoever had acknowledged what was before,
// but where an engine's start repeats it.
func (t *turn) openEpisode(at instant, permanent bool) {
	if !t.episode.open {
		t.episode = episode{open: true, since: at}
	}
	if !permanent {
		return
	}
	if !t.episode.repeats {
		t.episode.acked = acked{}
	}
	t.episode.permanent, t.episode.repeats = true, false
}

// acknowledge notes that an operator knows of the open episode (D3). It is no
// order in progress (O1), and touches neither phase nor note. Who came first
// stays.
func (t *turn) acknowledge(o model.Order) {
	switch ep := &t.episode; {
	case !ep.open:
		t.answer(o, model.Declined, "", redact.Word("no episode is open"))
	case !ep.acked.on:
		ep.acked = acked{on: true, by: o.By, since: t.now}
		t.answer(o, model.Done, "", redact.Safe{})
	case ep.acked.by.IsZero():
		t.answer(o, model.Done, "", redact.Word("it was acknowledged already"))
	default:
		t.answer(o, model.Done, "", redact.Sprintf("it was acknowledged already, by %s", ep.acked.by))
	}
}

// down raises the alert of A2 and A7.
func (t *turn) down(at instant, attempt int, err redact.Safe) {
	ev := t.event(model.EvDown)
	ev.Attempt = model.Some(attempt)
	ev.Protocol = model.Some(t.spec.Protocol)
	ev.Error = err
	ev.Text = model.DownText(t.spec.Protocol, attempt, err)
	t.tellWithStderr(at, ev)
	t.openEpisode(at, false)
}

// recover closes the episode, for a connection that has lasted (A3, L2).
func (t *turn) recover(at instant) {
	if !t.episode.open {
		return
	}
	since := t.episode.since
	t.episode = episode{}
	ev := t.event(model.EvRecovered)
	ev.Elapsed = model.Some(model.Millis(at - since))
	ev.Text = redact.Sprintf("recovered, after %d s", model.Seconds(at-since))
	t.tellAt(at, ev)
}

// withdraw closes the episode because nobody wants the server any more.
func (t *turn) withdraw() {
	if !t.episode.open {
		return
	}
	since := t.episode.since
	t.episode = episode{}
	ev := t.event(model.EvWithdrawn)
	ev.Elapsed = model.Some(model.Millis(t.now - since))
	ev.Text = redact.Word("withdrawn: nobody wants it connected")
	t.tell(ev)
}

// silentFrom starts the fifteen minutes of A7.
func (t *turn) silentFrom(at instant) {
	t.arm(silenceTimer, at+silenceLimit)
}

// silenceDue raises down where 15 minutes have passed without a connection and
// no attempt has raised it.
func (t *turn) silenceDue() {
	if !t.wanted() || t.episode.open {
		return
	}
	err := redact.Word("no connection for 15 minutes")
	if !t.lastError.IsZero() {
		err = redact.Sprintf("%s; the last failure: %s", err, t.lastError)
	}
	t.down(t.now, t.attempt, err)
}

// countLoss raises unsteady at the fifth loss within 24 hours, once in 24
// hours (A7); not where an operator's disconnect overtook the loss (L6).
func (t *turn) countLoss(at instant, alerts bool) {
	s := &t.streak
	s.losses[s.count%unsteadyCount] = at
	s.count++
	oldest := s.losses[s.count%unsteadyCount] // of five, once there are five
	if !alerts || s.count < unsteadyCount || at-oldest > unsteadySpan || s.unsteady && at-s.unsteadyAt < unsteadySpan {
		return
	}
	s.unsteady, s.unsteadyAt = true, at
	ev := t.event(model.EvUnsteady)
	ev.Text = redact.Sprintf("unsteady: %d connections lost within 24 h", redact.Int(unsteadyCount))
	t.tellAt(at, ev)
}
