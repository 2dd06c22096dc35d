package supervise

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestD8_WhoComesLateIsToldTheEnginesTime: nothing has happened for minutes, and
// what is counted down is counted from the engine's time, for everybody the same.
func TestD8_WhoComesLateIsToldTheEnginesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := spec("s")
		s.Timings.ReconnectInterval.D = 250 * time.Second
		r := newRig(t, dead, nil, s)
		r.after(time.Second)
		first, err := r.e.Next(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		r.after(35 * time.Second)
		late, err := r.e.Next(t.Context(), 0)
		if err != nil || late.Seq != first.Seq {
			t.Fatalf("snapshot %d after %d, %v: something has happened, the test proves nothing", late.Seq, first.Seq, err)
		}
		if !late.At.Equal(time.Now()) {
			t.Errorf("it says that it is %v, %v late", late.At, time.Since(late.At))
		}
	})
}
