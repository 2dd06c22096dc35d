package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestX2_TheScreenShowsTheStop: the dashboard stays while its servers are
// stopped, says what it waits for, and a second q kills.
func TestX2_TheScreenShowsTheStop(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(x *terminal)
		kill func(x *terminal)
	}{
		{"q", func(x *terminal) { x.Types("q"); x.Shows("? y/n"); x.Types("y") }, func(x *terminal) { x.Types("q") }},
		{"SIGTERM", func(x *terminal) { x.Signal(syscall.SIGTERM) }, func(x *terminal) { x.Signal(syscall.SIGTERM) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "servers.toml")
			write(t, path, "[servers.mule]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"stubborn\"]\nstop_grace = \"1m\"\n")
			x := onTerminal(t, rollcallCommand(t, "-c", path), 120, 24)
			x.Shows("settling")
			c.stop(x)
			x.Shows("stopping 1 server: mule")
			x.Shows("press q again to kill")
			began := time.Now()
			c.kill(x)
			if code := x.Exit(); code != 0 {
				t.Errorf("exit %d", code)
			}
			if took := time.Since(began); took > patience/2 {
				t.Errorf("the kill took %s", took)
			}
			x.AsItWas()
			if s := x.Text(); strings.Contains(s, "stopping") {
				t.Errorf("it is said twice:\n%s", s)
			}
		})
	}
}
