package ui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/tty"
)

// asDashboard names the variable that makes the test binary a dashboard on a
// made-up engine: a process with a terminal of its own.
const asDashboard = "ROLLCALL_TEST_DASHBOARD"

// patience bounds each wait for something real.
const patience = tty.Patience

func TestMain(m *testing.M) {
	if how := os.Getenv(asDashboard); how != "" {
		os.Exit(dashboard(how))
	}
	time.Local = time.UTC
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // they wait more than they compute
	os.Exit(m.Run())
}

// dashboard runs the dashboard and says on the restored terminal how it ended.
func dashboard(how string) int {
	f := tenPhases()
	f.At = time.Now()
	opts := Options{HoldsEngine: how == "holds", Redact: func(s string) string {
		return strings.ReplaceAll(s, "hunter22", "‹SECRET›")
	}}
	var e Engine = newFake(f)
	switch how {
	case "stops": // until it is killed
		killed := make(chan struct{})
		opts.HoldsEngine, opts.Stop, opts.Kill = true, func() { <-killed }, sync.OnceFunc(func() { close(killed) })
	case "panic in a goroutine":
		e.(*fake).onNext = func() { panic("next: hunter22") }
	case "panic in a command":
		e = brokenLines{e}
	case "panic in Update":
		e = brokenDo{e}
	case "flood":
		go e.(*fake).pour("notes")
	case "quiet":
		e = newFake(quietFleet(200))
	}
	err := Run(context.Background(), e, opts)
	var broke *PanicError
	switch {
	case errors.As(err, &broke):
		fmt.Printf("panic: %s, stack %t\n", broke.Value, strings.Contains(broke.Stack, "ui."))
	case err != nil:
		fmt.Printf("error: %v\n", err)
	default:
		fmt.Println("ended well")
	}
	return 0
}

// pour adds 2,000 lines a second to a server's tail, for as long as the process
// lives, and tells of it as often as an engine does.
func (e *fake) pour(server string) {
	var seq uint64
	for range time.Tick(time.Second / 15) {
		e.mu.Lock()
		f := e.fleet
		e.mu.Unlock()
		e.change(func(e *fake) {
			for range 2000 / 15 {
				seq++
				e.lines[server] = append(e.lines[server], model.Line{Seq: seq, At: time.Now(), Run: 1,
					Text: text("worker %d: GET /v1/items?page=%d 200 in %d ms", seq%7, seq*7919, seq%93)})
			}
			e.lines[server] = e.lines[server][max(len(e.lines[server])-1000, 0):]
			e.fleet = with(f, server, func(r *model.Row) { r.Lines = seq })
		})
	}
}

type brokenLines struct{ Engine }

func (brokenLines) Lines(string, uint64, int) []model.Line { panic("lines: hunter22") }

type brokenDo struct{ Engine }

func (brokenDo) Do(model.Order) { panic("do: hunter22") }

// quietFleet is n servers that are all up, and have been for days.
func quietFleet(n int) model.Fleet {
	f := model.Fleet{Seq: 1, At: time.Now(), Host: text("edge-7"), Config: text("servers.toml")}
	for i := range n {
		since := f.At.Add(-time.Duration(50+i) * time.Hour)
		f.Rows = append(f.Rows, &model.Row{Server: fmt.Sprintf("server-%03d", i), Phase: model.Up, Since: since, Connected: since,
			Lasting: 300 * time.Second, Starts: 1, Shown: shown("x"), Probe: model.Probe{At: since, Latency: 3 * time.Millisecond}})
	}
	return f
}
