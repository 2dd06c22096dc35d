package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestScenarios plays testdata/scenarios, one file a rule: an event a line, the
// trace of the step below it. Regenerate with -rewrite and review by eye.
//
// Each line is `TIME EVENT…`. Before it, every timer that is due fires, and a
// start slot is granted as soon as it is asked for (but with `slots=manual`).
// `TIME! EVENT…` comes before the timers that are due at the same instant. What
// is played from `hide` to `show` leads up to the case and is not traced.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "play" {
				t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			}
			p := &player{t: t}
			for line := range strings.Lines(d.Input) {
				if line = strings.TrimSpace(line); line != "" {
					p.line(line)
				}
			}
			return p.trace.String()
		})
	})
}

// player plays one scenario.
type player struct {
	t      *testing.T
	s      state
	now    instant
	manual bool // slots are granted by the script
	due    [timerCount]instant
	hidden bool
	trace  strings.Builder
	prompt []event // what the engine answers at once
}

func (p *player) line(line string) {
	words := strings.Fields(line)
	switch words[0] {
	case "server":
		p.newServer(words[1:])
		return
	case "hide", "show":
		p.hidden = words[0] == "hide"
		if p.hidden {
			fmt.Fprintln(&p.trace, "…")
		}
		return
	}
	stamp, first := strings.CutSuffix(words[0], "!")
	at, err := time.ParseDuration(stamp)
	if err != nil {
		p.t.Fatalf("%q: %v", line, err)
	}
	if first {
		p.advance(at - 1)
	} else {
		p.advance(at)
	}
	p.now = at
	p.print("%s\n", line)
	for _, e := range p.parse(words[1], words[2:]) {
		p.play(e)
	}
}

func (p *player) print(format string, args ...any) {
	if !p.hidden {
		fmt.Fprintf(&p.trace, format, args...)
	}
}

// advance fires what is due up to an instant, in order.
func (p *player) advance(to instant) {
	for {
		next, which := to+1, timerCount
		for k := range timerCount {
			if p.s.timers[k].token != 0 && p.due[k] < next {
				next, which = p.due[k], k
			}
		}
		if which == timerCount {
			return
		}
		p.now = next
		p.print("%s timer %s\n", next, which)
		p.play(timerFired{next, which, p.s.timers[which].token})
	}
}

func (p *player) play(e event) {
	p.prompt = append(p.prompt, e)
	for len(p.prompt) > 0 {
		e, p.prompt = p.prompt[0], p.prompt[1:]
		before := p.s
		var out []effect
		p.s, out = step(p.s, e, nil)
		if p.s.phase != before.phase || p.s.attempt != before.attempt {
			p.print("  → %s, attempt %d\n", p.s.phase, p.s.attempt)
		}
		for _, f := range out {
			p.perform(f)
		}
		if note := noteOf(&p.s); note != noteOf(&before) {
			p.say("note %q", note)
		}
		if a := p.s.episode.acked; a != before.episode.acked {
			p.say("acknowledged: %t%s", a.on, flag(a.on, fmt.Sprintf(", by %s, at %s", a.by, a.since)))
		}
		switch stage := p.s.stage; {
		case stage == before.stage:
		case stage.Ok:
			p.say("stage %q at %s", stage.V, p.s.stageAt)
		default:
			p.say("no stage")
		}
	}
}

func (p *player) perform(f effect) {
	switch f := f.(type) {
	case wantSlot:
		if p.manual {
			p.say("want slot %d%s", f.ticket, flag(f.urgent, " urgent"))
			return
		}
		p.prompt = append(p.prompt, slotGranted{p.now, f.ticket})
	case freeSlot:
		if p.manual {
			p.say("free slot %d", f.ticket)
		}
	case dial:
		p.say("dial run %d, attempt %d, within %s%s", f.run, f.attempt, f.timeout, flag(f.legacy, ", legacy"))
	case hangUp:
		p.say("hang up run %d", f.run)
	case probe:
		p.say("probe run %d, window %s", f.run, f.window)
	case startTimer:
		due := p.s.timers[f].due
		p.due[f] = due
		p.say("timer %s at %s, in %s", timer(f), due, due-p.now)
	case stopTimer:
		p.say("stop timer %s", timer(f))
	case readEntry:
		p.say("read entry for %s", f.id)
	case tell:
		p.say("%s", eventText(f, p.now))
	case leave:
		p.say("leave")
	}
}

func (p *player) say(format string, args ...any) {
	p.print("    "+format+"\n", args...)
}

func eventText(f tell, now instant) string {
	ev := f.event
	var b strings.Builder
	fmt.Fprintf(&b, "tell %s", ev.Kind)
	if f.at != now {
		fmt.Fprintf(&b, " @%s", f.at)
	}
	if ev.Attempt.Ok {
		fmt.Fprintf(&b, " attempt=%d", ev.Attempt.V)
	}
	if ev.WillRetry.Ok {
		fmt.Fprintf(&b, " will_retry=%t", ev.WillRetry.V)
	}
	if ev.RetryIn.Ok {
		fmt.Fprintf(&b, " retry_in=%s", time.Duration(ev.RetryIn.V))
	}
	if ev.Life.Ok {
		fmt.Fprintf(&b, " life=%s", time.Duration(ev.Life.V))
	}
	if ev.Elapsed.Ok {
		fmt.Fprintf(&b, " elapsed=%s", time.Duration(ev.Elapsed.V))
	}
	if ev.Timeouts.Ok {
		fmt.Fprintf(&b, " outcome=%q timeouts=%d", ev.Outcome, ev.Timeouts.V)
	}
	if ev.OrderID != "" {
		fmt.Fprintf(&b, " id=%s", ev.OrderID)
	}
	if !ev.Field.IsZero() {
		fmt.Fprintf(&b, " field=%s", ev.Field)
	}
	if ev.Elsewhere {
		b.WriteString(" in_force_offered")
	}
	fmt.Fprintf(&b, " %q", ev.Text)
	return b.String()
}

func flag(on bool, s string) string {
	if on {
		return s
	}
	return ""
}
