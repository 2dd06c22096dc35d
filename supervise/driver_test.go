package supervise

import (
	"slices"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// driver drives one pure state: it keeps what the step asks for until settle
// answers it.
type driver struct {
	t     *testing.T
	s     state
	now   instant
	asked []effect // wantSlot, readEntry, hangUp: not answered yet
	dials int
	told  []model.Event
	armed [timerCount]bool
	ended bool // the run's Closed came
}

func newDriver(t *testing.T, entry model.Entry) *driver {
	d := &driver{t: t, s: newState("s", 1)}
	d.s.spread = 0
	d.do(configured{at: 0, entry: &entry})
	return d
}

func (d *driver) do(e event) {
	if e, ok := e.(timerFired); ok {
		d.armed[e.timer] = false
	}
	var out []effect
	d.s, out = step(d.s, e, nil)
	checkScheduledBeforeTold(d.t, out)
	for _, f := range out {
		switch f := f.(type) {
		case wantSlot, readEntry, hangUp:
			d.asked = append(d.asked, f)
		case dial:
			d.dials++
			d.ended = false
		case startTimer:
			d.armed[f] = true
		case stopTimer:
			d.armed[f] = false
		case tell:
			d.told = append(d.told, f.event)
		}
	}
}

// checkScheduledBeforeTold holds L5: in one step, no failure is told before the
// next attempt is scheduled. What an answered order gives way to is apart.
func checkScheduledBeforeTold(t *testing.T, out []effect) {
	var failure *model.Event
	for _, f := range out {
		switch f := f.(type) {
		case tell:
			switch {
			case f.event.Kind == model.EvOrder:
				failure = nil
			case f.event.WillRetry.V || f.event.Kind == model.EvDown:
				failure = &f.event
			}
		case wantSlot, dial:
			if failure != nil {
				t.Errorf("L5: %s was told before the next attempt was scheduled", failure.Kind)
			}
		case startTimer:
			if failure != nil && timer(f) == retryTimer {
				t.Errorf("L5: %s was told before its retry was armed", failure.Kind)
			}
		}
	}
}

func (d *driver) report(e model.RunEvent) { d.do(reported{d.now, d.s.run, e}) }

// read answers the reads of the entry, and nothing else.
func (d *driver) read() {
	for i := 0; i < len(d.asked); i++ {
		if f, ok := d.asked[i].(readEntry); ok {
			d.asked = slices.Delete(d.asked, i, i+1)
			d.do(entryRead{at: d.now, id: f.id, spec: spec("s")})
			i = -1
		}
	}
}

// settle answers everything that is asked for: slots are granted, entries read,
// runs reaped. No timer fires.
func (d *driver) settle() {
	for range 100 {
		if d.s.phase == model.Stopping && !slices.ContainsFunc(d.asked, func(f effect) bool { _, ok := f.(hangUp); return ok }) {
			d.report(model.Reaped{}) // the end came by itself
		}
		if len(d.asked) == 0 {
			return
		}
		f := d.asked[0]
		d.asked = d.asked[1:]
		switch f := f.(type) {
		case wantSlot:
			d.do(slotGranted{d.now, f.ticket})
		case readEntry:
			d.do(entryRead{at: d.now, id: f.id, spec: spec("s")})
		case hangUp:
			d.do(reported{d.now, f.run, model.Closed{End: exit(143)}})
			d.do(reported{d.now, f.run, model.Reaped{}})
		}
	}
	d.t.Fatalf("it does not settle: %s, asked %v", d.s.phase, d.asked)
}

func (d *driver) order(id string, v model.Verb) {
	d.do(ordered{d.now, model.Order{ID: id, Verb: v, Server: "s", By: redact.Word("anna")}})
}

// answers are the outcomes of an order's answers.
func (d *driver) answers(id string) []string {
	var out []string
	for _, ev := range d.told {
		if ev.Kind == model.EvOrder && ev.OrderID == id {
			out = append(out, ev.Outcome.String())
		}
	}
	return out
}

// fail lets the attempt in flight fail, and goes on to the next one's slot.
func (d *driver) fail() {
	d.report(model.Closed{End: exit(1)})
	d.report(model.Reaped{})
	d.now = d.s.due
	d.do(timerFired{d.now, retryTimer, d.s.timers[retryTimer].token})
}

func (d *driver) grant() {
	d.do(slotGranted{d.now, d.s.ticket})
	d.report(model.Launched{PID: 4711})
}

// into brings a new server into a phase, wherever it counts with attempt 2 as
// the one made last. What led there is forgotten.
func into(t *testing.T, p model.Phase) *driver {
	entry := model.Entry{Name: "s", Spec: spec("s")}
	switch p {
	case model.Off:
		entry.Spec.Enabled = false
	case model.Ended:
		entry.Spec.Reconnect = false
	case model.Refused:
		entry = model.Entry{Name: "s", Problems: []model.Problem{{Server: "s", Field: "url", Text: redact.Word("s.url: bad")}}}
	}
	d := newDriver(t, entry)
	if p != model.Off && p != model.Refused {
		d.grant()
	}
	if p == model.Ended {
		d.report(model.Closed{End: exit(1)})
		d.report(model.Reaped{})
	}
	if entry.Spec != nil && entry.Spec.Enabled && entry.Spec.Reconnect {
		d.fail()
		d.grant()
		d.fail()
		if p != model.Queued {
			d.grant()
			d.attemptInto(p)
		}
	}
	if d.s.phase != p {
		t.Fatalf("the way to %s led to %s", p, d.s.phase)
	}
	if p != model.Queued {
		d.asked = nil
	} else {
		d.asked = d.asked[len(d.asked)-1:]
	}
	d.dials, d.told = 0, nil
	return d
}

// attemptInto brings attempt 2, in flight, into a phase.
func (d *driver) attemptInto(p model.Phase) {
	switch p {
	case model.Settling, model.Up:
		d.report(model.Handshaken{})
		d.report(model.Connected{})
		if p == model.Up {
			d.now += 300 * time.Second
			d.do(timerFired{d.now, lastingTimer, d.s.timers[lastingTimer].token})
		}
	case model.Stopping, model.Waiting:
		d.report(model.Closed{End: exit(1)})
		if p == model.Waiting {
			d.report(model.Reaped{})
		}
	case model.Halted:
		d.report(model.Closed{End: model.End{Cause: model.CommandMissing, Text: redact.Word("npx not found")}})
		d.report(model.Reaped{})
	}
}
