package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"rollcall/model"
)

// TestADialIsNoAttempt pins what an attempt is: a second launch upon discovery
// (T6) and a fresh session (T5) are dials of the attempt that goes on.
func TestADialIsNoAttempt(t *testing.T) {
	session := lived(model.EvStopping, time.Minute)
	order := event(model.EvStopping, "github") // no life: closed by this host
	failed := event(model.EvAttemptFailed, "github")
	for _, c := range []struct {
		name   string
		events []model.Event
		want   float64
	}{
		{"T6: launched again at once", []model.Event{starting(0), starting(0)}, 1},
		{"T5: a fresh session", []model.Event{starting(2), event(model.EvConnected, "github"), session, starting(2)}, 1},
		{"T5: after it had lasted", []model.Event{starting(2), event(model.EvConnected, "github"), event(model.EvLasted, "github"), session, starting(0)}, 1},
		{"T5: that waits for a slot", []model.Event{starting(0), session, event(model.EvQueued, "github"), starting(0)}, 1},
		{"failed, then the next", []model.Event{starting(0), failed, starting(1), failed, starting(2)}, 3},
		{"restarted while it started", []model.Event{starting(0), event(model.EvOrder, "github"), order, starting(0)}, 2},
		{"lost at attempt 0", []model.Event{starting(0), event(model.EvLasted, "github"), event(model.EvLost, "github"), starting(1)}, 2},
		{"connected at once, after it halted", []model.Event{starting(0), event(model.EvHalted, "github"), starting(0)}, 2},
		{"off and on", []model.Event{starting(0), event(model.EvOff, "github"), starting(0)}, 2},
	} {
		counts := NewCounts()
		for _, ev := range c.events {
			counts.Observe(ev, 0)
		}
		if got := testutil.ToFloat64(counts.attempts); got != c.want {
			t.Errorf("%s: %v attempts, want %v", c.name, got, c.want)
		}
	}
}

// TestEverySeriesIsThereFromTheStart: an increase from nothing is none.
func TestEverySeriesIsThereFromTheStart(t *testing.T) {
	c := hanging(newFake(), twoServers())
	get(t, c, "/metrics")
	for name, v := range map[string]int{
		"attempts": testutil.CollectAndCount(c.counts.attempts), "failures": testutil.CollectAndCount(c.counts.failures),
		"losses": testutil.CollectAndCount(c.counts.losses), "latency": testutil.CollectAndCount(c.counts.latency),
		"probes": testutil.CollectAndCount(c.counts.probes) / len(outcomes),
	} {
		if v != 2 {
			t.Errorf("%s: %d series of two servers", name, v)
		}
	}
}

// TestAnOrderForNobodyMakesNoSeries: whoever gives orders could else choose a
// label's text.
func TestAnOrderForNobodyMakesNoSeries(t *testing.T) {
	c := hanging(newFake(), twoServers())
	order := event(model.EvOrder, "whatever was typed")
	order.At = c.fleet.At.Add(time.Second)
	c.counts.Observe(order, 0)
	if _, text := get(t, c, "/metrics"); strings.Contains(text, "typed") {
		t.Error("there is a series of it")
	}
}
