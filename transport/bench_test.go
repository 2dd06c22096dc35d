package transport

import (
	"bufio"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/transport/guardian"
)

// Both benchmarks print ratios of one run, since the machine is the same for
// both sides of it: medians of rounds in which the sides take turns.
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

// subject is a server whose launches are compared.
type subject struct {
	name string
	n    int // how many of it are launched
	path string
	args []string
}

// subjects are a server of a few milliseconds, where each hundredth is one of
// rollcall's own, and what people run: one from npm, where it is installed.
func subjects(b *testing.B) []subject {
	b.Helper()
	all := []subject{{"demo", 200, self(b), []string{"demo", "healthy", "--beat", "0s"}}}
	if node, script, err := findReal("server-memory"); err == nil {
		all = append(all, subject{"memory", 40, node, []string{script}})
	}
	return all
}

// BenchmarkLaunch launches many servers, spawn to handshake, 4 × cores at once,
// as runs and as a bare loop that says initialize; the metric ×bare is runs ÷
// loop. The target is 1.15. ×same is the same with a loop that says what a run
// says: discovery first (T6), and then it has the tools listed. ×cpu is ×bare of
// the CPU time of both and their servers, from the first launch to the last
// one's end, without the guardian's: a busy machine changes that less. The heap
// grows as the program lets it while it starts; the loops have that too.
func BenchmarkLaunch(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			defer debug.SetGCPercent(debug.SetGCPercent(150))
			h, spec := adoptingHost(b), commandSpec(s.path, s.args...) // read and made beforehand, as a configuration is
			loop := func(all bool) spent {
				return launchAll(b, s.n, func() (stop func()) { return shakeHands(b, byHand(spec), all) })
			}
			var toBare, toSame, cpu, took []float64
			for b.Loop() {
				bare := loop(false)
				ours := launchAll(b, s.n, func() (stop func()) {
					w := start(b, h, spec)
					await[model.Handshaken](w)
					return func() { w.Stop(); await[model.Reaped](w) }
				})
				same := loop(true)
				toBare = append(toBare, ours.wall.Seconds()/bare.wall.Seconds())
				toSame = append(toSame, ours.wall.Seconds()/same.wall.Seconds())
				cpu = append(cpu, ours.cpu.Seconds()/bare.cpu.Seconds())
				took = append(took, ours.wall.Seconds()*1000/float64(s.n))
			}
			b.ReportMetric(median(toBare), "×bare")
			b.ReportMetric(median(toSame), "×same")
			b.ReportMetric(median(cpu), "×cpu")
			b.ReportMetric(median(took), "ms/launch")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// spent is what many launches took: until the last was there, and of CPU until
// the last had ended.
type spent struct{ wall, cpu time.Duration }

// launchAll runs launch n times, 4 × cores at once. All stay until the last is
// there.
func launchAll(b *testing.B, n int, launch func() (stop func())) spent {
	b.Helper()
	slots := make(chan struct{}, 4*runtime.NumCPU())
	stops := make([]func(), n)
	var all sync.WaitGroup
	begun, before := time.Now(), cpuTime(b)
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
	return spent{took, cpuTime(b) - before}
}

// cpuTime is what this process has spent, and those that it waited for.
func cpuTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var use syscall.Rusage
		if err := syscall.Getrusage(who, &use); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	return sum
}

// What the bare loops say.
const (
	sayDiscover    = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bare","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	sayInitialize  = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}` + "\n"
	sayInitialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	sayListTools   = `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}` + "\n"
)

// byHand is the command that a run of the spec launches, with the environment that
// it gives it.
func byHand(spec *model.Spec) *exec.Cmd {
	cmd := exec.Command(spec.Launch.Path)
	for _, a := range spec.Launch.Args {
		cmd.Args = append(cmd.Args, a.Reveal())
	}
	cmd.Env = []string{MarkVariable + "=" + guardian.AlertMark} // none of the host's
	for _, v := range spec.Launch.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value.Reveal())
	}
	return cmd
}

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
// handshake; ×start is restart ÷ start of the same server. The target is 1.2.
// ×bare is restart ÷ the same by hand. There the server is looked at in /proc
// once, as T1 wants it: whoever waits for a process that was looked at clears
// that away in the kernel, and loses its turn meanwhile where others want the CPU.
func BenchmarkRestartAfterLaunch(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			h, spec := adoptingHost(b), commandSpec(s.path, s.args...)
			launch := func() *watched {
				w := start(b, h, spec)
				await[model.Handshaken](w)
				return w
			}
			var starts, restarts, bares []float64
			for b.Loop() {
				for range max(1, s.n/20) {
					began := time.Now()
					w := launch()
					starts = append(starts, time.Since(began).Seconds())
					await[model.Connected](w)
					began = time.Now()
					w.Stop()
					await[model.Reaped](w)
					w = launch()
					restarts = append(restarts, time.Since(began).Seconds())
					w.stop()

					cmd := byHand(spec)
					stop := shakeHands(b, cmd, true)
					new(guardian.Kin).Learn(cmd.Process.Pid)
					began = time.Now()
					stop()
					stop = shakeHands(b, byHand(spec), true)
					bares = append(bares, time.Since(began).Seconds())
					stop()
				}
			}
			b.ReportMetric(median(starts)*1e6, "µs/start")
			b.ReportMetric(median(restarts)/median(starts), "×start")
			b.ReportMetric(median(restarts)/median(bares), "×bare")
			b.ReportMetric(0, "ns/op")
		})
	}
}
