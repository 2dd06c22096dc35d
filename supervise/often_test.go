package supervise

import (
	"testing"
	"time"

	"rollcall/model"
)

// TestB5_ShortConnectionsAreLaunchedNoMoreOftenThanADeadServer: whatever a
// server does short of lasting, the backoff holds it. A fresh session (T5) and
// a second launch for discovery (T6) come once each.
func TestB5_ShortConnectionsAreLaunchedNoMoreOftenThanADeadServer(t *testing.T) {
	const month = 30 * 24 * time.Hour
	silent := func(dial) (time.Duration, model.End) { return -1, exit(1) }
	dead := launches(silent, month)
	if dead < 8000 || dead > 9000 { // at the cap of 300 s: 8,640
		t.Fatalf("a dead server is launched %d times in 30 days, want some 8,640", dead)
	}
	for name, c := range map[string]struct {
		serve func(d dial) (time.Duration, model.End)
		more  int
	}{
		"exits 0 at once":     {func(dial) (time.Duration, model.End) { return 0, exit(0) }, 0},
		"closes after 299 s":  {func(dial) (time.Duration, model.End) { return 299 * time.Second, exit(1) }, 0},
		"forgets its session": {func(dial) (time.Duration, model.End) { return 0, model.End{Cause: model.SessionMissing} }, 1},
		"forgets and exits": {func(d dial) (time.Duration, model.End) {
			if d.run%2 == 0 {
				return 0, exit(0)
			}
			return 0, model.End{Cause: model.SessionMissing}
		}, 1},
		"exits on discovery": {func(d dial) (time.Duration, model.End) {
			if d.legacy {
				return -1, exit(1)
			}
			return -1, model.End{Cause: model.DiscoveryRefused}
		}, 1},
		"exits on discovery, at times": {func(d dial) (time.Duration, model.End) {
			if d.legacy || d.run%3 == 0 {
				return 0, exit(1)
			}
			return -1, model.End{Cause: model.DiscoveryRefused}
		}, 1},
	} {
		if n := launches(c.serve, month); n > dead+c.more {
			t.Errorf("a server that %s is launched %d times, a dead one %d times", name, n, dead)
		}
	}
}

// launches counts the dials of a server in a span. serve says how long each
// connection lives, below 0 where there is none, and how it ends.
func launches(serve func(d dial) (time.Duration, model.End), span time.Duration) int {
	s := newState("s", seedOf("host", "s"))
	n := 0
	events := []event{configured{at: 0, entry: &model.Entry{Name: "s", Spec: spec("s")}, apply: true}}
	for len(events) > 0 && events[0].when() < span {
		var out []effect
		s, out = step(s, events[0], nil)
		at := events[0].when()
		events = events[1:]
		for _, f := range out {
			switch f := f.(type) {
			case wantSlot:
				events = append(events, slotGranted{at, f.ticket})
			case startTimer:
				if set := s.timers[f]; timer(f) == retryTimer {
					events = append(events, timerFired{set.due, retryTimer, set.token})
				}
			case dial:
				n++
				life, end := serve(f)
				if life >= 0 {
					events = append(events, reported{at, f.run, model.Handshaken{Handshake: model.Handshake{Legacy: f.legacy}}},
						reported{at, f.run, model.Connected{}})
				}
				at := at + max(life, 0)
				events = append(events, reported{at, f.run, model.Closed{End: end}}, reported{at, f.run, model.Reaped{}})
			}
		}
	}
	return n
}
