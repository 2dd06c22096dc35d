package supervise

import (
	"fmt"
	"testing"

	"rollcall/model"
)

func TestS_EachOrderInEachPhase(t *testing.T) {
	const done, refused = "done", "refused"
	for _, c := range []struct {
		from    model.Phase
		order   model.Verb
		atOnce  model.Phase // once its entry was read
		settled model.Phase // once slots were granted and runs reaped
		attempt int         // then
		answer  string
		dials   int
	}{
		{model.Off, model.Connect, model.Queued, model.Starting, 0, done, 1},
		{model.Queued, model.Connect, model.Queued, model.Starting, 2, refused, 1},
		{model.Starting, model.Connect, model.Starting, model.Starting, 2, refused, 0},
		{model.Settling, model.Connect, model.Settling, model.Settling, 2, refused, 0},
		{model.Up, model.Connect, model.Up, model.Up, 0, refused, 0},
		{model.Waiting, model.Connect, model.Queued, model.Starting, 3, done, 1},
		{model.Stopping, model.Connect, model.Stopping, model.Starting, 3, done, 1},
		{model.Ended, model.Connect, model.Queued, model.Starting, 0, done, 1},
		{model.Halted, model.Connect, model.Queued, model.Starting, 0, done, 1},
		{model.Refused, model.Connect, model.Queued, model.Starting, 0, done, 1},

		{model.Off, model.Restart, model.Queued, model.Starting, 0, done, 1},
		{model.Queued, model.Restart, model.Queued, model.Starting, 0, done, 1},
		{model.Starting, model.Restart, model.Stopping, model.Starting, 0, done, 1},
		{model.Settling, model.Restart, model.Stopping, model.Starting, 0, done, 1},
		{model.Up, model.Restart, model.Stopping, model.Starting, 0, done, 1},
		{model.Waiting, model.Restart, model.Queued, model.Starting, 0, done, 1},
		{model.Stopping, model.Restart, model.Stopping, model.Starting, 0, done, 1},
		{model.Ended, model.Restart, model.Queued, model.Starting, 0, done, 1},
		{model.Halted, model.Restart, model.Queued, model.Starting, 0, done, 1},
		{model.Refused, model.Restart, model.Queued, model.Starting, 0, done, 1},

		{model.Off, model.Disconnect, model.Off, model.Off, 0, done, 0},
		{model.Queued, model.Disconnect, model.Off, model.Off, 1, done, 0},
		{model.Starting, model.Disconnect, model.Stopping, model.Off, 2, done, 0},
		{model.Settling, model.Disconnect, model.Stopping, model.Off, 2, done, 0},
		{model.Up, model.Disconnect, model.Stopping, model.Off, 0, done, 0},
		{model.Waiting, model.Disconnect, model.Off, model.Off, 2, done, 0},
		{model.Stopping, model.Disconnect, model.Stopping, model.Off, 2, done, 0},
		{model.Ended, model.Disconnect, model.Off, model.Off, 0, done, 0},
		{model.Halted, model.Disconnect, model.Off, model.Off, 2, done, 0},
		{model.Refused, model.Disconnect, model.Off, model.Off, 0, done, 0},
	} {
		t.Run(fmt.Sprintf("%s × %s", c.from, c.order), func(t *testing.T) {
			d := into(t, c.from)
			d.order("o", c.order)
			if d.s.phase != c.from && c.order != model.Disconnect {
				t.Errorf("%s before its entry was read", d.s.phase)
			}
			d.read()
			if d.s.phase != c.atOnce {
				t.Errorf("at once %s, want %s", d.s.phase, c.atOnce)
			}
			d.settle()
			if d.s.phase != c.settled || d.s.attempt != c.attempt {
				t.Errorf("settled %s, attempt %d, want %s, %d", d.s.phase, d.s.attempt, c.settled, c.attempt)
			}
			if got := d.answers("o"); len(got) != 1 || got[0] != c.answer {
				t.Errorf("answers %v, want %s once", got, c.answer)
			}
			if d.dials != c.dials {
				t.Errorf("%d dials, want %d", d.dials, c.dials)
			}
			if (c.dials > 0 || c.settled == model.Off) && d.s.pid != 0 {
				t.Errorf("the process %d of before is still shown", d.s.pid)
			}
			if held := c.order == model.Disconnect; d.s.hold.on != held {
				t.Errorf("held %t, want %t", d.s.hold.on, held)
			}
		})
	}
}

func TestS_RemovedAndAddedAgainIsNew(t *testing.T) {
	d := into(t, model.Up)
	again := spec("s")
	again.Fingerprint[0] = 1
	d.do(configured{at: d.now, apply: true})
	d.do(configured{at: d.now, entry: &model.Entry{Name: "s", Spec: again}, apply: true})
	d.settle()
	if d.s.phase != model.Starting || d.s.attempt != 0 || d.s.spec != again || d.s.starts != 1 {
		t.Errorf("%s, attempt %d, %d starts, want starting, 0, 1, with the new entry", d.s.phase, d.s.attempt, d.s.starts)
	}
}

