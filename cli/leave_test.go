//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// kept is a configuration with two servers that come back at once, and the
// variable that tells their processes.
func kept(t *testing.T, more string) (path, id string) {
	t.Helper()
	id = strconv.Itoa(os.Getpid()) + "-" + strings.ReplaceAll(t.Name(), "/", "-")
	path = filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, fmt.Sprintf("%s\n[defaults]\nreconnect_interval = 50\n[servers.a]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\"]\nenv = { T1 = %q }\n"+
		"[servers.b]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\"]\nenv = { T1 = %q }\n", more, id, id))
	t.Cleanup(func() { // what should not be there any more
		for _, pid := range launchedBy(t, id) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return path, id
}

// underAShell types rollcall's command into an interactive shell, and returns
// the front's process and the engine's.
func underAShell(t *testing.T, path string) (x *terminal, front, engine int) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here: ", err)
	}
	rollcall := rollcallCommand(t, "-c", path)
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "--noediting", "-i")
	cmd.Env = append(rollcall.Env, "PS1=ready> ", "BASH_SILENCE_DEPRECATION_WARNING=1")
	x = onTerminal(t, cmd, 140, 30)
	x.Shows("ready>")
	x.Types("set -b; ") // it tells at once what becomes of a job
	x.Types(strings.Join(rollcall.Args, " ") + "; echo ended $?\n")
	x.Shows("2 settling")
	front = childOf(t, cmd.Process.Pid)
	engine = childOf(t, front)
	t.Cleanup(func() { _ = syscall.Kill(engine, syscall.SIGKILL) })
	return x, front, engine
}

