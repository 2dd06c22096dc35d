package transport

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// TestT1_WhatHidesEndsWithItsLaunchOrWithTheHost: one that left its group, its
// session, its environment and its parent goes with its launch where a pipe tells
// whose it is, and else with the host; neither is left a zombie.
func TestT1_WhatHidesEndsWithItsLaunchOrWithTheHost(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), commandSpec(self(t), "adopt"))
	pid := await[model.Launched](w).PID
	hidden := strings.Fields(w.line("stderr: hidden "))[2:]
	w.line("stderr: both are reaped")
	if len(hidden) != 2 {
		t.Fatalf("hidden: %v", hidden)
	}
	held, loose := number(t, hidden[0]), number(t, hidden[1])
	if alive(t, held) {
		t.Error("the one that holds a pipe of its launch outlived it")
	}
	if !alive(t, loose) {
		t.Error("the other one did not outlive its launch: the test proves nothing")
	}
	goneForGood(t, held)
	go func() { _, _ = w.process.stdin.WriteString("end\n") }()
	w.line("stderr: the host has ended")
	goneForGood(t, loose)
	if !alive(t, pid) {
		t.Error("the program ended before it was looked at")
	}
}

// goneForGood waits until a process is neither alive nor a zombie.
func goneForGood(t *testing.T, pid int) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err != nil {
			return
		}
	}
	t.Fatalf("process %d is still there, a zombie: %t", pid, !alive(t, pid))
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