func TestO1_WhatBecomesOfAnOrderWhileOneIsInProgress(t *testing.T) {
	for _, c := range []struct {
		first, second, third model.Verb
		want                 [3]string // their outcomes, once all is settled
		phase                model.Phase
	}{
		{model.Restart, model.Restart, model.Restart, [3]string{"done", "done", "merged"}, model.Starting},
		{model.Restart, model.Connect, model.Connect, [3]string{"done", "refused", "merged"}, model.Starting},
		{model.Restart, model.Disconnect, model.Connect, [3]string{"done", "superseded", "refused"}, model.Starting},
		{model.Restart, model.Connect, model.Disconnect, [3]string{"done", "superseded", "done"}, model.Off},
		{model.Disconnect, model.Connect, model.Restart, [3]string{"done", "superseded", "done"}, model.Starting},
		{model.Disconnect, model.Restart, model.Disconnect, [3]string{"done", "superseded", "done"}, model.Off},
		{model.Disconnect, model.Connect, model.Connect, [3]string{"done", "done", "merged"}, model.Starting},
	} {
		t.Run(fmt.Sprintf("%s, %s, %s", c.first, c.second, c.third), func(t *testing.T) {
			for _, reaping := range []bool{false, true} {
				d := into(t, model.Settling)
				d.order("1", c.first)
				if reaping {
					d.read()
				}
				d.order("2", c.second)
				d.order("3", c.third)
				d.settle()
				for i, id := range []string{"1", "2", "3"} {
					if got := d.answers(id); len(got) != 1 || got[0] != c.want[i] {
						t.Errorf("reaping %t: order %s answered %v, want %s once", reaping, id, got, c.want[i])
					}
				}
				if d.s.phase != c.phase {
					t.Errorf("reaping %t: %s, want %s", reaping, d.s.phase, c.phase)
				}
			}
		})
	}
}

// TestO1_EachOrderIsAnsweredOnce gives all sequences of four orders in all
// phases, with everything or nothing settled between each two.
func TestO1_EachOrderIsAnsweredOnce(t *testing.T) {
	for from := range model.Phases {
		for n := range 3 * 3 * 3 * 3 * 8 {
			d := into(t, from)
			verbs, settles := n/8, n%8
			for i := range 4 {
				d.order(fmt.Sprint(i), model.Verb(verbs%3))
				verbs /= 3
				if settles&(1<<i) != 0 {
					d.read()
				}
			}
			d.settle()
			for i := range 4 {
				if got := d.answers(fmt.Sprint(i)); len(got) != 1 {
					t.Fatalf("from %s, sequence %d: order %d answered %v", from, n, i, got)
				}
			}
			if d.s.order != nil || d.s.waits != nil || d.s.reaping {
				t.Fatalf("from %s, sequence %d: an order is left", from, n)
			}
		}
	}
}

func TestL6_ShutdownInEachPhase(t *testing.T) {
	for from := range model.Phases {
		t.Run(from.String(), func(t *testing.T) {
			d := into(t, from)
			d.order("given", model.Restart)
			d.order("waits", model.Connect)
			given := len(d.told)
			d.do(shutdown{d.now})
			d.settle()
			if d.s.phase != model.Off {
				t.Errorf("%s, want off", d.s.phase)
			}
			for which, on := range d.armed {
				if on {
					t.Errorf("the timer %s is still armed", timer(which))
				}
			}
			for _, ev := range d.told[given:] {
				switch {
				case ev.Kind == model.EvAttemptFailed && from == model.Stopping && !ev.WillRetry.V: // of before
				case ev.Kind != model.EvStopping && ev.Kind != model.EvOff && ev.Kind != model.EvOrder:
					t.Errorf("told %s: %s", ev.Kind, ev.Text)
				}
			}
			for _, id := range []string{"given", "waits"} {
				if got := d.answers(id); len(got) != 1 || got[0] != "refused" {
					t.Errorf("the order %s was answered %v", id, got)
				}
			}
			d.checkNothingFollows()
		})
	}
}

// checkNothingFollows lets whatever may still come reach a server that was shut
// down.
func (d *driver) checkNothingFollows() {
	told := len(d.told)
	for which := range timerCount {
		d.do(timerFired{d.now, which, d.s.tokens})
	}
	d.report(model.Handshaken{})
	d.report(model.Closed{End: exit(1)})
	d.report(model.Reaped{})
	d.do(probed{at: d.now, run: d.s.run})
	d.do(slotGranted{d.now, d.s.ticket})
	d.do(slotAwaited{d.now, d.s.ticket, 1})
	d.do(entryRead{at: d.now, id: "given", spec: spec("s")})
	d.do(configured{at: d.now, entry: &model.Entry{Name: "s", Spec: spec("s")}, apply: true})
	d.do(shutdown{d.now})
	if d.dials != 0 || len(d.told) != told || len(d.asked) != 0 || d.s.phase != model.Off {
		d.t.Errorf("afterwards: %d dials, told %v, asked %v, %s", d.dials, d.told[told:], d.asked, d.s.phase)
	}
	d.order("late", model.Connect)
	if got := d.answers("late"); len(got) != 1 || got[0] != "refused" {
		d.t.Errorf("an order afterwards was answered %v", got)
	}
}

func TestO1_ToAcknowledgeMovesNothingInAnyPhase(t *testing.T) {
	for p := range model.Phases {
		t.Run(p.String(), func(t *testing.T) {
			d := into(t, p)
			was := d.s
			d.order("a", model.Acknowledge)
			want := "refused"
			if was.episode.open { // ended, halted and refused have alerted
				want = "done"
			}
			if got := d.answers("a"); len(got) != 1 || got[0] != want {
				t.Errorf("answers %v, want %s", got, want)
			}
			if open := p == model.Ended || p == model.Halted || p == model.Refused; open != was.episode.open {
				t.Errorf("an episode is open: %t", was.episode.open)
			}
			if d.s.phase != p || d.s.timers != was.timers || d.s.order != nil || d.s.note != was.note || len(d.told) != 1 {
				t.Errorf("%s, told %v", d.s.phase, d.told)
			}
		})
	}
}
