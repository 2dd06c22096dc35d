package transport

import (
	"cmp"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// keptLines is as many lines as an engine keeps of each server (T3).
const keptLines = 1000

// tail keeps the last lines of one server, as an engine does. It is full from the
// beginning, so that it has its part in what is resident while all is quiet.
type tail struct {
	lines [keptLines]string
	n     int
}

func newTail() *tail {
	l := &tail{}
	for range l.lines {
		l.add(strings.Repeat("-", 99))
	}
	return l
}

func (l *tail) add(s string) {
	l.lines[l.n%keptLines] = s
	l.n++
}

// TestT2_MemoryStaysBoundedUnderAnyVolume has servers write 100 MB a second
// each, on stderr or stdout, beside a quiet one, while their last lines are kept
// and the heap may grow as the program lets it. Resident memory is looked at all
// the while: half of the time it is within 1.5 × of idle, and always within 2 ×,
// not counting the buffers of a loud stream, which this small program would feel.
// The quiet one's probes are answered; their latency is printed as a ratio, not
// judged: it is the machine's as much as ours. 20 servers for 30 s with
// ROLLCALL_LONG=1, else 3 for 1 s.
func TestT2_MemoryStaysBoundedUnderAnyVolume(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // as the program has it once it has started
	servers, lasts := 3, time.Second
	if long() {
		servers, lasts = 20, 30*time.Second
	}
	for _, stream := range []string{"stderr", "stdout"} {
		t.Run(stream, func(t *testing.T) {
			h := newHost(t)
			var bytes atomic.Int64
			keep := func(d *model.Dial) {
				var mu sync.Mutex
				l := newTail()
				d.Line = func(_ time.Time, _ model.LineKind, s redact.Safe) {
					bytes.Add(int64(len(s.String())))
					mu.Lock()
					defer mu.Unlock()
					l.add(s.String())
				}
			}
			var runs []*watched
			for range 1 + servers { // as many quiet ones are idle's measure
				runs = append(runs, start(t, h, demoSpec(t, "healthy", "--beat", "0s"), keep))
			}
			for _, w := range runs {
				await[model.Connected](w)
			}
			// What a flood runs is resident beforehand, as it is in a program that has seen one.
			first := start(t, h, demoSpec(t, "healthy", "--beat", "0s", "--"+stream+"-rate", "100000000"), keep)
			for bytes.Load() < 10e6 {
				latency(t, runs[0], 0, func() {})
			}
			first.stop()
			runtime.GC()
			debug.FreeOSMemory()
			idle, calm := resident(t), latency(t, runs[0], lasts/4, func() {})

			for _, w := range runs[1:] {
				w.stop()
				await[model.Connected](start(t, h, demoSpec(t, "healthy", "--beat", "0s", "--"+stream+"-rate", "100000000"), keep))
			}
			before := bytes.Load()
			var all []int
			loud := latency(t, runs[0], lasts, func() { all = append(all, resident(t)) })
			seen := bytes.Load() - before
			median, peak := middle(all), slices.Max(all)
			const mib = 1 << 20
			t.Logf("%d servers, %v: %d MB of lines; resident %.1f → %.1f MiB (× %.2f), at most %.1f (× %.2f); probe latency %v → %v (× %.1f)", servers, lasts,
				seen/1e6, float64(idle)/mib, float64(median)/mib, float64(median)/float64(idle), float64(peak)/mib, float64(peak)/float64(idle), calm, loud, float64(loud)/float64(calm))
			buffers := servers * (loudRead + 24<<10) // the latter are redact.Lines's
			if median > idle+idle/2+buffers || peak > 2*idle+buffers {
				t.Errorf("resident memory grew from %d to %d bytes, at most %d", idle, median, peak)
			}
			if seen == 0 {
				t.Error("nothing was read: the test proves nothing")
			}
		})
	}
}

// latency probes for a while and returns the median. look is called after each.
func latency(t *testing.T, w *watched, lasts time.Duration, look func()) time.Duration {
	t.Helper()
	var all []time.Duration
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for until := time.Now().Add(lasts); len(all) == 0 || time.Now().Before(until); <-pause.C {
		p := probe(w, patience)
		if p.Outcome != model.Alive {
			t.Fatalf("probe: %+v", p)
		}
		all = append(all, p.Elapsed)
		look()
	}
	return middle(all)
}

// middle is the median; it sorts all.
func middle[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}
