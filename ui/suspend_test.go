package ui

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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
	x.Shows("ready>")
	x.Types(asDashboard + "=plain " + os.Args[0] + "\n")
	x.Shows("notes")
	x.Types("j") // what the terminal answered to questions has been read by now: it is not for the shell
	x.Shows("▸  legacy-index")
	x.Types("k")
	x.Shows("▸  notes")
	shell := strconv.Itoa(x.PID())
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
		x.Shows("Stopped")
		x.Restored()
		x.Types("fg\n")
		x.Shows("q detach")
	}
	x.Types("j")
	x.Shows("▸  legacy-index")
	x.Types("q")
	x.Shows("ended well")
	x.Types("exit\n")
	x.ended()
}

// TestD10_OneReturnTakesTheTerminalOnce: the SIGCONT that comes with a return
// from the shell is not another one.
func TestD10_OneReturnTakesTheTerminalOnce(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	at := noon
	b.app.now = func() time.Time { return at }
	b.app.backAt = noon
	at = noon.Add(contLag - 1)
	if b.app.takeJob(jobMsg{syscall.SIGCONT}) != nil {
		t.Error("the terminal is taken twice")
	}
	at = noon.Add(contLag)
	if b.app.takeJob(jobMsg{syscall.SIGCONT}) == nil {
		t.Error("after another stop the terminal is not taken")
	}
}

// TestD10_InTheBackgroundNothingIsDrawn: the terminal is another job's, until it
// is ours again; then it is taken once, whoever notices first.
func TestD10_InTheBackgroundNothingIsDrawn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ours := true
	b := newBench(t, tenPhases(), 120, 40, Options{Suspend: func() {}})
	g := newGate(w)
	g.ours = func(uintptr) bool { return ours }
	b.app.gate = g
	write := func(s string) {
		if n, err := g.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}
	write("before ")
	ours = false
	write("meanwhile ")
	if b.app.takeJob(jobMsg{syscall.SIGCONT}) != nil || b.app.retake() != nil {
		t.Error("the terminal is taken from another job")
	}
	ours = true
	if b.app.retake() == nil {
		t.Error("the terminal is not taken back")
	}
	if b.app.retake() != nil || b.app.takeJob(jobMsg{syscall.SIGCONT}) != nil {
		t.Error("it is taken twice")
	}
	write("after")
	ours = false
	write(" again")
	ours, b.app.backAt = true, time.Time{}
	if b.app.takeJob(jobMsg{syscall.SIGCONT}) == nil || b.app.retake() != nil {
		t.Error("where SIGCONT comes first it is not taken once")
	}
	_ = w.Close()
	if got, err := io.ReadAll(r); string(got) != "before after" || err != nil {
		t.Errorf("written was %q, %v", got, err)
	}
}

// TestD10_AStopThatNobodyCanCatch: after SIGSTOP the shell has the terminal in
// its own modes, and the dashboard must take it back.
func TestD10_AStopThatNobodyCanCatch(t *testing.T) {
	t.Parallel()
	x, pid := underAShell(t)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	x.Shows("Stopped")
	x.Types("fg\n")
	x.Until("the whole screen again", func(s string) bool { return strings.Contains(s, "edge-7") && !strings.Contains(s, "Stopped") })
	x.Types("j") // a key alone, without a line's end: the terminal is raw
	x.Shows("▸  legacy-index")
	x.Types("q")
	x.Shows("ended well")
	x.Types("exit\n")
	x.ended()
}

// TestD10_GoingOnInTheBackground: the shell keeps the terminal, and the job is
// stopped again, until it is called back.
func TestD10_GoingOnInTheBackground(t *testing.T) {
	t.Parallel()
	x, pid := underAShell(t)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	x.Shows("Stopped")
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	stops(t, pid)
	x.Types("echo still the sh''ell\n")
	x.Shows("still the shell")
	x.Types("fg\n")
	x.Until("the whole screen again", func(s string) bool { return strings.Contains(s, "edge-7") && !strings.Contains(s, "still the shell") })
	x.Types("j")
	x.Shows("▸  legacy-index")
	x.Types("q")
	x.Shows("ended well")
	x.Types("exit\n")
	x.ended()
}

// stops waits until a process is stopped: nothing on the screen says so.
func stops(t *testing.T, pid int) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for deadline := time.After(patience); ; {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") T ") {
			return
		}
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("process %d was not stopped: %s, %v", pid, stat, err)
		}
	}
}
