package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a process on a pseudo terminal, seen through an emulator.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	before *term.State // of the terminal before the process started
	slave  *os.File

	mu       sync.Mutex
	screen   *vt.Emulator
	modes    map[ansi.Mode]bool // that were switched on and not off
	written  int
	changed  chan struct{}
	finished chan struct{}
}

// start starts the dashboard itself.
func start(t *testing.T, how string, width, height uint16, env ...string) *terminal {
	t.Helper()
	return startCommand(t, exec.Command(os.Args[0]), width, height, append(env, asDashboard+"="+how)...)
}

func startCommand(t *testing.T, cmd *exec.Cmd, width, height uint16, env ...string) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal here: ", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(slave.Fd())
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: cmd, master: master, slave: slave, before: before, screen: vt.NewEmulator(int(width), int(height)),
		modes: map[ansi.Mode]bool{}, changed: make(chan struct{}, 1), finished: make(chan struct{})}
	x.screen.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { x.modes[m] = true },
		DisableMode: func(m ansi.Mode) { delete(x.modes, m) },
	})
	x.cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", "TZ=UTC",
		"GORACE=atexit_sleep_ms=0"}, env...)...) // with the race detector an end waits a second else
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go x.read()
	go x.reply()
	t.Cleanup(x.close)
	return x
}

// read feeds the emulator.
func (x *terminal) read() {
	defer close(x.finished)
	buf := make([]byte, 1<<16)
	for {
		n, err := x.master.Read(buf)
		if n > 0 {
			x.mu.Lock()
			x.written += n
			_, _ = x.screen.Write(buf[:n])
			x.mu.Unlock()
			select {
			case x.changed <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// reply gives the process what the emulator answers to its queries.
func (x *terminal) reply() {
	buf := make([]byte, 1024)
	for {
		n, err := x.screen.Read(buf)
		if err != nil {
			return
		}
		_, _ = x.master.Write(buf[:n])
	}
}

func (x *terminal) close() {
	_ = x.cmd.Process.Kill()
	_ = x.cmd.Wait()
	_ = x.slave.Close()
	_ = x.master.Close()
	if pipe, ok := x.screen.InputPipe().(io.Closer); ok { // its own Close races with Read
		_ = pipe.Close()
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return ansi.Strip(x.screen.String())
}

// until waits for the screen to satisfy a condition.
func (x *terminal) until(what string, ok func(screen string) bool) {
	x.t.Helper()
	deadline := time.After(patience)
	for {
		if ok(x.text()) {
			return
		}
		select {
		case <-x.changed:
		case <-deadline:
			x.mu.Lock()
			modes := fmt.Sprint(x.modes)
			x.mu.Unlock()
			x.t.Fatalf("never: %s; modes %s; the screen:\n%s", what, modes, x.text())
		}
	}
}

func (x *terminal) shows(s string) {
	x.t.Helper()
	x.until("shows "+s, func(screen string) bool { return strings.Contains(screen, s) })
}

func (x *terminal) types(s string) {
	x.t.Helper()
	if _, err := x.master.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// ended waits for the process and checks that the terminal is as it was.
func (x *terminal) ended() {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			x.t.Errorf("the dashboard's process: %v", err)
		}
	case <-time.After(patience):
		x.t.Fatal("the dashboard's process did not end")
	}
	after, err := term.GetState(x.slave.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	if *after != *x.before {
		x.t.Errorf("the terminal's settings differ:\nbefore %+v\nafter  %+v", *x.before, *after)
	}
	x.restored()
}

// restored waits until the emulator's modes are as a shell wants them: what was
// written may not have been read yet.
func (x *terminal) restored() {
	x.t.Helper()
	x.until("a screen as a shell wants it", func(string) bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		for m := range x.modes {
			if m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
				return false
			}
		}
		return !x.screen.IsAltScreen() && !x.screen.CursorHidden()
	})
}

func TestD10_TerminalIsAsItWas(t *testing.T) {
	for _, c := range []struct {
		name, how string
		end       func(x *terminal)
		says      string
	}{
		{"q", "plain", func(x *terminal) { x.types("q") }, "ended well"},
		{"ctrl-c", "plain", func(x *terminal) { x.types("\x03") }, "ended well"},
		{"q and y while it holds the engine", "holds", func(x *terminal) {
			x.types("q")
			x.shows("quit and stop 6 running servers? y/n")
			x.types("y")
		}, "ended well"},
		{"SIGTERM", "holds", func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGTERM) }, "ended well"},
		{"SIGHUP", "holds", func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGHUP) }, "ended well"},
		{"SIGINT", "holds", func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGINT) }, "ended well"},
		{"q, y, and q again", "stops", func(x *terminal) {
			x.types("q")
			x.shows("running servers? y/n")
			x.types("y")
			x.shows("press q again to kill")
			x.types("q")
		}, "ended well"},
		{"SIGTERM twice", "stops", func(x *terminal) {
			_ = x.cmd.Process.Signal(syscall.SIGTERM)
			x.shows("press q again to kill")
			_ = x.cmd.Process.Signal(syscall.SIGTERM)
		}, "ended well"},
		{"SIGHUP, and then SIGTERM", "stops", func(x *terminal) {
			_ = x.cmd.Process.Signal(syscall.SIGHUP)
			x.shows("press q again to kill")
			_ = x.cmd.Process.Signal(syscall.SIGTERM)
		}, "ended well"},
		{"panic in Update", "panic in Update", func(x *terminal) { x.types("r") }, "panic: do: ‹SECRET›, stack true"},
		{"panic in a command", "panic in a command", func(x *terminal) { x.types("jjj") }, "panic: lines: ‹SECRET›, stack true"},
		{"panic in a goroutine", "panic in a goroutine", func(*terminal) {}, "panic: next: ‹SECRET›, stack true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, c.how, 100, 24)
			if c.how != "panic in a goroutine" {
				x.shows("notes")
			}
			c.end(x)
			x.shows(c.says)
			x.ended()
			if bytes.Contains([]byte(x.text()), []byte("hunter22")) {
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
		was := clock(x.text())
		x.until("the clock goes on", func(s string) bool { return clock(s) != was })
		x.mu.Lock()
		defer x.mu.Unlock()
		return x.written
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
			x.shows("server-000")
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
	x.types("j\x1a")
	x.shows("Stopped")
	x.until("the shell's own screen", func(string) bool { return !x.altScreen() })
	x.restored()
	x.types("fg\n")
	x.shows("▸  legacy-index")
	x.types("q")
	x.shows("ended well")
	x.types("exit\n")
	x.ended()
}

func (x *terminal) altScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.IsAltScreen()
}

