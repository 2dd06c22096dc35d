package metrics

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// fakeEngine is an engine whose snapshots are the test's own.
type fakeEngine struct {
	fleets chan model.Fleet
	health func(context.Context) (model.Health, error)
}

func newFake() *fakeEngine {
	return &fakeEngine{
		fleets: make(chan model.Fleet),
		health: func(context.Context) (model.Health, error) {
			return model.Health{Mailbox: 3, Lag: 250 * time.Microsecond}, nil
		},
	}
}

func (e *fakeEngine) Next(ctx context.Context, _ uint64) (model.Fleet, error) {
	select {
	case f := <-e.fleets:
		return f, nil
	case <-ctx.Done():
		return model.Fleet{}, ctx.Err()
	}
}

func (e *fakeEngine) Health(ctx context.Context) (model.Health, error) { return e.health(ctx) }

// stuck is a loop that never answers.
func stuck(ctx context.Context) (model.Health, error) {
	asked := time.Now()
	<-ctx.Done()
	return model.Health{Mailbox: 12, Lag: time.Since(asked)}, ctx.Err()
}

var began = time.Date(2026, 11, 29, 20, 0, 0, 0, time.UTC)

// hanging is a Collector in which the fleet hangs.
func hanging(e *fakeEngine, fleet model.Fleet) *Collector {
	c := NewCollector(e, NewCounts(), "v1.2.3")
	c.fleet = fleet
	return c
}

// manyServers is a fleet of n servers, most of them up.
func manyServers(n int) model.Fleet {
	f := model.Fleet{Seq: 1, At: began.Add(time.Hour)}
	for i := range n {
		r := &model.Row{Server: fmt.Sprintf("server-%03d", i), Phase: model.Up, Starts: 1 + i%7, StderrLines: uint64(i), StderrBytes: uint64(40 * i)}
		if i%50 == 0 {
			r.Phase, r.Attempt, r.DownSince = model.Waiting, 7, began
		}
		f.Rows = append(f.Rows, r)
	}
	return f
}

// twoServers is a fleet with something of everything.
func twoServers() model.Fleet {
	return model.Fleet{
		Seq: 1, At: began.Add(time.Hour), Note: redact.Word("servers.toml:3: not TOML"), Warnings: []redact.Safe{redact.Word("failures.log")},
		Rows: []*model.Row{
			{Server: "docs", Phase: model.Up, Starts: 2, StderrLines: 7, StderrBytes: 300, Lines: 12, Noise: 1},
			{Server: "github", Phase: model.Waiting, Attempt: 6, Starts: 7, DownSince: began},
		},
	}
}

// get asks the pages for a path.
func get(t testing.TB, c *Collector, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(body)
}

func event(k model.Kind, server string) model.Event {
	return model.Event{Kind: k, Server: server, At: began}
}

func starting(attempt int) model.Event {
	ev := event(model.EvStarting, "github")
	ev.Attempt = model.Some(attempt)
	return ev
}

func lived(k model.Kind, d time.Duration) model.Event {
	ev := event(k, "github")
	ev.Life = model.Some(model.Millis(d))
	return ev
}

func probe(o model.Outcome, d time.Duration) model.Event {
	ev := event(model.EvProbe, "docs")
	ev.Outcome, ev.Elapsed = redact.Name(o.String()), model.Some(model.Millis(d))
	return ev
}
