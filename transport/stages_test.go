package transport

import (
	"slices"
	"testing"
	"time"

	"rollcall/model"
)

// stages are the stages that were told, with when.
func (w *watched) stages() (names []model.StopStage, at []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e, ok := e.(model.Staged); ok {
			names, at = append(names, e.Stage), append(at, e.At)
		}
	}
	return names, at
}

// TestH2_EachStageOfAStopIsTold: one server goes at once, one needs SIGTERM, one
// needs SIGKILL, one is killed outright, and one ended of itself. checkOrder sees
// to the order among the other events.
func TestH2_EachStageOfAStopIsTold(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	const short, medium, ample = 4 * time.Second, 8 * time.Second, time.Minute
	deaf := commandSpec("/bin/sh", "-c", "echo ready >&2; exec /bin/sleep 1000")
	for _, c := range []struct {
		name  string
		grace time.Duration
		spec  *model.Spec
		end   func(*watched)
		want  []model.StopStage
	}{
		{"goes at once", ample, demoSpec(t, "healthy"), (*watched).halt, []model.StopStage{model.Closing}},
		{"goes at SIGTERM", medium, deaf, (*watched).halt, []model.StopStage{model.Closing, model.TermSent}},
		{"goes at SIGKILL", short, demoSpec(t, "stubborn"), (*watched).halt, []model.StopStage{model.Closing, model.TermSent, model.KillSent}},
		{"is killed", ample, demoSpec(t, "stubborn"), func(w *watched) { w.Kill() }, []model.StopStage{model.Closing, model.KillSent}},
		{"leaves a child", short, demoSpec(t, "flap", "--child", "group", "--life", "0s", "--ping", "exit"), (*watched).dies, []model.StopStage{model.Closing, model.TermSent, model.KillSent}},
		{"leaves nothing", ample, demoSpec(t, "flap", "--life", "0s", "--ping", "exit"), (*watched).dies, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.spec.Timings.StopGrace.D = c.grace
			w := start(t, h, c.spec)
			if c.spec == deaf {
				w.line("stderr: ready")
			} else {
				await[model.Handshaken](w)
			}
			c.end(w)
			await[model.Reaped](w)
			got, at := w.stages()
			if !slices.Equal(got, c.want) {
				t.Fatalf("told %v, want %v\n%s", got, c.want, w)
			}
			if i := slices.Index(got, model.TermSent); i > 0 && at[i].Sub(await[model.Closed](w).At) < c.grace/2 {
				t.Errorf("SIGTERM after %v", at[i].Sub(await[model.Closed](w).At))
			}
		})
	}
}

func (w *watched) halt() { w.Stop() }