func TestSuspendWithoutAShellDoesNotHang(t *testing.T) {
	t.Parallel()
	x := start(t, "plain", 100, 24)
	x.shows("notes")
	x.types("\x1a")
	x.shows("nothing was suspended")
	x.types("jq")
	x.shows("ended well")
	x.ended()
}

func TestD9_NoColor(t *testing.T) {
	t.Parallel()
	coloured := func(env ...string) (n int) {
		x := start(t, "plain", 100, 24, env...)
		x.shows("? help")
		x.mu.Lock()
		defer x.mu.Unlock()
		for y := range 24 {
			for column := range 100 {
				if c := x.screen.CellAt(column, y); c != nil && (c.Style.Fg != nil || c.Style.Bg != nil) {
					n++
				}
			}
		}
		return n
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
	x.shows("notes")
	if strings.Contains(x.text(), "STARTS") {
		t.Fatal("80 columns show the starts")
	}
	x.mu.Lock()
	x.screen.Resize(160, 40)
	x.mu.Unlock()
	if err := pty.Setsize(x.master, &pty.Winsize{Cols: 160, Rows: 40}); err != nil {
		t.Fatal(err)
	}
	x.shows("STARTS")
	x.types("q")
	x.shows("ended well")
	x.ended()
}

func TestATerminalThatIsGoneEndsTheDashboard(t *testing.T) {
	t.Parallel()
	x := start(t, "holds", 100, 24)
	x.shows("notes")
	_ = x.slave.Close()
	_ = x.master.Close()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the dashboard lives on without a terminal")
	}
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
