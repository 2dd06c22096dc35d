package supervise

import (
	"fmt"
	"testing"
	"time"

	"rollcall/model"
)

// alive is a server whose connection is up, its first probe due.
func alive() state {
	s := newState("s", 1)
	s, _ = step(s, configured{at: 0, entry: &model.Entry{Name: "s", Spec: spec("s")}}, nil)
	s, _ = step(s, slotGranted{0, s.ticket}, nil)
	s, _ = step(s, reported{0, s.run, model.Handshaken{}}, nil)
	s, _ = step(s, reported{0, s.run, model.Connected{}}, nil)
	return s
}

// BenchmarkStep/probe is what a healthy server costs each minute: its probe's
// timer and its outcome, two steps. Its target is 1 µs and one allocation a step,
// beside the event's own: two and two for both.
func BenchmarkStep(b *testing.B) {
	b.Run("probe", func(b *testing.B) {
		s := alive()
		var out []effect
		var now instant
		b.ReportAllocs()
		for b.Loop() {
			now = s.probe.due
			s, out = step(s, timerFired{now, probeTimer, s.timers[probeTimer].token}, out[:0])
			s, out = step(s, probed{now, s.run, model.Probed{Outcome: model.Alive, Elapsed: 41 * time.Millisecond}}, out[:0])
		}
	})
	b.Run("failed attempt", func(b *testing.B) {
		s := newState("s", 1)
		s, out := step(s, configured{at: 0, entry: &model.Entry{Name: "s", Spec: spec("s")}}, nil)
		var now instant
		b.ReportAllocs()
		for b.Loop() {
			s, out = step(s, slotGranted{now, s.ticket}, out[:0])
			s, out = step(s, reported{now, s.run, model.Closed{End: exit(1)}}, out[:0])
			s, out = step(s, reported{now, s.run, model.Reaped{}}, out[:0])
			now = s.due
			s, out = step(s, timerFired{now, retryTimer, s.timers[retryTimer].token}, out[:0])
			s.attempt %= 4 // no down
		}
	})
	b.Run("stale", func(b *testing.B) {
		s := alive()
		var out []effect
		b.ReportAllocs()
		for b.Loop() {
			s, out = step(s, timerFired{0, probeTimer, 1 << 40}, out[:0])
		}
	})
}

// BenchmarkSnapshot is a snapshot of 10,000 rows of which 10 changed. Its
// target is 100 µs.
func BenchmarkSnapshot(b *testing.B) {
	var entries []model.Entry
	for i := range 10_000 {
		s := spec(fmt.Sprint(i))
		entries = append(entries, model.Entry{Name: s.Name, Spec: s})
	}
	e := New(Options{Slots: 1}, entries)
	b.ReportAllocs()
	for b.Loop() {
		for i := range 10 {
			e.markStale(e.units[i*997])
		}
		e.publish()
	}
}
