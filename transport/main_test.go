package transport

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rollcall/demo"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/transport/guardian"
)

// patience bounds each wait for something real. It is ample: no test is to fail
// since the machine has much else to do.
const patience = 2 * time.Minute

// TestMain makes the test binary what the tests launch: a guardian, a demo
// server, or a program that is killed while it supervises.
func TestMain(m *testing.M) {
	switch { // syscall.Exit, since with the race detector os.Exit waits a second
	case guardian.Asked():
		guardian.Main()
		syscall.Exit(0)
	case len(os.Args) > 1 && os.Args[1] == "demo":
		syscall.Exit(demo.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	case len(os.Args) > 1 && os.Args[1] == "supervise":
		supervise(os.Args[2:])
	case len(os.Args) > 1 && os.Args[1] == "adopt":
		adoptAndEnd()
	case len(os.Args) > 1 && os.Args[1] == "beside":
		adoptBeside()
	case len(os.Args) > 1 && os.Args[1] == "group":
		sleepInOwnGroup()
	}
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // they wait more than they compute
	os.Exit(m.Run())
}

func newHost(t testing.TB) *Host {
	t.Helper()
	h, err := NewHost(Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	h.waits.exit = patience // none that comes is to be missed
	t.Cleanup(h.Close)
	return h
}

// self is this test binary.
func self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// timings have a grace that no stop waits out but of what does not go: half of
// it is time enough for all else.
func timings() model.Timings {
	t := model.DefaultTimings()
	t.StopGrace.D = time.Minute
	return t
}

// demoSpec is a stdio entry for a demo server.
func demoSpec(t testing.TB, args ...string) *model.Spec {
	t.Helper()
	return commandSpec(self(t), append([]string{"demo"}, args...)...)
}

func commandSpec(path string, args ...string) *model.Spec {
	token := redact.NewSecret("ghp_0123456789abcdefghijkl")
	spec := &model.Spec{
		Name: "test", Transport: model.Stdio, Timings: timings(), Reconnect: true, Enabled: true,
		Launch: &model.Launch{Path: path, Env: []model.Pair{
			{Name: "PATH", Value: redact.NewSecret(os.Getenv("PATH"))},
			{Name: "TOKEN", Value: token},
		}},
		Redactor: redact.New([]redact.Source{{Name: "TOKEN", Value: token}}),
	}
	for _, a := range args {
		spec.Launch.Args = append(spec.Launch.Args, redact.NewSecret(a))
	}
	return spec
}

func urlSpec(via model.Transport, url string) *model.Spec {
	return &model.Spec{
		Name: "test", Transport: via, Timings: timings(), Reconnect: true, Enabled: true,
		URL: redact.NewSecret(url), Redactor: redact.New(nil),
	}
}

// watched is a run whose events and lines a test can wait for.
type watched struct {
	*Run
	t testing.TB

	mu     sync.Mutex
	events []model.RunEvent
	lines  []string // "kind: text"
	news   chan struct{}
}

func start(t testing.TB, h *Host, spec *model.Spec, change ...func(*model.Dial)) *watched {
	t.Helper()
	w := &watched{t: t, news: make(chan struct{}, 1)}
	d := model.Dial{Run: 1, Timeout: patience, Report: func(e model.RunEvent) {
		w.add(func() { w.events = append(w.events, e) })
	}, Line: func(_ time.Time, kind model.LineKind, text redact.Safe) {
		w.add(func() { w.lines = append(w.lines, kind.String()+": "+text.String()) })
	}}
	for _, f := range change {
		f(&d)
	}
	w.Run = h.Start(spec, d)
	t.Cleanup(func() {
		w.Kill()
		reaped := await[model.Reaped](w)
		if len(reaped.Survivors) > 0 {
			await[model.Gone](w)
		}
		w.checkOrder()
	})
	return w
}

func (w *watched) add(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// until waits for a condition on what was told.
func (w *watched) until(what string, ok func() bool) {
	w.t.Helper()
	late := time.After(patience)
	for {
		w.mu.Lock()
		done := ok()
		w.mu.Unlock()
		if done {
			return
		}
		select {
		case <-w.news:
		case <-late:
			w.t.Fatalf("no %s within %v\n%s", what, patience, w)
		}
	}
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, e := range w.events {
		fmt.Fprintf(&b, "  %T %+v\n", e, e)
	}
	for i, l := range w.lines {
		if i == 30 {
			fmt.Fprintf(&b, "  … %d lines\n", len(w.lines))
			break
		}
		fmt.Fprintf(&b, "  | %.200s\n", l)
	}
	return b.String()
}

// await waits for the event of a type. Closed ends the wait for what can only
// come before it.
func await[E model.RunEvent](w *watched) (found E) {
	w.t.Helper()
	ended := false
	w.until(fmt.Sprintf("%T", found), func() bool {
		for _, e := range w.events {
			switch e := e.(type) {
			case E:
				found = e
				return true
			case model.Reaped:
				_, gone := any(found).(model.Gone)
				ended = !gone
			}
		}
		return ended
	})
	if ended {
		w.t.Fatalf("reaped without a %T\n%s", found, w)
	}
	return found
}

// line waits for a line that contains text.
func (w *watched) line(text string) (found string) {
	w.t.Helper()
	w.until("line with "+text, func() bool {
		for _, l := range w.lines {
			if strings.Contains(l, text) {
				found = l
				return true
			}
		}
		return false
	})
	return found
}

// told reports whether an event of a type was told so far.
func told[E model.RunEvent](w *watched) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if _, ok := e.(E); ok {
			return true
		}
	}
	return false
}

// checkOrder checks the order of model.RunEvent, and that each came once.
func (w *watched) checkOrder() {
	w.mu.Lock()
	defer w.mu.Unlock()
	rank, closed, reaped := -1, 0, 0
	for _, e := range w.events {
		n := -1
		switch e := e.(type) {
		case model.Launched:
			n = 0
		case model.Handshaken:
			n = 1
		case model.Connected:
			n = 2
		case model.Closed:
			n, closed = 3, closed+1
		case model.Staged:
			n = 4 + int(e.Stage)
		case model.Reaped:
			n, reaped = 7, reaped+1
		case model.Gone:
			n = 8
		}
		if n <= rank {
			w.t.Errorf("%T came out of order or twice", e)
		}
		rank = n
	}
	if closed != 1 || reaped != 1 {
		w.t.Errorf("Closed came %d times, Reaped %d times; each must come once", closed, reaped)
	}
}

func probe(w *watched, window time.Duration) model.Probed {
	ctx, stop := context.WithTimeout(context.Background(), window)
	defer stop()
	return w.Probe(ctx)
}

// probeUntil probes until the outcome is as wanted, or the run has ended: over
// HTTP nothing but a probe sees an end.
func probeUntil(t *testing.T, w *watched, want model.Outcome) {
	t.Helper()
	for late := time.Now().Add(patience); !told[model.Closed](w); {
		p := probe(w, patience)
		if p.Outcome == want {
			return
		}
		if p.Outcome != model.Alive || time.Now().After(late) {
			t.Fatalf("probe: %+v, want %v\n%s", p, want, w)
		}
	}
}

// stop stops the run and returns how long it took to be reaped.
func (w *watched) stop() time.Duration {
	w.t.Helper()
	began := time.Now()
	w.Stop()
	await[model.Reaped](w)
	return time.Since(began)
}

// stopsAtOnce stops the run, which goes without a signal unless it is of launchedSpec.
func (w *watched) stopsAtOnce() {
	w.t.Helper()
	asked := w.spec.Launch == nil || w.spec.Transport == model.Stdio
	if took := w.stop(); asked && took >= w.spec.Timings.StopGrace.D/2 {
		w.t.Errorf("took %v to stop", took)
	}
}

// dies has a server end that a ping ends (--ping exit).
func (w *watched) dies() {
	w.t.Helper()
	await[model.Connected](w)
	if p := probe(w, patience); p.Outcome != model.Broken {
		w.t.Errorf("the probe that it died of: %+v", p)
	}
}
