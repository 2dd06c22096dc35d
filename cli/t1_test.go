package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/transport"
)

// clingy are servers that do not want to go, and stopGrace their stop_grace.
// Each bears a variable of the test's own beside the mark of its launch.
var clingy = []struct {
	name, args string
	processes  int
}{
	{"stubborn", `"stubborn"`, 1},
	{"grandchild", `"stubborn", "--child", "group"`, 2},
	{"runaway", `"stubborn", "--child", "session"`, 2},
	{"daemon", `"stubborn", "--child", "daemon"`, 2},
	{"launched", `"ws", "--ignore", "--child", "session", "--listen", "127.0.0.1:0"`, 2},
}

const stopGrace = time.Second

// clingyFleet is their configuration, and how many processes they are.
func clingyFleet(id string) (text string, processes int) {
	var b strings.Builder
	for _, c := range clingy {
		fmt.Fprintf(&b, "[servers.%s]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", %s]\nstop_grace = %d\nenv = { T1 = %q }\n",
			c.name, c.args, stopGrace.Milliseconds(), id)
		if c.name == "launched" { // it never answers there
			b.WriteString("url = \"ws://127.0.0.1:1/\"\n")
		}
		processes += c.processes
	}
	return b.String(), processes
}

// launchedBy are the living processes that bear the mark of a launch and the
// test's own variable.
func launchedBy(t *testing.T, id string) []int {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("no process table to look at here: ", err)
	}
	var pids []int
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		env, _ := os.ReadFile("/proc/" + d.Name() + "/environ") // empty for a zombie
		if bytes.Contains(env, []byte("\x00T1="+id+"\x00")) && bytes.Contains(env, []byte(transport.MarkVariable+"=")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// comes polls a condition. What that looks at is the system's process table, as
// a rule, and takes its time.
func comes(t *testing.T, what string, ok func() bool) {
	t.Helper()
	look := time.NewTicker(40 * time.Millisecond)
	defer look.Stop()
	for late := time.Now().Add(patience); !ok(); <-look.C {
		if time.Now().After(late) {
			t.Fatalf("never: %s", what)
		}
	}
}

// untilLaunched waits until so many of them live, and returns them.
func untilLaunched(t *testing.T, id string, n int) (pids []int) {
	t.Helper()
	comes(t, fmt.Sprintf("%d processes", n), func() bool {
		pids = launchedBy(t, id)
		return len(pids) == n
	})
	return pids
}

// TestT1_NothingOutlivesRollcall ends the whole program in each way that there
// is, and then looks at the process table.
func TestT1_NothingOutlivesRollcall(t *testing.T) {
	send := func(sig syscall.Signal, to func(*terminal) int) func(*terminal) {
		return func(x *terminal) {
			if err := syscall.Kill(to(x), sig); err != nil {
				x.t.Fatal(err)
			}
		}
	}
	front := func(x *terminal) int { return x.PID() }
	group := func(x *terminal) int { return -x.PID() }
	engine := (*terminal).engine
	for _, c := range []struct {
		name string
		end  func(*terminal)
		code int
		slow bool // the servers were given their time: the signal counted once (X2)
	}{
		{"q", func(x *terminal) { x.Types("q"); x.Shows("? y/n"); x.Types("y") }, 0, true},
		{"SIGTERM", send(syscall.SIGTERM, front), 0, true},
		{"SIGTERM to all", send(syscall.SIGTERM, group), 0, true},
		{"SIGHUP", send(syscall.SIGHUP, front), 0, true},
		{"SIGKILL", send(syscall.SIGKILL, front), -1, true},
		{"SIGKILL to the engine", send(syscall.SIGKILL, engine), 128 + int(syscall.SIGKILL), false},
		{"SIGKILL to all", send(syscall.SIGKILL, group), -1, false},
		{"a panic", send(syscall.SIGUSR1, engine), 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id := strings.ReplaceAll(c.name, " ", "-") + "-" + strconv.Itoa(os.Getpid())
			text, n := clingyFleet(id)
			path := filepath.Join(t.TempDir(), "servers.toml")
			if c.name == "SIGHUP" { // else it serves on (N6)
				text += "[ui]\non_hangup = \"stop\"\n"
			}
			write(t, path, text)
			cmd := rollcallCommand(t, "-c", path)
			cmd.Env = append(cmd.Env, crashVariable+"=panic")
			x := onTerminal(t, cmd, 120, 30)
			x.Shows("4 settling")
			t.Cleanup(func() { // what should not be there any more
				for _, pid := range launchedBy(t, id) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			untilLaunched(t, id, n)
			begun := time.Now()
			c.end(x)
			untilLaunched(t, id, 0)
			took := time.Since(begun)
			if c.slow && took < stopGrace/2 {
				t.Errorf("all were killed after %v, though they have %v", took, stopGrace)
			}
			t.Logf("nothing was left after %v", took.Round(time.Millisecond))
			if code := x.Exit(); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
		})
	}
}

// TestT1_AnInitReapsWhatIsLeftToIt runs serve as PID 1 of a namespace of its
// own, as in a container: what loses its parent there becomes its child.
func TestT1_AnInitReapsWhatIsLeftToIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, "[servers.a]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\", \"--child\", \"orphan\"]\n")
	inner := rollcallCommand(t, "serve", "--json", "--logs", "-c", path)
	cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--pid", "--fork", "--mount-proc", inner.Path}, inner.Args[1:]...)...)
	cmd.Env = inner.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespace can be made here: %v: %s", err, out)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	up, orphaned := false, false
	for ev := range eventsOf(out) {
		up = up || ev.Event == "connected"
		orphaned = orphaned || strings.HasPrefix(ev.Line, "child ")
		if up && orphaned {
			break
		}
	}
	one := childOf(t, cmd.Process.Pid)
	t.Cleanup(func() { _ = syscall.Kill(one, syscall.SIGTERM) }) // runs before Wait
	// The orphan leaves after 100 ms: a zombie then, until it is reaped. Guardian
	// and server stay.
	comes(t, "PID 1 with the guardian and the server alone for children", func() bool {
		kids := children(t, one)
		return len(kids) == 2 && !strings.Contains(fmt.Sprint(kids), "Z")
	})
}

// childOf is the one child of a process.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	for child := range children(t, pid) {
		return child
	}
	t.Fatalf("process %d has no child", pid)
	return 0
}

// children are the states of a process's children, by PID.
func children(t *testing.T, parent int) map[int]string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	kids := map[int]string{}
	for _, path := range stats {
		b, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(b), ") ")
		f := strings.Fields(rest)
		if len(f) > 1 && f[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			kids[pid] = f[0]
		}
	}
	return kids
}
