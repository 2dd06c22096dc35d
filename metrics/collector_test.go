package metrics

import (
	"context"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"rollcall/model"
	"rollcall/redact"
)

var update = flag.Bool("update", false, "write the golden file anew")

// ownLines are the lines that are rollcall's own, without the version of Go.
func ownLines(text string) string {
	var own []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "rollcall_") {
			own = append(own, regexp.MustCompile(`goversion="[^"]*"`).ReplaceAllString(line, `goversion="go"`))
		}
	}
	return strings.Join(own, "")
}

// TestTheNumbersOfTwoServers holds every name, label and help text, as
// Prometheus reads them, to testdata/metrics.txt.
func TestTheNumbersOfTwoServers(t *testing.T) {
	c := hanging(newFake(), twoServers())
	for _, ev := range []model.Event{
		starting(5), lived(model.EvAttemptFailed, 812*time.Millisecond), event(model.EvDown, "github"), starting(6),
		lived(model.EvLost, 2*time.Hour), probe(model.Alive, 3*time.Millisecond), probe(model.TimedOut, 8*time.Second),
		event(model.EvConfig, ""),
	} {
		c.counts.Observe(ev, 0)
	}
	c.counts.Observe(event(model.EvQueued, "github"), 9)
	_, text := get(t, c, "/metrics")
	got := ownLines(text)
	const golden = "testdata/metrics.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the numbers differ from %s; with -update it is written anew. They are:\n%s", golden, got)
	}
}

func TestTheNamesAreAsPrometheusWantsThem(t *testing.T) {
	problems, err := testutil.CollectAndLint(hanging(newFake(), twoServers()))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestR2_NoTextIsInTheNumbers puts a text wherever an engine can hand one out:
// none may come through, whatever it says.
func TestR2_NoTextIsInTheNumbers(t *testing.T) {
	const canary = "caNAry"
	said := redact.Word(canary)
	fleet := twoServers()
	fleet.Host, fleet.Config, fleet.Note, fleet.Warnings = said, said, said, []redact.Safe{said}
	for _, row := range fleet.Rows {
		row.LastFailure, row.HeldBy, row.AckedBy, row.Pending, row.Note = said, said, said, said, said
		row.Handshake = &model.Handshake{Revision: said, Server: said, Capabilities: []redact.Safe{said}}
		row.Shown = &model.Shown{Command: said, URL: said, Env: []redact.Safe{said}, Tags: []redact.Safe{said}}
	}
	c := hanging(newFake(), fleet)
	for k := model.EvQueued; k <= model.EvConfig; k++ {
		c.counts.Observe(model.Event{Kind: k, Server: "docs", At: began, Error: said, Signal: said, Revision: said, ServerInfo: said,
			Outcome: said, Field: said, By: said, OrderID: canary, Stderr: []redact.Safe{said}, Text: said}, 0)
	}
	_, text := get(t, c, "/metrics")
	if strings.Contains(text, canary) {
		t.Error("a text of the engine is among the numbers")
	}
	// And the labels are these alone.
	for _, m := range regexp.MustCompile(`(?m)^rollcall_\w+\{(.*)\} `).FindAllStringSubmatch(text, -1) {
		for _, pair := range strings.Split(m[1], ",") {
			switch name, _, _ := strings.Cut(pair, "="); name {
			case "server", "phase", "outcome", "event", "le", "version", "goversion":
			default:
				t.Fatalf("a label %q", name)
			}
		}
	}
}

func TestAServerThatLeavesTakesItsSeriesAlong(t *testing.T) {
	c := hanging(newFake(), twoServers())
	c.counts.Observe(starting(0), 0)
	c.counts.Observe(probe(model.Alive, time.Millisecond), 0)
	if _, text := get(t, c, "/metrics"); !strings.Contains(text, `server="github"`) {
		t.Fatal("github has no series")
	}
	gone := twoServers()
	gone.Rows = gone.Rows[:1]
	c.fleet = gone
	c.counts.Observe(event(model.EvOff, "github"), 0) // told late, of before the snapshot
	if _, text := get(t, c, "/metrics"); strings.Contains(text, `server="github"`) {
		t.Errorf("github left, and there is still:\n%s", text)
	}
	if n := len(c.counts.servers); n != 1 {
		t.Errorf("%d servers are kept, want 1", n)
	}
}

// TestAServerTooNewForTheSnapshotKeepsItsCounts: its first event is told before
// a snapshot has it.
func TestAServerTooNewForTheSnapshotKeepsItsCounts(t *testing.T) {
	c := hanging(newFake(), model.Fleet{Seq: 1, At: began.Add(-time.Second)})
	c.counts.Observe(starting(0), 0)
	get(t, c, "/metrics")
	c.fleet = twoServers()
	if _, text := get(t, c, "/metrics"); !strings.Contains(text, `rollcall_server_attempts_total{server="github"} 1`) {
		t.Error("its first attempt is not counted")
	}
}

func TestFollowKeepsTheNewestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newFake()
		c := NewCollector(e, NewCounts(), "v1")
		ctx, cancel := context.WithCancel(t.Context())
		go c.Follow(ctx)
		if _, text := get(t, c, "/metrics"); strings.Contains(text, "server_phase{") || !strings.Contains(text, "rollcall_engine_up 1") {
			t.Errorf("before the first snapshot:\n%s", text)
		}
		for seq, phase := range []model.Phase{model.Queued, model.Starting, model.Settling} {
			e.fleets <- model.Fleet{Seq: uint64(seq + 1), Rows: []*model.Row{{Server: "docs", Phase: phase}}}
			synctest.Wait()
			if _, text := get(t, c, "/metrics"); !strings.Contains(text, `rollcall_server_phase{phase="`+phase.String()+`",server="docs"} 1`) {
				t.Errorf("%s is not shown", phase)
			}
		}
		cancel()
	})
}

// TestAStuckEngineIsNotShownAsIfItWereWell: its last snapshot may be long untrue.
func TestAStuckEngineIsNotShownAsIfItWereWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newFake()
		e.health = stuck
		c := hanging(e, twoServers())
		c.counts.Observe(starting(0), 0)
		asked := time.Now()
		_, text := get(t, c, "/metrics")
		if took := time.Since(asked); took != answerLimit {
			t.Errorf("the scrape took %s", took)
		}
		for _, want := range []string{"rollcall_engine_up 0\n", "rollcall_engine_mailbox_messages 12\n", "rollcall_engine_loop_lag_seconds 1\n",
			`rollcall_server_attempts_total{server="github"} 1`} {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %q", want)
			}
		}
		if strings.Contains(text, "rollcall_server_phase{") {
			t.Error("phases are told that nobody knows")
		}
	})
}
