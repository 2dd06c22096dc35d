package guardian

import (
	"os"
	"os/exec"
	"testing"
)

// TestT1_WhoHoldsAnOutputIsTold, whichever end it is, but not rollcall itself, nor
// who holds another pipe.
func TestT1_WhoHoldsAnOutputIsTold(t *testing.T) {
	pipe := func() (r, w *os.File) {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = r.Close(), w.Close() })
		return r, w
	}
	ours, theirs := pipe()
	_, other := pipe()
	child := func(stdout *os.File) int {
		t.Helper()
		c := exec.Command("/bin/sleep", "1000")
		c.Stdout = stdout
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c.Process.Pid
	}
	if PipeName(ours) != PipeName(theirs) || PipeName(ours) == PipeName(other) || PipeName(ours) == "" {
		t.Fatalf("the pipes are called %q and %q", PipeName(ours), PipeName(other))
	}
	launch, stranger := child(theirs), child(other)
	groups := map[int]Group{1 << 30: {Outputs: []string{PipeName(ours)}}}
	holds := holder(groups, os.Getpid())
	clear(groups)
	if !holds(launch) || holds(stranger) || holds(os.Getpid()) || holder(groups, 0)(launch) {
		t.Errorf("the launch %t, a stranger %t, rollcall %t", holds(launch), holds(stranger), holds(os.Getpid()))
	}
	if !holder(map[int]Group{2: {Outputs: []string{PipeName(ours)}}}, 0)(os.Getpid()) {
		t.Error("this process holds both ends, and is not told")
	}
}
