package transport

import (
	"bufio"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"rollcall/model"
)

// Both benchmarks print ratios of one run, since the machine is the same for
// both sides of it:
//
//	go test ./transport -run - -bench Launch -benchtime 5x

// BenchmarkLaunch200 launches 200 servers, spawn to handshake, 4 × cores at
// once, as runs and as a bare loop; the metric is runs ÷ loop. The target is
// 1.15.
func BenchmarkLaunch200(b *testing.B) {
	const servers = 200
	h, args := newHost(b), []string{"demo", "healthy", "--beat", "0s"}
	spec := commandSpec(self(b), args...) // read and made beforehand, as a configuration is
	var ours, bare time.Duration
	for b.Loop() {
		ours += launchAll(b, servers, func() (stop func()) {
			w := start(b, h, spec)
			await[model.Handshaken](w)
			return func() { w.Stop(); await[model.Reaped](w) }
		})
		bare += launchAll(b, servers, func() (stop func()) { return sayInitialize(b, exec.Command(self(b), args...)) })
	}
	b.ReportMetric(float64(ours)/float64(bare), "×bare")
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/200")
	b.ReportMetric(0, "ns/op")
}

// launchAll runs launch n times, 4 × cores at once, and returns how long it
// took until the last was there. All stay until then.
func launchAll(b *testing.B, n int, launch func() (stop func())) time.Duration {
	b.Helper()
	slots := make(chan struct{}, 4*runtime.NumCPU())
	stops := make([]func(), n)
	var all sync.WaitGroup
	begun := time.Now()
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			stops[i] = launch()
			<-slots
		})
	}
	all.Wait()
	took := time.Since(begun)
	for _, stop := range stops {
		all.Go(stop)
	}
	all.Wait()
	return took
}

// sayInitialize starts cmd and shakes hands by hand.
func sayInitialize(b *testing.B, cmd *exec.Cmd) (stop func()) {
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}`+"\n")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		b.Error(err)
	}
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
}

// BenchmarkRestartAfterLaunch restarts a server, from the order to the
// handshake; the metric is restart ÷ start of the same server, medians. The
// target is 1.2.
func BenchmarkRestartAfterLaunch(b *testing.B) {
	h := newHost(b)
	spec := demoSpec(b, "healthy", "--beat", "0s")
	launch := func() (*watched, time.Duration) {
		w := start(b, h, spec)
		return w, await[model.Handshaken](w).At.Sub(w.started)
	}
	var starts, restarts []time.Duration
	for b.Loop() {
		w, took := launch()
		starts = append(starts, took)
		began := time.Now()
		w.Stop()
		await[model.Reaped](w)
		w, _ = launch()
		restarts = append(restarts, time.Since(began))
		w.stop()
	}
	slices.Sort(starts)
	slices.Sort(restarts)
	b.ReportMetric(float64(starts[len(starts)/2].Microseconds()), "µs/start")
	b.ReportMetric(float64(restarts[len(restarts)/2])/float64(starts[len(starts)/2]), "×start")
	b.ReportMetric(0, "ns/op")
}
