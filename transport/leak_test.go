package transport

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rollcall/model"
)

// long reports whether the long variants of tests are wanted.
func long() bool { return os.Getenv("ROLLCALL_LONG") == "1" }

// descriptors is how many file descriptors this process has open.
func descriptors(t testing.TB) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the open files cannot be counted here: ", err)
	}
	return len(fds)
}

// TestNothingIsLeftOfManyRuns connects and ends on each way, and ends with as
// many goroutines and descriptors as it began with. It makes 20 runs of each
// way, or 1,000 with ROLLCALL_LONG=1.
func TestNothingIsLeftOfManyRuns(t *testing.T) {
	const atOnce = 10
	count := 20
	if long() {
		count = 1000
	}
	before, open := goleak.IgnoreCurrent(), descriptors(t)
	h, err := NewHost(Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			specs := make([]*model.Spec, atOnce)
			for i := range specs {
				if specs[i] = specs[0]; i == 0 || specs[0].Launch != nil && specs[0].Transport != model.Stdio {
					specs[i] = way.spec(t) // an address of its own
					specs[i].Timings.StopGrace.D = 400 * time.Millisecond
				}
			}
			for range count / atOnce {
				var runs []*watched
				for _, spec := range specs {
					runs = append(runs, start(t, h, spec))
				}
				for _, w := range runs {
					await[model.Connected](w)
					w.Stop()
				}
				for _, w := range runs {
					await[model.Reaped](w)
				}
			}
		})
	}
	h.Close()
	for late := time.Now().Add(patience); ; { // what was told to end may take its time
		err, now := goleak.Find(before), descriptors(t)
		if err == nil && now <= open {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%d descriptors are open, %d were before; goroutines: %v", now, open, err)
		}
	}
}
