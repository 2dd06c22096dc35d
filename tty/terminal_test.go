package tty

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// sh starts a script on a terminal of 80×24.
func sh(t *testing.T, script string, env ...string) *Terminal {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(cmd.Environ(), env...)
	return Start(t, cmd, 80, 24)
}

// complaints is a test that fails without failing this one.
type complaints struct {
	testing.TB
	said string
}

func (c *complaints) Helper() {}

func (c *complaints) Errorf(format string, args ...any) { c.said += fmt.Sprintf(format, args...) }

func (c *complaints) Fatalf(format string, args ...any) {
	c.Errorf(format, args...)
	runtime.Goexit()
}

// about returns what a terminal's check says of it, without patience.
func about(x *Terminal, check func()) string {
	c := &complaints{TB: x.t}
	x.t, x.patience = c, 0
	defer func() { x.t, x.patience = c.TB, Patience }()
	done := make(chan struct{})
	go func() { defer close(done); check() }()
	<-done
	return c.said
}

func TestWhatIsTypedIsReadAndWhatIsWrittenShown(t *testing.T) {
	t.Parallel()
	x := sh(t, `printf 'hello \033[1mworld\033[0m\n'; read line; echo "got $line"; exit 3`)
	if screen := x.Shows("hello world"); screen != x.Text() {
		t.Errorf("Shows returned %q, the screen is %q", screen, x.Text())
	}
	if raw := string(x.Raw()); !strings.Contains(raw, "hello \x1b[1mworld") {
		t.Errorf("written was %q", raw)
	}
	was := x.Raw()
	x.Types("some text\n")
	x.Shows("got some text")
	for range 2 {
		if code := x.Exit(); code != 3 {
			t.Errorf("exit %d", code)
		}
	}
	x.AsItWas()
	if now := x.Raw(); len(now) <= len(was) || !strings.HasPrefix(string(now), string(was)) || cap(was) != len(was) {
		t.Errorf("written was %q (room for %d more), and then %q", was, cap(was)-len(was), now)
	}
}

func TestWhatNeverComesIsToldWithTheScreen(t *testing.T) {
	t.Parallel()
	x := sh(t, `printf '\033[?2004hthis alone'; read line`)
	x.Shows("this alone")
	said := about(x, func() { x.Shows("that") })
	for _, want := range []string{`never: shows "that"`, "mode 2004", "this alone"} {
		if !strings.Contains(said, want) {
			t.Errorf("it says %q, without %s", said, want)
		}
	}
	if said := about(x, func() { x.Exit() }); !strings.Contains(said, "did not end") {
		t.Errorf("of a process that goes on it says %q", said)
	}
}

// TestD10_WhatIsLeftOnIsFound: the checks of the tests of D10 can fail.
func TestD10_WhatIsLeftOnIsFound(t *testing.T) {
	for script, want := range map[string]string{
		`stty -echo`:            "settings differ",
		`stty raw`:              "settings differ",
		`stty -echo; stty echo`: "",
		`printf '\033[?1049h'`:  "the alternate screen",
		`printf '\033[?25l'`:    "a hidden cursor",
		`printf '\033[?1000h'`:  "mode 1000",
		`printf '\033[?7h'`:     "", // a line that is too long is broken: as a shell wants it
		`printf '\033[?1049h\033[?25l\033[?2004h\033[?2004l\033[?25h\033[?1049l'`: "",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			x := sh(t, script+`; printf done`)
			x.Shows("done")
			x.Exit()
			if said := about(x, x.AsItWas); want == "" && said != "" || !strings.Contains(said, want) {
				t.Errorf("it says %q, want %q", said, want)
			}
			if want == "settings differ" {
				x.Restored() // which looks at what was written alone
			} else if said := about(x, x.Restored); want == "" && said != "" || !strings.Contains(said, want) {
				t.Errorf("Restored says %q, want %q", said, want)
			}
		})
	}
}

