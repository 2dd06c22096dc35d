package guardian

import (
	"encoding/binary"
	"encoding/hex"
	"os"

	"golang.org/x/sys/unix"
)

// terminal is a terminal, and what it was before rollcall changed it.
type terminal struct {
	file  *os.File
	state unix.Termios
	known bool // false: no terminal
}

// State is how a terminal is set, as a text; empty where f is none.
func State(f *os.File) string {
	if f == nil {
		return ""
	}
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return ""
	}
	b, _ := binary.Append(nil, binary.NativeEndian, state) // it is of numbers only
	return hex.EncodeToString(b)
}

// openTerminal is f as State has found it.
func openTerminal(f *os.File, state string) terminal {
	t := terminal{file: f}
	b, err := hex.DecodeString(state)
	if err == nil {
		_, err = binary.Decode(b, binary.NativeEndian, &t.state)
	}
	t.known = err == nil
	return t
}

// putBack makes the terminal what it was. It is for while rollcall is alive
// still: afterwards a shell may have set its own modes.
func (t terminal) putBack() {
	if t.known {
		_ = unix.IoctlSetTermios(int(t.file.Fd()), unix.TCSETS, &t.state)
		t.leaveScreen()
	}
}

// leaveScreen makes the screen what it was: whoever reads it, a shell does not
// mind.
func (t terminal) leaveScreen() {
	if t.known {
		_, _ = t.file.WriteString(LeaveScreen)
	}
}
