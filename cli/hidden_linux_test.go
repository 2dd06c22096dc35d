package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestT1_WhatHidesButHoldsAnOutputDiesWithAKilledEngine: it has neither group nor
// session nor environment nor parent of its launch, and nobody looked while it
// had; but it still writes to the launch's stderr.
func TestT1_WhatHidesButHoldsAnOutputDiesWithAKilledEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	note := filepath.Join(dir, "pid")
	hide := fmt.Sprintf("(/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null & echo $! >%s.new; mv %[1]s.new %[1]s); exec ${ROLLCALL_EXE} demo healthy", note)
	path := filepath.Join(dir, "servers.toml")
	if err := os.WriteFile(path, fmt.Appendf(nil, "[servers.a]\ncommand = \"/bin/sh\"\nargs = [\"-c\", %q]\n", hide), 0o600); err != nil {
		t.Fatal(err)
	}
	engine := rollcallCommand(t, "serve", "-c", path)
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Process.Kill(); _ = engine.Wait() })
	hidden := 0
	comes(t, "a hidden process", func() bool {
		text, err := os.ReadFile(note)
		if err != nil {
			return false
		}
		if hidden, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
			t.Fatal(err)
		}
		return strings.HasPrefix(procState(hidden), "(sleep) S "+strconv.Itoa(engine.Process.Pid))
	})
	t.Cleanup(func() { _ = syscall.Kill(hidden, syscall.SIGKILL) })
	if err := engine.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	comes(t, "its end", func() bool {
		s := procState(hidden)
		return s == "" || strings.HasPrefix(s, "(sleep) Z")
	})
}

// procState is a process's name, state and parent as /proc has it, and what follows;
// empty where there is none.
func procState(pid int) string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(text), " ")
	return state
}
