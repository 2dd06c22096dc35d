package guardian

import (
	"os/exec"
	"syscall"
	"testing"
)

// TestT1_AProcessIsToldFromALaterOneByItsStart: by the clock, without a look at
// the process. A guardian that mistakes one for the other kills a stranger.
func TestT1_AProcessIsToldFromALaterOneByItsStart(t *testing.T) {
	child := func() (pid int, born Born) {
		t.Helper()
		c := exec.Command("/bin/sleep", "1000")
		born, err := Bearing(c.Start)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c.Process.Pid, born
	}
	var before Born
	for range 5 {
		pid, born := child()
		if !born.Tells(pid) {
			t.Errorf("process %d started at %d, by /proc, and between the ticks %s, by the clock", pid, startTime(pid), born)
		}
		if exact := Exactly(pid); !born.holds(exact.From) || !exact.Tells(pid) {
			t.Errorf("%s is not within %s", exact, born)
		}
		if before != (Born{}) && before.Tells(pid) {
			t.Errorf("process %d is taken for one that started within the ticks %s", pid, before)
		}
		if got := parseBorn(born.String()); got != born {
			t.Errorf("%s is read as %s", born, got)
		}
		for before = born; Clock() <= born.To; { // the next one is born a tick later
		}
	}
	if (Born{}).Tells(1) || parseBorn("8812") != (Born{From: 8812}) {
		t.Error("who has not told a time is held for process 1")
	}
}

// TestT1_OnlyTheGroupWhoseLeaderItIsIsKilled: the leader's PID was given anew.
func TestT1_OnlyTheGroupWhoseLeaderItIsIsKilled(t *testing.T) {
	c := exec.Command("/bin/sleep", "1000")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	born, err := Bearing(c.Start)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	pid := c.Process.Pid
	stranger := map[int]Group{pid: {Leader: Born{born.From - 2, born.From - 1}}}
	if kill(stranger, nil, "nobody's", Marks{}) || len(stranger) > 0 {
		t.Error("a group of an earlier time is looked for still")
	}
	if s, err := readStat(pid); err != nil || s.state == 'Z' {
		t.Fatalf("the stranger was killed: %v, %c", err, s.state)
	}
	own := map[int]Group{pid: {Leader: born}}
	if kill(own, nil, "nobody's", Marks{}); len(own) == 0 {
		t.Fatal("the group was taken for another")
	}
	<-ended
}
