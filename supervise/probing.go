package supervise

import (
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// rowOfThree is how many time-outs and errors in a row end a connection (P3).
const rowOfThree = 3

// firstProbe comes a whole interval after the handshake, spread by up to a
// tenth, so that a fleet that started together is not probed together (P5).
func (t *turn) firstProbe() {
	every := t.spec.Timings.ProbeInterval.D
	if every == model.Forever {
		return
	}
	late := time.Duration(float64(every) * t.spread / spread * 0.1 * draw(t.seed, t.run, -1))
	t.probe.due = later(later(t.born, every), late)
	t.arm(probeTimer, t.probe.due)
}

// nextProbe counts the interval from the end of the last probe (P5).
func (t *turn) nextProbe() {
	t.probe.due = later(t.now, t.spec.Timings.ProbeInterval.D)
	t.arm(probeTimer, t.probe.due)
}

func (t *turn) probeDue() {
	switch {
	case t.phase != model.Settling && t.phase != model.Up:
	case t.now < t.probe.due:
		t.arm(probeTimer, t.probe.due)
	default:
		t.do(probe{t.run, min(t.spec.Timings.ProbeTimeout.D, model.MaxTimer)})
	}
}

// probed judges a probe's outcome (P2, P3, H1, T5).
func (t *turn) probed(e probed) {
	if e.run != t.run || t.phase != model.Settling && t.phase != model.Up {
		return
	}
	p := e.result
	t.probe.seen, t.probe.at, t.probe.outcome = true, t.now, p.Outcome
	switch p.Outcome {
	case model.Alive:
		t.probe.timeouts = 0
		t.probe.latency = p.Elapsed
		t.nextProbe()
		t.tellProbe(p, redact.Safe{}) // the most frequent event: the engine words it
		return
	case model.TimedOut, model.ProbeError:
		if p.End.Cause.Permanent() {
			break
		}
		t.probe.timeouts++
		if t.probe.timeouts < rowOfThree {
			t.nextProbe()
			t.tellProbe(p, redact.Sprintf("%s, %d of %d in a row; the connection stays", probeText(p), redact.Int(t.probe.timeouts), redact.Int(rowOfThree)))
			return
		}
		p.End = model.End{Cause: model.ClosedByHost, RetryAfter: p.End.RetryAfter, // H1: not before what the answer says
			Text: redact.Sprintf("%s, %d of %d in a row", failedProbe(p), redact.Int(rowOfThree), redact.Int(rowOfThree))}
		t.endByProbe(p.End)
		t.tellProbe(p, redact.Sprintf("%s, %d of %d in a row: closing the connection", probeText(p), redact.Int(rowOfThree), redact.Int(rowOfThree)))
		return
	}
	t.endByProbe(p.End)
	t.tellProbe(p, redact.Sprintf("%s: closing the connection", probeText(p)))
}

// endByProbe ends the connection: a close by this host, counted at the
// verdict's instant (P3).
func (t *turn) endByProbe(end model.End) {
	t.end(end)
	t.do(hangUp{t.run})
}

func probeText(p model.Probed) redact.Safe {
	switch p.Outcome {
	case model.TimedOut:
		return redact.Sprintf("probe timed out after %s", fineSpan(p.Elapsed))
	case model.ProbeError:
		return redact.Sprintf("probe answered with an error after %s: %s", fineSpan(p.Elapsed), p.Text)
	case model.Missing:
		return redact.Sprintf("probe after %s: the server no longer knows our session", fineSpan(p.Elapsed))
	case model.Broken:
		return redact.Sprintf("probe broken after %s: %s", fineSpan(p.Elapsed), p.Text)
	}
	return redact.Word("probe alive")
}

// failedProbe is a probe without success, what was answered first: a row shows
// some forty cells of it.
func failedProbe(p model.Probed) redact.Safe {
	if p.Outcome == model.ProbeError {
		return redact.Sprintf("%s, in answer to a probe", p.Text)
	}
	return probeText(p)
}

// aliveText words a probe that was alive.
func aliveText(ev model.Event) redact.Safe {
	return redact.Sprintf("probe alive after %s", fineSpan(ev.Elapsed.V.D()))
}

// fineSpan is a latency: milliseconds with what is below one, or seconds.
func fineSpan(d time.Duration) redact.Safe {
	switch {
	case d < 10*time.Millisecond:
		return redact.Sprintf("%.1f ms", redact.Float(float64(d)/1e6))
	case d < 10*time.Second && d%time.Second != 0:
		return redact.Sprintf("%d ms", redact.Int(d.Milliseconds()))
	}
	return redact.Sprintf("%d s", model.Seconds(d))
}

func (t *turn) tellProbe(p model.Probed, text redact.Safe) {
	ev := t.event(model.EvProbe)
	ev.Outcome = redact.Name(p.Outcome.String())
	if p.Outcome == model.TimedOut {
		ev.Outcome = redact.Word("timed out")
	}
	ev.Elapsed = model.Some(model.Millis(p.Elapsed))
	ev.Timeouts = model.Some(t.probe.timeouts)
	ev.Error = p.Text
	ev.Text = text
	t.tell(ev)
}
