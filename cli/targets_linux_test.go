package cli

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTargets measures what it costs to leave and to come back, and prints it.
// It takes a minute and wants a quiet machine: ROLLCALL_LONG=1.
func TestTargets(t *testing.T) {
	if os.Getenv("ROLLCALL_LONG") == "" {
		t.Skip("a minute long: ROLLCALL_LONG=1")
	}
	t.Run("status and the first frame of 500 servers", func(t *testing.T) {
		engine, path := fleetOn(t, 500, `enabled = false`, "500 off")
		t.Logf("status: %v", quickest(10, func() { run1(t, on(t, engine, "status", "--json", "-c", path)) }))
		t.Logf("attach, to the first frame: %v", quickest(5, func() {
			x := onTerminal(t, on(t, engine, "attach", "-c", path), 200, 50)
			x.Shows("500 off")
			x.Close()
		}))
	})
	t.Run("200 servers, idle, and three dashboards", func(t *testing.T) {
		engine, path := fleetOn(t, 200, `args = ["demo", "healthy", "--beat", "0s"]`, "200 settling")
		pid := engine.Process.Pid
		settle(20 * time.Second)
		alone := share(t, pid, 15*time.Second)
		for range 3 {
			onTerminal(t, on(t, engine, "attach", "-c", path), 200, 50).Shows("200 settling")
		}
		settle(3 * time.Second)
		t.Logf("the engine: %.2f %% of a core alone, %.2f %% with three dashboards; %d MiB resident", alone, share(t, pid, 15*time.Second), residentOf(t, pid)>>20)
	})
	t.Run("logs -f of 40,000 lines a second", func(t *testing.T) { pours(t, 40_000, 10*time.Second) })
}

// fleetOn is serve with n servers, once status says that all is as it should be.
func fleetOn(t *testing.T, n int, entry, shows string) (*exec.Cmd, string) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[servers.server-%03d]\ncommand = \"${ROLLCALL_EXE}\"\n%s\n", i, entry)
	}
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, b.String())
	cmd := rollcallCommand(t, "serve", "-c", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	late := time.Now().Add(3 * time.Minute)
	for look := time.NewTicker(200 * time.Millisecond); ; <-look.C {
		out, _ := on(t, cmd, "status", "-c", path).Output()
		if strings.Contains(string(out), shows) {
			look.Stop()
			return cmd, path
		}
		if time.Now().After(late) {
			t.Fatalf("never %s: %.200s", shows, out)
		}
	}
}

// settle lets what has just happened pass.
func settle(d time.Duration) { <-time.After(d) }

// share is how much of a core a process takes, in percent.
func share(t *testing.T, pid int, over time.Duration) float64 {
	t.Helper()
	before := cpuOf(t, pid)
	settle(over)
	return float64(cpuOf(t, pid)-before) / float64(over) * 100
}

// cpuOf is user and system time of a process so far.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// quickest is the least time of n tries, and the one in the middle.
func quickest(n int, fn func()) string {
	took := make([]time.Duration, n)
	for i := range took {
		begun := time.Now()
		fn()
		took[i] = time.Since(begun).Round(100 * time.Microsecond)
	}
	slices.Sort(took)
	return fmt.Sprintf("%v at best, median %v", took[0], took[n/2])
}

func run1(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// pours follows a server that writes rate lines a second: none is lost.
func pours(t *testing.T, rate int, over time.Duration) {
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, fmt.Sprintf("[servers.pours]\ncommand = \"sh\"\nargs = [\"-c\", \"${ROLLCALL_EXE} %s %d & exec ${ROLLCALL_EXE} demo healthy --beat 0s\"]\n", pourName, rate))
	engine := rollcallCommand(t, "serve", "-c", path)
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Process.Signal(syscall.SIGTERM); _ = engine.Wait() })
	comes(t, "an engine that is well", func() bool { return on(t, engine, "status", "-c", path).Run() == nil })
	alone := share(t, engine.Process.Pid, over/2)
	follow := on(t, engine, "logs", "pours", "-f", "-n", "0", "--json", "-c", path)
	out, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	type sum struct{ lines, gone int }
	read := make(chan sum, 1)
	go func() {
		var s sum
		last := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			_, text, _ := strings.Cut(lines.Text(), `"line":"`)
			number, _, _ := strings.Cut(text, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				continue // rollcall's own, or the word that some were missed
			}
			if last >= 0 {
				s.gone += n - last - 1
			}
			last = n
			s.lines++
		}
		read <- s
	}()
	settle(time.Second)
	took := share(t, engine.Process.Pid, over)
	client := share(t, follow.Process.Pid, 2*time.Second)
	_ = follow.Process.Kill()
	s := <-read
	_ = follow.Wait()
	t.Logf("%d lines in %v, %d lost; the engine %.0f %% of a core, %.0f %% without a follower; the follower %.0f %%", s.lines, over+3*time.Second, s.gone, took, alone, client)
	if s.gone != 0 {
		t.Errorf("%d lines were lost", s.gone)
	}
}
