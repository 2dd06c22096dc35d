package transport

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// resident is this process's own memory, in bytes.
func resident(t testing.TB) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("resident memory cannot be read here: ", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestT2_MemoryStaysBoundedUnderAnyVolume has servers write 100 MB a second
// each, on stderr or stdout, beside a quiet one. Resident memory stays within
// 1.5 × of idle, and the quiet one's probes are answered; their latency is
// printed as a ratio, not judged: it is the machine's as much as ours. 20
// servers for 30 s with ROLLCALL_LONG=1, else 3 for 1 s.
func TestT2_MemoryStaysBoundedUnderAnyVolume(t *testing.T) {
	servers, lasts := 3, time.Second
	if long() {
		servers, lasts = 20, 30*time.Second
	}
	for _, stream := range []string{"stderr", "stdout"} {
		t.Run(stream, func(t *testing.T) {
			h := newHost(t)
			var bytes atomic.Int64
			count := func(d *model.Dial) {
				d.Line = func(_ time.Time, _ model.LineKind, s redact.Safe) { bytes.Add(int64(len(s.String()))) }
			}
			var runs []*watched
			for range 1 + servers { // as many quiet ones are idle's measure
				runs = append(runs, start(t, h, demoSpec(t, "healthy", "--beat", "0s"), count))
			}
			for _, w := range runs {
				await[model.Connected](w)
			}
			runtime.GC()
			debug.FreeOSMemory()
			idle, calm := resident(t), latency(t, runs[0], lasts/4)

			for _, w := range runs[1:] {
				w.stop()
				await[model.Connected](start(t, h, demoSpec(t, "healthy", "--beat", "0s", "--"+stream+"-rate", "100000000"), count))
			}
			before := bytes.Load()
			loud := latency(t, runs[0], lasts)
			peak, seen := resident(t), bytes.Load()-before
			t.Logf("%d servers, %v: %d MB of lines; resident %.1f → %.1f MiB (× %.2f); probe latency %v → %v (× %.1f)", servers, lasts,
				seen/1e6, float64(idle)/(1<<20), float64(peak)/(1<<20), float64(peak)/float64(idle), calm, loud, float64(loud)/float64(calm))
			if peak > idle+idle/2 {
				t.Errorf("resident memory grew from %d to %d bytes", idle, peak)
			}
			if seen == 0 {
				t.Error("nothing was read: the test proves nothing")
			}
		})
	}
}

// latency probes for a while and returns the median.
func latency(t *testing.T, w *watched, lasts time.Duration) time.Duration {
	t.Helper()
	var all []time.Duration
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for until := time.Now().Add(lasts); time.Now().Before(until); <-pause.C {
		p := probe(w, patience)
		if p.Outcome != model.Alive {
			t.Fatalf("probe: %+v", p)
		}
		all = append(all, p.Elapsed)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
