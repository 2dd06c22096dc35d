package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
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

// terminal is a rollcall on a pseudo terminal, seen through an emulator.
type terminal struct {
	t             *testing.T
	cmd           *exec.Cmd
	master, slave *os.File
	before        *term.State

	mu      sync.Mutex
	screen  *vt.Emulator
	modes   map[ansi.Mode]bool // on and not off again
	misdeed []string           // what no server may do: bells, titles
	raw     []byte             // all that was written
	changed chan struct{}
}

func onTerminal(t *testing.T, cmd *exec.Cmd, width, height uint16) *terminal {
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
		modes: map[ansi.Mode]bool{}, changed: make(chan struct{}, 1)}
	x.screen.SetCallbacks(vt.Callbacks{
		EnableMode:       func(m ansi.Mode) { x.modes[m] = true },
		DisableMode:      func(m ansi.Mode) { delete(x.modes, m) },
		Bell:             func() { x.misdeed = append(x.misdeed, "rang the bell") },
		Title:            func(s string) { x.misdeed = append(x.misdeed, "set the title "+s) },
		IconName:         func(s string) { x.misdeed = append(x.misdeed, "set the icon's name "+s) },
		WorkingDirectory: func(s string) { x.misdeed = append(x.misdeed, "set the folder "+s) },
	})
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "TZ=UTC")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go x.read()
	go x.reply()
	t.Cleanup(x.close)
	return x
}

func (x *terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := x.master.Read(buf)
		if err != nil {
			return
		}
		x.mu.Lock()
		x.raw = append(x.raw, buf[:n]...)
		_, _ = x.screen.Write(buf[:n])
		x.mu.Unlock()
		select {
		case x.changed <- struct{}{}:
		default:
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
	_, _ = x.slave.Close(), x.master.Close()
	if pipe, ok := x.screen.InputPipe().(io.Closer); ok { // its own Close races with Read
		_ = pipe.Close()
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return ansi.Strip(x.screen.String())
}

func (x *terminal) types(s string) {
	x.t.Helper()
	if _, err := x.master.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) shows(s string) string {
	x.t.Helper()
	deadline := time.After(patience)
	for {
		screen := x.text()
		if strings.Contains(screen, s) {
			return screen
		}
		select {
		case <-x.changed:
		case <-deadline:
			x.t.Fatalf("never: %q; the screen:\n%s", s, screen)
		}
	}
}

// engine is the process that holds the engine: the child of the front.
func (x *terminal) engine() int {
	x.t.Helper()
	return childOf(x.t, x.cmd.Process.Pid)
}

// exit waits for the process, and returns its exit code.
func (x *terminal) exit() int {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case err := <-done:
		var code *exec.ExitError
		if errors.As(err, &code) {
			return code.ExitCode()
		}
		return 0
	case <-time.After(patience):
		x.t.Fatal("rollcall did not end")
	}
	return 0
}

// asItWas checks that the terminal is as it was before (D10).
func (x *terminal) asItWas() {
	x.t.Helper()
	after, err := term.GetState(x.slave.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	if *after != *x.before {
		x.t.Errorf("the terminal's settings differ:\nbefore %+v\nafter  %+v", *x.before, *after)
	}
	x.left()
}

// left waits until the screen was left: what was written may not have been read
// yet.
func (x *terminal) left() {
	x.t.Helper()
	deadline := time.After(patience)
	for {
		wrong := x.stillOn()
		if wrong == "" {
			return
		}
		select {
		case <-x.changed:
		case <-deadline:
			x.t.Errorf("still on: %s", wrong)
			return
		}
	}
}

// stillOn is what of the screen's state a shell does not want.
func (x *terminal) stillOn() (wrong string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.screen.IsAltScreen() {
		wrong += " the alternate screen"
	}
	if x.screen.CursorHidden() {
		wrong += " a hidden cursor"
	}
	for m := range x.modes {
		if m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			wrong += fmt.Sprintf(" mode %v", m)
		}
	}
	return wrong
}

// linesOf reads lines until the end of the output.
func linesOf(out io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !yield(lines.Text()) {
				return
			}
		}
	}
}

// jsonEvent is what the tests read of a line of `serve --json`.
type jsonEvent struct {
	Event, Server, Line, Error string
	PID                        int
}

// eventsOf reads events until the end of the output, which it always reads to.
func eventsOf(out io.Reader) iter.Seq[jsonEvent] {
	return func(yield func(jsonEvent) bool) {
		dec := json.NewDecoder(out)
		for {
			var ev jsonEvent
			if dec.Decode(&ev) != nil {
				return
			}
			if !yield(ev) {
				go func() { _, _ = io.Copy(io.Discard, out) }()
				return
			}
		}
	}
}
