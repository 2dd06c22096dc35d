package transport

import (
	"io"
	"math"
	"os/exec"
	"testing"
	"time"
)

// TestT1_TheLastExitOfAGroupEndsTheWait: of all that were seen, not of the first,
// and without a look at the clock.
func TestT1_TheLastExitOfAGroupEndsTheWait(t *testing.T) {
	var pids []int
	var stdins []io.Closer
	for range 3 {
		cmd := exec.Command("/bin/cat")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		pids, stdins = append(pids, cmd.Process.Pid), append(stdins, in)
	}
	gone := allGone(pids, time.Hour)
	for _, in := range stdins {
		select {
		case <-gone:
			t.Fatal("one of them lives")
		default:
		}
		_ = in.Close()
	}
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("their exits were not seen")
	}
}

// TestT1_WhatCannotBeWaitedForIsLookedAtLater: a group's number, which stands for
// what could not be seen, is no process; one that has gone is gone.
func TestT1_WhatCannotBeWaitedForIsLookedAtLater(t *testing.T) {
	const while = 20 * time.Millisecond
	began := time.Now()
	<-allGone([]int{-2}, while)
	if took := time.Since(began); took < while {
		t.Errorf("it was over after %s", took)
	}
	select {
	case <-allGone([]int{math.MaxInt32}, time.Hour):
	case <-time.After(patience):
		t.Error("nobody was waited for")
	}
}
