package tty

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// AsItWas checks that the terminal's settings are as before the process, and
// that the screen is Restored (D10). Settings that differ are an error after which
// the test goes on. The terminal must be open still: after HangUp or Close there
// are no settings to read, which ends the test.
func (x *Terminal) AsItWas() {
	x.t.Helper()
	if after := x.settings(); *after != *x.before {
		x.t.Errorf("the terminal's settings differ:\nbefore %+v\nafter  %+v", *x.before, *after)
	}
	x.Restored()
}

// Restored waits until the screen is as a shell wants it, whatever its settings:
// what was written may not have been read yet. One that never is ends the test.
func (x *Terminal) Restored() {
	x.t.Helper()
	x.Until("a screen as a shell wants it", func(string) bool { return x.stillOn() == "" })
}

// stillOn is what of the screen's state a shell does not want.
func (x *Terminal) stillOn() (wrong string) {
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

// settings are the line discipline's: echo, raw, and so on.
func (x *Terminal) settings() *term.State {
	x.t.Helper()
	s, err := term.GetState(x.slave.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	return s
}
