package tty

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
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

// Patience bounds each wait for something real. It is ample: no test is to fail
// since the machine has much else to do.
const Patience = 2 * time.Minute

// Terminal is a process on a pseudo terminal, seen through an emulator. Its
// methods may be called from any goroutine, but for those that wait or check
// (Until, Shows, Exit, AsItWas, Restored) and those that an error ends the test in
// (Types, Resize, Claim): they are the test's own goroutine's. What is waited for
// in vain ends the test; only AsItWas notes an error and goes on.
type Terminal struct {
	t             testing.TB
	patience      time.Duration
	cmd           *exec.Cmd
	wait          func() error
	master, slave *os.File
	before        *term.State // of the terminal before the process started

	changed chan struct{} // something was written since it was last received from
	mu      sync.Mutex
	screen  *vt.Emulator
	modes   map[ansi.Mode]bool // that were switched on and not off
	misdeed []string
	raw     []byte // all that was written
}

// Start starts a command on a terminal of width×height cells, in a session of
// its own. The command's environment, or the test's where it has none, gets a
// TERM, TZ=UTC and a GORACE. The command has Start's standard files and
// SysProcAttr, whatever was set. Where there is no pseudo terminal the test is
// skipped; another error ends it, and leaves nothing open. The process is killed,
// and the terminal closed, at the test's end.
func Start(t testing.TB, cmd *exec.Cmd, width, height uint16) *Terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal here: ", err)
	}
	t.Cleanup(func() { _, _ = slave.Close(), master.Close() }) // also where nothing is started
	// Fd has made it blocking: its Close would wait until the process writes.
	if err := syscall.SetNonblock(int(master.Fd()), true); err != nil {
		t.Fatal(err)
	}
	x := &Terminal{t: t, patience: Patience, cmd: cmd, wait: sync.OnceValue(cmd.Wait), master: master, slave: slave,
		changed: make(chan struct{}, 1), screen: vt.NewEmulator(int(width), int(height)), modes: map[ansi.Mode]bool{}}
	x.Claim(width, height)
	x.before = x.settings()
	x.screen.SetCallbacks(vt.Callbacks{ // all of them by Write, and so under mu
		EnableMode:       func(m ansi.Mode) { x.modes[m] = true },
		DisableMode:      func(m ansi.Mode) { delete(x.modes, m) },
		Bell:             func() { x.misdeed = append(x.misdeed, "rang the bell") },
		Title:            func(s string) { x.misdeed = append(x.misdeed, "set the title "+s) },
		IconName:         func(s string) { x.misdeed = append(x.misdeed, "set the icon's name "+s) },
		WorkingDirectory: func(s string) { x.misdeed = append(x.misdeed, "set the folder "+s) },
	})
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "TZ=UTC",
		"GORACE=atexit_sleep_ms=0") // with the race detector an end waits a second else
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go x.read()
	go x.reply()
	t.Cleanup(x.Close)
	return x
}

// read feeds the emulator.
func (x *Terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := x.master.Read(buf)
		if n > 0 {
			x.mu.Lock()
			x.raw = append(x.raw, buf[:n]...)
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

// reply gives the process what the emulator answers to its questions.
func (x *Terminal) reply() {
	buf := make([]byte, 1024)
	for {
		n, err := x.screen.Read(buf)
		if err != nil {
			return
		}
		_, _ = x.master.Write(buf[:n])
	}
}

// Close kills the process and takes the terminal away, as the test's end does.
// It may be called more than once.
func (x *Terminal) Close() {
	_ = x.cmd.Process.Kill()
	_ = x.wait()
	x.HangUp()
	if pipe, ok := x.screen.InputPipe().(io.Closer); ok { // its own Close races with Read
		_ = pipe.Close()
	}
}

// HangUp takes the terminal away from the process, as one that is closed does.
func (x *Terminal) HangUp() { _, _ = x.slave.Close(), x.master.Close() }

// Text is what is on the screen, without colours.
func (x *Terminal) Text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return ansi.Strip(x.screen.String())
}

// Raw is all that was written so far, control sequences and all; not to be
// changed.
func (x *Terminal) Raw() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clip(x.raw) // what follows is written behind it
}

// Misdeeds are what was done that no server may do to a terminal: bells,
// titles, in their order.
func (x *Terminal) Misdeeds() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.misdeed)
}

// Coloured is how many cells of the screen have a colour, theirs or behind them.
func (x *Terminal) Coloured() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for row := range x.screen.Height() {
		for column := range x.screen.Width() {
			if c := x.screen.CellAt(column, row); c != nil && (c.Style.Fg != nil || c.Style.Bg != nil) {
				n++
			}
		}
	}
	return n
}

// Until waits for the screen to satisfy a condition, and returns it; what names
// the condition where it is never satisfied, which ends the test.
func (x *Terminal) Until(what string, ok func(screen string) bool) string {
	x.t.Helper()
	deadline := time.After(x.patience)
	for {
		screen := x.Text()
		if ok(screen) {
			return screen
		}
		select {
		case <-x.changed:
		case <-deadline:
			x.t.Fatalf("never: %s; still on:%s; the screen:\n%s", what, x.stillOn(), x.Text())
		}
	}
}

// Shows waits for a text, which no line's end breaks, and returns the screen. A
// text that never comes ends the test.
func (x *Terminal) Shows(s string) string {
	x.t.Helper()
	return x.Until(fmt.Sprintf("shows %q", s), func(screen string) bool { return strings.Contains(screen, s) })
}

// Types types keys. An error ends the test.
func (x *Terminal) Types(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// Resize gives the terminal another size, in cells, and tells the job in the
// foreground. An error ends the test.
func (x *Terminal) Resize(width, height uint16) {
	x.t.Helper()
	x.mu.Lock()
	x.screen.Resize(int(width), int(height))
	x.mu.Unlock()
	x.Claim(width, height)
}

// Claim tells the process of a size that the screen need not have. An error ends
// the test.
func (x *Terminal) Claim(width, height uint16) {
	x.t.Helper()
	// Of the slave, for Fd's sake: see Start. It is the same terminal.
	if err := pty.Setsize(x.slave, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		x.t.Fatal(err)
	}
}

// Name is the terminal's, as in ps: /dev/pts/3.
func (x *Terminal) Name() string { return x.slave.Name() }

// PID is the process's own. It leads its session and its group.
func (x *Terminal) PID() int { return x.cmd.Process.Pid }

// Signal sends the process a signal, where it still is.
func (x *Terminal) Signal(sig os.Signal) { _ = x.cmd.Process.Signal(sig) }

// Exit waits for the process, and returns its exit code; -1 is a signal. One
// that does not end, ends the test.
func (x *Terminal) Exit() int {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			x.t.Fatalf("the process: %v", err)
		}
		return x.cmd.ProcessState.ExitCode()
	case <-time.After(x.patience):
		x.t.Fatalf("the process did not end; the screen:\n%s", x.Text())
	}
	return 0
}
