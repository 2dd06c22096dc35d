package transport

import (
	"context"
	"testing"

	"rollcall/model"
)

// A server that exits while a probe is in flight breaks the probe and ends by
// its exit in the same instant: the exit is what is told, each time.
func TestL4_AnExitDuringAProbeIsToldAsTheExit(t *testing.T) {
	h := newHost(t)
	for range 12 {
		w := start(t, h, demoSpec(t, "healthy", "--ping", "exit", "--exit", "9"))
		await[model.Connected](w)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		p := w.Run.Probe(ctx)
		cancel()
		if p.Outcome != model.Broken {
			t.Errorf("the probe was %s, want broken", p.Outcome)
		}
		// By now the run's own end is known.
		select {
		case <-w.Run.ctx.Done():
		default:
			t.Error("the probe's end came before the run's")
		}
		if end := await[model.Closed](w).End; end.ExitCode != model.Some(9) {
			t.Errorf("closed %+v, want exit code 9", end)
		}
		await[model.Reaped](w)
	}
}
