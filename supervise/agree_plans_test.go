package supervise

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// What the world around the server does next.

// planRun is one run's life as the transport reports it.
func (w *world) planRun(f dial) {
	late := pick(w, 0, 0, 0, 0, time.Millisecond, 2*time.Second) // from the stamp to the loop
	report := func(in time.Duration, ev model.RunEvent) {
		w.plan(in+late, f.run, func(at instant) event { return reported{at - late, f.run, ev} })
	}
	d := pick(w, 0, time.Millisecond, 300*time.Millisecond, 10*time.Second)
	if w.choose(2) == 0 {
		report(d, model.Launched{PID: 100})
	}
	end := w.end()
	kind := w.choose(12)
	switch kind {
	case 0, 1, 2: // no handshake
	case 3:
		end = model.End{Cause: pick(w, model.CommandMissing, model.NoCommonRevision, model.NeedsCredentials, model.PolicyRefused)}
	case 4:
		d, end = f.timeout, model.End{Cause: model.StartTimedOut}
	case 5:
		if !f.legacy {
			end = model.End{Cause: model.DiscoveryRefused, ExitCode: model.Some(1)}
		}
	default:
		report(d, model.Handshaken{Handshake: model.Handshake{Legacy: f.legacy || w.choose(6) == 1}})
		settle := pick(w, 0, 0, time.Millisecond, 15*time.Second)
		if kind > 6 { // 6 ends during the policy exchange (M3)
			report(d+settle, model.Connected{})
		}
		d += w.life(settle, f.spec.Timings.Lasting())
		if kind == 6 {
			d = min(d, 15*time.Second)
		}
		if kind > 10 {
			return // lives until someone ends it
		}
	}
	report(d, model.Closed{End: end})
	w.planReap(d+late, f.run)
}

func (w *world) life(settle, lasting time.Duration) time.Duration {
	return max(settle, pick(w, 0, 300*time.Millisecond, 10*time.Second, 2*time.Minute,
		lasting-time.Millisecond, lasting, lasting, lasting+time.Millisecond, time.Hour, 30*time.Hour))
}

func (w *world) planReap(in time.Duration, run uint64) {
	takes := pick(w, 0, 0, 250*time.Millisecond, 5*time.Second, 62*time.Second)
	if takes > 0 && w.choose(8) == 1 { // an order comes while it is reaped
		w.plan(in+takes/2, 0, w.order)
	}
	if takes > time.Second {
		w.plan(in+takes/2, run, func(at instant) event { return reported{at, run, model.Staged{Stage: model.TermSent}} })
	}
	in += takes
	var survivors []int
	if w.choose(12) == 1 {
		survivors = []int{100}
		if w.choose(3) > 0 {
			w.plan(in+pick(w, time.Second, time.Hour), run, func(at instant) event { return reported{at, run, model.Gone{}} })
		}
	}
	w.plan(in, run, func(at instant) event { return reported{at, run, model.Reaped{Survivors: survivors}} })
}

// planHangUp: the run ends as it is told to; what was on its way may come yet.
func (w *world) planHangUp(run uint64) {
	reaped := false
	w.plans = slices.DeleteFunc(w.plans, func(p plan) bool {
		if p.run != run {
			return false
		}
		ev, ok := p.event(p.at).(reported)
		if !ok {
			return false
		}
		switch ev.event.(type) {
		case model.Handshaken, model.Connected:
			return p.at > w.now
		case model.Closed:
			reaped = reaped || p.at <= w.now
			return p.at > w.now
		}
		return p.at > w.now && !reaped
	})
	if reaped {
		return
	}
	in := pick(w, 0, 10*time.Millisecond, 4*time.Second)
	w.plan(in, run, func(at instant) event {
		return reported{at, run, model.Closed{End: model.End{Cause: model.Exited, ExitCode: model.Some(143)}}}
	})
	w.planReap(in, run)
}

func (w *world) planProbe(run uint64) {
	r := model.Probed{Outcome: pick(w, model.Alive, model.Alive, model.TimedOut, model.TimedOut, model.ProbeError, model.Missing, model.Broken)}
	switch r.Outcome {
	case model.Missing:
		r.End = model.End{Cause: model.SessionMissing}
	case model.Broken:
		r.End = model.End{Cause: model.TransportBroken}
	case model.ProbeError:
		switch w.choose(4) {
		case 1:
			r.End = model.End{Cause: model.NeedsCredentials}
		case 2:
			r.End = model.End{Cause: model.HTTPStatus, RetryAfter: 10 * time.Minute}
		}
	}
	w.plan(pick(w, 0, 5*time.Millisecond, 8*time.Second), 0, func(at instant) event { return probed{at, run, r} })
}