func TestMisdeedsAreNoted(t *testing.T) {
	for script, want := range map[string]string{
		`printf '\a'`:                            "rang the bell",
		`printf '\033]2;mine\a'`:                 "set the title mine",
		`printf '\033]1;mine\a'`:                 "set the icon's name mine",
		`printf '\033]7;file://host/folder\a'`:   "set the folder file://host/folder",
		`printf 'plain\r\n\033[31mred\033[0m\n'`: "",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			x := sh(t, script+`; printf done`)
			x.Shows("done")
			if got := strings.Join(x.Misdeeds(), ", "); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestColouredCellsAreCounted(t *testing.T) {
	t.Parallel()
	x := sh(t, `printf '\033[1mbold\033[0m \033[31mred\033[0m \033[44m  \033[0m plain'`)
	x.Shows("plain")
	if n := x.Coloured(); n != 5 {
		t.Errorf("%d, want the 3 of a red word and 2 on blue", n)
	}
}

func TestResizeIsForBoth(t *testing.T) {
	t.Parallel()
	x := sh(t, `while read line; do stty size; printf '%0100d|\n' 0; done`)
	line := strings.Repeat("0", 100) + "|"
	x.Resize(160, 40)
	x.Types("\n")
	x.Shows("40 160")
	x.Shows(line)
	x.Claim(70, 2000)
	x.Types("\n")
	x.Shows("2000 70")
	x.Until("the second line", func(screen string) bool { return strings.Count(screen, line) == 2 })
	if n := strings.Count(x.Text(), "\n") + 1; n != 40 {
		t.Errorf("the screen itself has %d lines, want 40 still", n)
	}
}

// TestQuestionsAreAnswered: a program that asks where the cursor is waits for it.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	x := sh(t, `stty raw -echo; printf '\033[6n'; dd bs=1 count=6 2>/dev/null | tr '\033' E; stty sane`)
	x.Shows("E[1;1R")
}

func TestTheEnvironment(t *testing.T) {
	t.Setenv("TTY_TEST", "inherited")
	x := Start(t, exec.Command("sh", "-c", `echo $TERM $TZ $GORACE $TTY_TEST`), 80, 24)
	x.Shows("xterm-256color UTC atexit_sleep_ms=0 inherited")
	cmd := exec.Command("/bin/sh", "-c", `echo $TERM $TZ $GORACE $TTY_TEST; echo $$ on $(tty)`)
	cmd.Env = []string{"TTY_TEST=given", "TERM=dumb", "PATH=/bin:/usr/bin"}
	x = Start(t, cmd, 80, 24)
	x.Shows("xterm-256color UTC atexit_sleep_ms=0 given")
	x.Shows(fmt.Sprintf("%d on %s", x.PID(), x.Name()))
}

func TestEndsFromOutside(t *testing.T) {
	for name, end := range map[string]func(*Terminal){
		"a signal":            func(x *Terminal) { x.Signal(syscall.SIGTERM) },
		"one to all its jobs": func(x *Terminal) { _ = syscall.Kill(-x.PID(), syscall.SIGTERM) }, // it leads a group
		"ctrl-c":              func(x *Terminal) { x.Types("\x03") },                             // it is its session's own
		"Close":               (*Terminal).Close,
		"Close, twice":        func(x *Terminal) { x.Close(); x.Close() },
		"a hang-up":           (*Terminal).HangUp,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := sh(t, `trap '' HUP; echo ready; exec cat`) // a hang-up is an end of input then
			x.Shows("ready")
			end(x)
			if code := x.Exit(); code != -1 && !(name == "a hang-up" && code >= 0) {
				t.Errorf("exit %d", code)
			}
		})
	}
}

// startless is a test whose Start fails: what it registered is run by hand.
type startless struct {
	testing.TB
	cleanups []func()
	failed   bool
}

func (s *startless) Helper()          {}
func (s *startless) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }
func (s *startless) Fatal(...any)     { s.failed = true; runtime.Goexit() }

func TestNothingStaysOpenWhereNothingIsStarted(t *testing.T) {
	t.Parallel()
	s, cmd := &startless{TB: t}, exec.Command("/nonexistent/program")
	done := make(chan struct{})
	go func() { defer close(done); Start(s, cmd, 80, 24) }()
	<-done
	slave, opened := cmd.Stdin.(*os.File)
	if !opened {
		t.Skip("no pseudo terminal here")
	}
	if !s.failed {
		t.Error("what is not there was started")
	}
	other, err := syscall.Dup(int(slave.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(other)
	if err := syscall.SetNonblock(other, true); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.cleanups {
		f()
	}
	if _, err := slave.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the process's end is open: %v", err)
	}
	if _, err := syscall.Read(other, make([]byte, 1)); errors.Is(err, syscall.EAGAIN) {
		t.Error("the test's end is open")
	}
}