// ends ends an engine that was left, and waits until nothing of it is there.
func ends(t *testing.T, engine int, id string) {
	t.Helper()
	if err := syscall.Kill(engine, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	untilLaunched(t, id, 0)
	comes(t, "the engine's end", func() bool { return syscall.Kill(engine, 0) != nil })
}

func TestN6_QGivesThePromptBackAndLeavesTheServers(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	x, front, engine := underAShell(t, path)
	before := launchedBy(t, id)
	tty := x.Name()
	x.Types("Q")
	x.Shows("ended 0")
	x.Shows(fmt.Sprintf("the servers run on, process %d", engine))
	joined := strings.Join(strings.Fields(x.Text()), "") // the terminal breaks lines as they fit
	for _, command := range []string{"`rollcall -c " + path + "` shows them again", "`rollcall -c " + path + " stop` ends them"} {
		if !strings.Contains(joined, strings.ReplaceAll(command, " ", "")) {
			t.Errorf("%s is not on the screen:\n%s", command, x.Text())
		}
	}
	x.Restored()
	if syscall.Kill(front, 0) == nil {
		t.Error("the front is still there")
	}
	if after := launchedBy(t, id); !slices.Equal(before, after) || len(after) != 2 {
		t.Errorf("the servers were %v and are %v", before, after)
	}
	for pid := range children(t, engine) { // the guardian is among them
		holdsNot(t, pid, tty)
	}
	holdsNot(t, engine, tty)
	x.Types("exit\n")
	if code := x.Exit(); code != 0 {
		t.Errorf("the shell's exit code is %d", code)
	}
	// A SIGHUP is an order to reload now, as for serve.
	if err := syscall.Kill(engine, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(before[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	comes(t, "its successor", func() bool {
		now := launchedBy(t, id)
		return len(now) == 2 && !slices.Contains(now, before[0])
	})
	ends(t, engine, id)
}

// holdsNot checks that a process has not opened the terminal.
func holdsNot(t *testing.T, pid int, tty string) {
	t.Helper()
	fds, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*") // nobody but root may see rollcall's
	for _, fd := range fds {
		if name, _ := os.Readlink(fd); name == tty {
			t.Errorf("process %d holds the terminal: %s", pid, fd)
		}
	}
}

func TestN6_AHangUp(t *testing.T) {
	hangUp := func(x *terminal) { x.HangUp() }
	signal := func(pid func(*terminal) int) func(*terminal) {
		return func(x *terminal) { _ = syscall.Kill(pid(x), syscall.SIGHUP) }
	}
	front := func(x *terminal) int { return x.PID() }
	for _, c := range []struct {
		name, file string
		hangUp     func(*terminal)
		servers    int
	}{
		{"of the terminal", "", hangUp, 2},
		{"of the terminal stops", "ui = { on_hangup = \"stop\" }", hangUp, 0},
		{"told to the front", "", signal(front), 2},
		{"told to the engine", "", signal((*terminal).engine), 2},
		{"told to all", "", signal(func(x *terminal) int { return -front(x) }), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path, id := kept(t, c.file)
			x := onTerminal(t, rollcallCommand(t, "-c", path), 140, 30) // leads its session, as under ssh -t
			x.Shows("2 settling")
			engine, before := x.engine(), launchedBy(t, id)
			t.Cleanup(func() { _ = syscall.Kill(engine, syscall.SIGKILL) })
			c.hangUp(x)
			if code := x.Exit(); code != 0 {
				t.Errorf("exit %d", code)
			}
			after := untilLaunched(t, id, c.servers)
			if c.servers == 0 {
				return
			}
			if !slices.Equal(before, after) {
				t.Errorf("the servers were %v and are %v", before, after)
			}
			if sid, err := unix.Getsid(engine); sid != engine {
				t.Errorf("the engine is in session %d, not in one of its own: %v", sid, err)
			}
			ends(t, engine, id)
		})
	}
}

// TestN6_SuspendedItSupervises: ctrl-z, a stop of the job and one of the front
// alone stop the front, and no more.
func TestN6_SuspendedItSupervises(t *testing.T) {
	for name, suspend := range map[string]func(x *terminal, front int){
		"ctrl-z":                   func(x *terminal, _ int) { x.Types("\x1a") },
		"SIGTSTP to the front":     func(_ *terminal, front int) { _ = syscall.Kill(front, syscall.SIGTSTP) },
		"SIGTSTP to the whole job": func(_ *terminal, front int) { _ = syscall.Kill(-front, syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, id := kept(t, "")
			x, front, engine := underAShell(t, path)
			for range 2 { // and again after it came back
				suspend(x, front)
				comes(t, "the front's stop", func() bool { return stateOf(t, front) == "T" })
				x.Shows("Stopped")
				x.Restored()
				was := launchedBy(t, id)
				if err := syscall.Kill(was[0], syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				comes(t, "its successor", func() bool {
					now := launchedBy(t, id)
					return len(now) == 2 && !slices.Contains(now, was[0])
				})
				told := x.stops()
				x.Types("bg\n") // it wants the terminal, and so stops again
				comes(t, "the front's stop, which the shell tells", func() bool { return x.stops() > told })
				if s := stateOf(t, engine); s == "T" {
					t.Error("the engine is stopped")
				}
				x.Types("fg\n")
				x.Shows("servers.toml  ")
				x.Shows("2 settling")
			}
			x.Types("qy")
			x.Restored()
			x.Types("echo it ended with $?\n")
			x.Shows("it ended with 0")
			untilLaunched(t, id, 0)
		})
	}
}

// stateOf is a process's state, as in ps.
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[:1]
}

// stops is how often the shell has told that a job stopped.
func (x *terminal) stops() int {
	return bytes.Count(x.Raw(), []byte("  Stopped"))
}

// TestX2_SuspendedItStops: who asks a suspended job for its end gets it.
func TestX2_SuspendedItStops(t *testing.T) {
	for name, end := range map[string]func(x *terminal, front, engine int){
		"kill %1":               func(x *terminal, _, _ int) { x.Types("kill %1\n") },
		"SIGTERM to the engine": func(_ *terminal, _, engine int) { _ = syscall.Kill(engine, syscall.SIGTERM) },
		"SIGKILL to the front":  func(_ *terminal, front, _ int) { _ = syscall.Kill(front, syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, id := kept(t, "")
			x, front, engine := underAShell(t, path)
			x.Types("\x1a")
			x.Shows("Stopped")
			end(x, front, engine)
			untilLaunched(t, id, 0)
			x.Types("fg\n")
			x.isTheShells()
		})
	}
}

// isTheShells checks that the terminal is as the shell has set it.
func (x *terminal) isTheShells() {
	x.t.Helper()
	x.Types("\nstty -a | tr ' ' '\\n' | grep -x -e icanon -e echo | tr '\\n' ' '; echo shell\n")
	x.Shows("icanon echo shell")
	x.Restored()
}

// TestT1_WithoutItsFrontTheEngineStops: the front of a shell's job is killed, and
// no terminal hangs up.
func TestT1_WithoutItsFrontTheEngineStops(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	x, front, _ := underAShell(t, path)
	if err := syscall.Kill(front, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	untilLaunched(t, id, 0)
	x.isTheShells()
}

// TestT1_TheFrontEndsWhatTheGuardianCannotFind: a process in a session of its
// own that threw its environment away, when the engine is killed.
func TestT1_TheFrontEndsWhatTheGuardianCannotFind(t *testing.T) {
	t.Parallel()
	nap := strconv.Itoa(100_000 + os.Getpid()) // seconds; what tells the process from others
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, fmt.Sprintf("[servers.a]\ncommand = \"sh\"\nargs = [\"-c\", \"env -i setsid sleep %s & exec ${ROLLCALL_EXE} demo healthy\"]\n", nap))
	naps := func() (pids []int) {
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range all {
			if b, _ := os.ReadFile(f); string(b) == "sleep\x00"+nap+"\x00" {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
				pids = append(pids, pid)
			}
		}
		return pids
	}
	t.Cleanup(func() {
		for _, pid := range naps() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	x := onTerminal(t, rollcallCommand(t, "-c", path), 140, 30)
	x.Shows("1 settling")
	comes(t, "the process", func() bool { return len(naps()) == 1 })
	if err := syscall.Kill(x.engine(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	x.Exit()
	if left := naps(); len(left) > 0 {
		t.Errorf("it outlived rollcall: %v", left)
	}
}

// TestD10_AnEngineThatIsKilledLeavesTheTerminalToTheShell: the front puts back
// what the engine could not, and says what happened.
func TestD10_AnEngineThatIsKilledLeavesTheTerminalToTheShell(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	x := onTerminal(t, rollcallCommand(t, "-c", path), 140, 30)
	x.Shows("2 settling")
	engine := x.engine()
	if err := syscall.Kill(engine, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := x.Exit(); code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit %d", code)
	}
	if left := launchedBy(t, id); len(left) > 0 {
		t.Errorf("it ended before %v", left)
	}
	x.AsItWas()
	x.Shows(fmt.Sprintf("rollcall: the engine's process %d was ended by a signal (killed); nothing that it had launched is left", engine))
}
