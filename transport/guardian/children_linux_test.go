package guardian

import (
	"os/exec"
	"slices"
	"testing"
)

// TestT1_ChildrenAreToldUntilTheyAreReaped: a living one, and a zombie; whatever
// thread started them.
func TestT1_ChildrenAreToldUntilTheyAreReaped(t *testing.T) {
	var started []*exec.Cmd
	listed := func(c *exec.Cmd) bool {
		t.Helper()
		for range 1000 { // a list that changes while it is read is no answer
			if pids, err := Children(); err == nil {
				return slices.Contains(pids, c.Process.Pid)
			}
		}
		t.Fatal("the children cannot be told")
		return false
	}
	for range 20 {
		c := exec.Command("/bin/sleep", "1000")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, c)
	}
	for _, c := range started {
		if !listed(c) {
			t.Errorf("process %d lives, and is not listed", c.Process.Pid)
		}
		_ = c.Process.Kill()
		for s := (stat{}); s.state != 'Z'; {
			s, _ = readStat(c.Process.Pid)
		}
		if !listed(c) {
			t.Errorf("process %d was not waited for, and is not listed", c.Process.Pid)
		}
		_ = c.Wait()
		if listed(c) {
			t.Errorf("process %d was reaped, and is listed", c.Process.Pid)
		}
	}
}
