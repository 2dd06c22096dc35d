package ui

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// underAShell starts the dashboard as a job of an interactive shell, and
// returns its process.
func underAShell(t *testing.T) (x *terminal, pid int) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here to suspend to")
	}
	x = startCommand(t, exec.Command(bash, "--norc", "--noprofile", "--noediting", "-i"), 100, 24, "PS1=ready> ", "BASH_SILENCE_DEPRECATION_WARNING=1")
	x.shows("ready>")
	x.types(asDashboard + "=plain " + os.Args[0] + "\n")
	x.shows("notes")
	x.types("j") // what the terminal answered to questions has been read by now: it is not for the shell
	x.shows("▸  legacy-index")
	x.types("k")
	x.shows("▸  notes")
	shell := strconv.Itoa(x.cmd.Process.Pid)
	children, err := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
	if err != nil {
		t.Skip("this kernel does not say which processes a shell has: ", err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(children))); err != nil {
		t.Fatalf("the shell's children are %q", children)
	}
	return x, pid
}

func TestD10_AStopFromOutsideGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	x, pid := underAShell(t)
	for range 2 { // and again after it came back
		if err := syscall.Kill(pid, syscall.SIGTSTP); err != nil {
			t.Fatal(err)
		}
		x.shows("Stopped")
		x.until("the shell's own screen", func(string) bool { return !x.altScreen() })
		x.restored()
		x.types("fg\n")
		x.shows("q detach")
	}
	x.types("j")
	x.shows("▸  legacy-index")
	x.types("q")
	x.shows("ended well")
	x.types("exit\n")
	x.ended()
}

// TestD10_AStopThatNobodyCanCatch: after SIGSTOP the shell has the terminal in
// its own modes, and the dashboard must take it back.
func TestD10_AStopThatNobodyCanCatch(t *testing.T) {
	t.Parallel()
	x, pid := underAShell(t)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	x.shows("Stopped")
	x.types("fg\n")
	x.until("the whole screen again", func(s string) bool { return strings.Contains(s, "edge-7") && !strings.Contains(s, "Stopped") })
	x.types("j") // a key alone, without a line's end: the terminal is raw
	x.shows("▸  legacy-index")
	x.types("q")
	x.shows("ended well")
	x.types("exit\n")
	x.ended()
}
