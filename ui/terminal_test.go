package ui

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/tty"
)

// terminal is a dashboard's, or a shell's.
type terminal struct {
	*tty.Terminal
	t *testing.T
}

// start starts the dashboard itself.
func start(t *testing.T, how string, width, height uint16, env ...string) *terminal {
	t.Helper()
	return startCommand(t, exec.Command(os.Args[0]), width, height, append(env, asDashboard+"="+how)...)
}

func startCommand(t *testing.T, cmd *exec.Cmd, width, height uint16, env ...string) *terminal {
	t.Helper()
	cmd.Env = append(os.Environ(), env...)
	return &terminal{tty.Start(t, cmd, width, height), t}
}

// ended waits for the process and checks that the terminal is as it was.
func (x *terminal) ended() {
	x.t.Helper()
	if code := x.Exit(); code != 0 {
		x.t.Errorf("the dashboard's process: exit %d", code)
	}
	x.AsItWas()
}

func TestD10_TerminalIsAsItWas(t *testing.T) {
	for _, c := range []struct {
		name, how string
		end       func(x *terminal)
		says      string
	}{
		{"q", "plain", func(x *terminal) { x.Types("q") }, "ended well"},
		{"ctrl-c", "plain", func(x *terminal) { x.Types("\x03") }, "ended well"},
		{"q and y while it holds the engine", "holds", func(x *terminal) {
			x.Types("q")
			x.Shows("quit and stop 6 running servers? y/n")
			x.Types("y")
		}, "ended well"},
		{"SIGTERM", "holds", func(x *terminal) { x.Signal(syscall.SIGTERM) }, "ended well"},
		{"SIGHUP", "holds", func(x *terminal) { x.Signal(syscall.SIGHUP) }, "ended well"},
		{"SIGINT", "holds", func(x *terminal) { x.Signal(syscall.SIGINT) }, "ended well"},
		{"q, y, and q again", "stops", func(x *terminal) {
			x.Types("q")
			x.Shows("running servers? y/n")
			x.Types("y")
			x.Shows("press q again to kill")
			x.Types("q")
		}, "ended well"},
		{"SIGTERM twice", "stops", func(x *terminal) {
			x.Signal(syscall.SIGTERM)
			x.Shows("press q again to kill")
			x.Signal(syscall.SIGTERM)
		}, "ended well"},
		{"SIGHUP, and then SIGTERM", "stops", func(x *terminal) {
			x.Signal(syscall.SIGHUP)
			x.Shows("press q again to kill")
			x.Signal(syscall.SIGTERM)
		}, "ended well"},
		{"panic in Update", "panic in Update", func(x *terminal) { x.Types("r") }, "panic: do: ‹SECRET›, stack true"},
		{"panic in a command", "panic in a command", func(x *terminal) { x.Types("jjj") }, "panic: lines: ‹SECRET›, stack true"},
		{"panic in a goroutine", "panic in a goroutine", func(*terminal) {}, "panic: next: ‹SECRET›, stack true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, c.how, 100, 24)
			if c.how != "panic in a goroutine" {
				x.Shows("notes")
			}
			c.end(x)
			x.Shows(c.says)
			x.ended()
			if bytes.Contains([]byte(x.Text()), []byte("hunter22")) {
				t.Error("the secret is on the screen")
			}
		})
	}
}

// clockTicks waits until the header's clock has changed n times, and returns how
// many bytes were written meanwhile, and in how many seconds: no fewer than n, and
// more where a busy machine has left some out.
func (x *terminal) clockTicks(n int) (bytes, seconds int) {
	x.t.Helper()
	clock := func(screen string) string {
		line, _, _ := strings.Cut(screen, "\n")
		return line[max(len(line)-10, 0):]
	}
	tick := func() int {
		was := clock(x.Text())
		x.Until("the clock goes on", func(s string) bool { return clock(s) != was })
		return len(x.Raw())
	}
	tick() // from one full second on
	from, to := tick(), 0
	began := time.Now()
	for range n {
		to = tick()
	}
	return to - from, max(n, int(time.Since(began).Round(time.Second).Seconds()))
}

func TestIdleFleetWritesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of wall clock")
	}
	for _, env := range []string{"SSH_TTY=", "SSH_TTY=/dev/pts/1"} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			x := start(t, "quiet", 120, 50, env)
			x.Shows("server-000")
			n, seconds := x.clockTicks(4)
			t.Logf("%d bytes a second for 200 idle servers", n/seconds)
			if n > 300*seconds {
				t.Errorf("%d bytes in %d s for 200 idle servers, at most 300 a second are allowed", n, seconds)
			}
		})
	}
}

func TestD10_SuspendComesBack(t *testing.T) {
	t.Parallel()
	x, _ := underAShell(t)
	x.Types("j\x1a")
	x.Shows("Stopped")
	x.Restored()
	x.Types("fg\n")
	x.Shows("▸  legacy-index")
	x.Types("q")
	x.Shows("ended well")
	x.Types("exit\n")
	x.ended()
}

func TestSuspendWithoutAShellDoesNotHang(t *testing.T) {
	t.Parallel()
	x := start(t, "plain", 100, 24)
	x.Shows("notes")
	x.Types("\x1a")
	x.Shows("nothing was suspended")
	x.Types("jq")
	x.Shows("ended well")
	x.ended()
}

func TestD9_NoColor(t *testing.T) {
	t.Parallel()
	coloured := func(env ...string) int {
		x := start(t, "plain", 100, 24, env...)
		x.Shows("? help")
		return x.Coloured()
	}
	if n := coloured("NO_COLOR=1"); n > 0 {
		t.Errorf("%d cells have a colour with NO_COLOR", n)
	}
	if n := coloured(); n == 0 {
		t.Error("no cell has a colour without NO_COLOR")
	}
}

func TestTheScreenFollowsItsSize(t *testing.T) {
	t.Parallel()
	x := start(t, "plain", 80, 24)
	x.Shows("notes")
	if strings.Contains(x.Text(), "STARTS") {
		t.Fatal("80 columns show the starts")
	}
	x.Resize(160, 40)
	x.Shows("STARTS")
	x.Types("q")
	x.Shows("ended well")
	x.ended()
}

func TestATerminalThatIsGoneEndsTheDashboard(t *testing.T) {
	t.Parallel()
	x := start(t, "holds", 100, 24)
	x.Shows("notes")
	x.HangUp()
	x.Exit()
}

func TestRunEndsWithItsContext(t *testing.T) {
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	defer in.Close()
	ctx, cancel := context.WithCancel(t.Context())
	e := newFake(tenPhases())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, e, Options{Input: in, Output: io.Discard}) }()
	e.read(t)
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Run did not return")
	}
}
