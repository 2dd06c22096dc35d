package cli

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
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
	run, err := os.MkdirTemp("", "rc") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_RUNTIME_DIR="+run)
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
			x.Shows("settling")
			if err := syscall.Kill(x.engine(), syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			x.Shows("crash_test.go:") // the trace says where
			if code := x.Exit(); code != 2 {
				t.Errorf("exit %d, want a Go program's 2", code)
			}
			x.AsItWas()
			screen := x.Text()
			if !strings.Contains(screen, shows) || strings.Contains(screen, "canary-4711") {
				t.Errorf("the screen, want %s on it and no secret:\n%s", shows, screen)
			}
		})
	}
}
