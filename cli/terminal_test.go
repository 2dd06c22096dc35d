package cli

import (
	"os/exec"
	"testing"

	"rollcall/tty"
)

// terminal is a rollcall's, or that of a shell which runs one.
type terminal struct {
	*tty.Terminal
	t *testing.T
}

func onTerminal(t *testing.T, cmd *exec.Cmd, width, height uint16) *terminal {
	t.Helper()
	return &terminal{tty.Start(t, cmd, width, height), t}
}

// engine is the process that holds the engine: the child of the front.
func (x *terminal) engine() int {
	x.t.Helper()
	return childOf(x.t, x.PID())
}
