package cli

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// crashVariable makes the test binary a rollcall that breaks at SIGUSR1, in a
// goroutine where nobody recovers: "panic", or "fatal", which no one could.
const crashVariable = "ROLLCALL_TEST_CRASH"

// breakWhenAsked waits for SIGUSR1 where this process is to break.
func breakWhenAsked() {
	how := os.Getenv(crashVariable)
	if how == "" {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		<-asked
		if how == "panic" {
			panic("the value of a panic: " + os.Getenv("CANARY_SECRET"))
		}
		new(sync.Mutex).Unlock() // fatal error: sync: unlock of unlocked mutex
	}()
}

// rollcallCommand is the test binary as rollcall.
func rollcallCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rollcall := filepath.Join(t.TempDir(), "rollcall")
	if err := os.Symlink(exe, rollcall); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), rollcall, args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	return cmd
}

const steady = "[servers.a]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\"]\n"

func TestR4_AFatalErrorShowsNoSecretAndPutsTheTerminalBack(t *testing.T) {
	for how, shows := range map[string]string{"panic": "panic: (withheld)", "fatal": "fatal error: sync: unlock of unlocked mutex"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "servers.toml")
			write(t, path, steady)
			cmd := rollcallCommand(t, "-c", path)
			cmd.Env = append(cmd.Env, crashVariable+"="+how, "CANARY_SECRET=canary-4711-canary")
			x := onTerminal(t, cmd, 120, 30)
			x.shows("settling")
			if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			x.shows("crash_test.go:") // the trace says where
			if code := x.exit(); code != 2 {
				t.Errorf("exit %d, want a Go program's 2", code)
			}
			x.asItWas()
			screen := x.text()
			if !strings.Contains(screen, shows) || strings.Contains(screen, "canary-4711") {
				t.Errorf("the screen, want %s on it and no secret:\n%s", shows, screen)
			}
		})
	}
}

func TestR4_NoCoreOfRollcallButOfWhatItLaunches(t *testing.T) {
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &was); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, steady)
	cmd := rollcallCommand(t, "serve", "--json", "-c", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := 0
	for ev := range eventsOf(out) {
		if ev.Event == "connected" {
			child = ev.PID
			break
		}
	}
	for pid, want := range map[int]uint64{cmd.Process.Pid: 0, child: was.Max} {
		var got unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &got); err != nil {
			t.Fatal(err)
		}
		if pid == child {
			want = was.Cur
		}
		if got.Cur != want || got.Max != was.Max {
			t.Errorf("pid %d has the limit %d of %d, want %d of %d", pid, got.Cur, got.Max, want, was.Max)
		}
	}
	// The kernel gives the /proc files of a process that must not be dumped to root.
	if os.Getuid() != 0 {
		if _, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/environ"); err == nil {
			t.Error("another process may read its environment")
		}
	}
	if _, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/environ"); err != nil {
		t.Errorf("the launch's environment cannot be read, and its mark not be found: %v", err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
