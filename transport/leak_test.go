package transport

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"rollcall/model"
)

func TestNoGoroutineIsLeftOfManyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	before := goleak.IgnoreCurrent()
	h, err := NewHost(Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			for range 5 {
				spec := way.spec(t)
				spec.Timings.StopGrace.D = 400 * time.Millisecond
				w := start(t, h, spec)
				await[model.Connected](w)
				w.stop()
			}
		})
	}
	h.Close()
	goleak.VerifyNone(t, before)
}
