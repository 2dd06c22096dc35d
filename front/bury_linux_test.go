package front

import (
	"os"
	"os/exec"
	"testing"

	"rollcall/transport/guardian"
)

// TestT1_AnAlertsProgramIsNotBuried: of the engine's children, which this process
// has got, one was launched, and one tells somebody that the engine died.
func TestT1_AnAlertsProgramIsNotBuried(t *testing.T) {
	child := func(mark string) *exec.Cmd {
		c := exec.Command("/bin/sleep", "1000")
		c.Env = append(os.Environ(), guardian.Variable+"="+mark)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	launch, alert := child("M-1"), child(guardian.AlertMark)
	if said := (&Front{}).bury(); said != "nothing that it had launched is left" {
		t.Error(said)
	}
	left := children()
	if left[launch.Process.Pid] {
		t.Error("the launch is there still")
	}
	if !left[alert.Process.Pid] {
		t.Error("the alert's program was killed")
	}
	t.Setenv(guardian.Variable, "N-1")
	if !foreign("N-1") || foreign("") || foreign("M-1") {
		t.Error("where this process is a launch itself its own mark is none of the engine's launches'")
	}
}
