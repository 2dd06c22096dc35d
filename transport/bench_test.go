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

// adoptingHost is a host as the program has it. One at a time: tests, of which
// some run side by side, have others.
func adoptingHost(b *testing.B) *Host {
	b.Helper()
	h, err := NewHost(Options{Version: "bench", Adopt: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(h.Close)
	return h
}

// BenchmarkLaunch200 launches 200 servers, spawn to handshake, 4 × cores at
// once, as runs and as a bare loop; the metric ×bare is runs ÷ loop. The target
// is 1.15. ×same is the same with a loop that says what a run says: discovery
// first (T6), and then it has the tools listed.
func BenchmarkLaunch200(b *testing.B) {
	const servers = 200
	h, args := adoptingHost(b), []string{"demo", "healthy", "--beat", "0s"}
	spec := commandSpec(self(b), args...) // read and made beforehand, as a configuration is
	var ours, bare, same time.Duration
	for b.Loop() {
		ours += launchAll(b, servers, func() (stop func()) {
			w := start(b, h, spec)
			await[model.Handshaken](w)
			return func() { w.Stop(); await[model.Reaped](w) }
		})
		bare += launchAll(b, servers, func() (stop func()) { return shakeHands(b, exec.Command(self(b), args...), false) })
		same += launchAll(b, servers, func() (stop func()) { return shakeHands(b, exec.Command(self(b), args...), true) })
	}
	b.ReportMetric(float64(ours)/float64(bare), "×bare")
	b.ReportMetric(float64(ours)/float64(same), "×same")
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

// What the bare loops say.
const (
	sayDiscover    = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bare","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	sayInitialize  = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}` + "\n"
	sayInitialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	sayListTools   = `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}` + "\n"
)

// shakeHands starts cmd and shakes hands by hand: with initialize alone, or with
// all that a run says.
func shakeHands(b *testing.B, cmd *exec.Cmd, all bool) (stop func()) {
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
	answers := bufio.NewReader(out)
	ask := func(what string) {
		_, _ = io.WriteString(in, what)
		if _, err := answers.ReadString('\n'); err != nil {
			b.Error(err)
		}
	}
	if all {
		ask(sayDiscover)
	}
	ask(sayInitialize)
	_, _ = io.WriteString(in, sayInitialized)
	if all {
		_, _ = io.WriteString(in, sayListTools) // its answer comes after the handshake
	}
	return func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, answers)
		_ = cmd.Wait()
	}
}

// BenchmarkRestartAfterLaunch restarts a server, from the order to the
// handshake; the metric is restart ÷ start of the same server, medians. The
// target is 1.2.
func BenchmarkRestartAfterLaunch(b *testing.B) {
	h := adoptingHost(b)
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