func (w *world) planRead(id string) {
	refused, other := w.choose(5) == 1, w.choose(4) == 1
	w.plan(pick(w, 0, 0, time.Millisecond, 10*time.Second), 0, func(at instant) event {
		if other {
			w.file = w.entry()
		}
		if refused || w.file == nil || w.file.Spec == nil {
			return entryRead{at: at, id: id, refusal: &model.Refusal{Field: "command"}}
		}
		return entryRead{at: at, id: id, spec: w.file.Spec}
	})
}

// planOperator plans what an operator or the configuration does next.
func (w *world) planOperator() {
	in := pick(w, 0, time.Millisecond, time.Second, 5*time.Second, time.Minute, 5*time.Minute, time.Hour, 26*time.Hour)
	w.plan(in, 0, func(at instant) event {
		w.planOperator()
		switch k := w.choose(40); {
		case k < 16:
			return w.order(at)
		case k < 22:
			w.file = w.entry()
			return configured{at, w.file, w.choose(2) == 1, false}
		case k == 22:
			w.file = nil
			return configured{at, nil, w.choose(2) == 1, false}
		case k == 23:
			return shutdown{at}
		case k == 24:
			return slotGranted{at, w.s.ticket - 1}
		case k == 25:
			return reported{at, w.s.run - 1, model.Closed{End: exit(1)}}
		case k == 26:
			return probed{at, w.s.run - 1, model.Probed{Outcome: model.Broken}}
		case k == 27:
			return timerFired{at, timer(w.choose(int(timerCount))), 0}
		}
		return slotAwaited{at, 0, 0} // nothing
	})
}

// order is one of an operator's.
func (w *world) order(at instant) event {
	w.ids++
	return ordered{at, model.Order{ID: fmt.Sprint("o", w.ids), Server: "s", By: redact.Word("anna"),
		Verb: pick(w, model.Connect, model.Disconnect, model.Restart, model.Acknowledge), Bulk: w.choose(4) == 1, InForce: w.choose(4) == 1}}
}

// end is how a run ends by itself.
func (w *world) end() model.End {
	return pick(w,
		exit(1), exit(0), exit(143),
		model.End{Cause: model.Signalled, Signal: redact.Word("killed")},
		model.End{Cause: model.Signalled, Signal: redact.Word("terminated")},
		model.End{Cause: model.ClosedByPeer, CloseCode: model.Some(1011)},
		model.End{Cause: model.ClosedByPeer, CloseCode: model.Some(1000)},
		model.End{Cause: model.SessionMissing},
		model.End{Cause: model.SessionMissing},
		model.End{Cause: model.HTTPStatus, RetryAfter: 20 * time.Second},
		model.End{Cause: model.HTTPStatus, RetryAfter: 60 * 24 * time.Hour},
		model.End{Cause: model.TransportBroken},
		model.End{Cause: model.NeedsCredentials})
}

// entry is one that the configuration may hold.
func (w *world) entry() *model.Entry {
	if w.choose(10) == 1 {
		return &model.Entry{Name: "s", Problems: []model.Problem{{Server: "s", Field: "command", Text: redact.Word("bad")}}}
	}
	s := &model.Spec{Name: "s", Enabled: w.choose(8) != 1, Reconnect: w.choose(5) != 1, Timings: model.DefaultTimings(), Shown: &model.Shown{}}
	ts := &s.Timings
	if w.choose(2) == 1 {
		ts.ReconnectInterval.D = pick(w, 500*time.Microsecond, time.Second, 10*time.Second, model.Forever)
		ts.ReconnectMaxInterval.D = pick(w, 300*time.Second, 2*time.Second, time.Hour, model.Forever)
	}
	ts.LastingAfter.D = pick(w, 0, 0, 0, 0, 10*time.Second, 90*24*time.Hour)
	ts.ProbeInterval.D = pick(w, time.Minute, time.Minute, 15*time.Minute, 40*24*time.Hour, model.Forever)
	_, runs, _ := strings.Cut(specText(s), " ") // all but whether it is enabled
	s.Fingerprint = sha256.Sum256([]byte(runs))
	return &model.Entry{Name: "s", Spec: s}
}
