package transport

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/transport/guardian"
)

// TestT1_WhatHidesEndsWithItsLaunchOrWithTheHost: what left its group, its
// environment and perhaps its session and its parent goes with its launch where
// its parent or a pipe tells whose it is, and else with the host; none is left a
// zombie. What bears the mark of no launch stays.
func TestT1_WhatHidesEndsWithItsLaunchOrWithTheHost(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), commandSpec(self(t), "adopt"))
	pid := await[model.Launched](w).PID
	repair := number(t, strings.Fields(w.line("stderr: repair "))[2])
	t.Cleanup(func() { _ = syscall.Kill(repair, syscall.SIGKILL) })
	hidden := strings.Fields(w.line("stderr: hidden "))[2:]
	w.line("stderr: all are reaped")
	if len(hidden) != len(hiders) {
		t.Fatalf("hidden: %v", hidden)
	}
	for i, h := range hiders {
		switch lives := alive(t, number(t, hidden[i])); {
		case lives && h.held:
			t.Errorf("it outlived its launch: %s", h.script)
		case !lives && !h.held:
			t.Errorf("it did not outlive its launch, the test proves nothing: %s", h.script)
		case h.held:
			goneForGood(t, number(t, hidden[i]))
		}
	}
	go func() { _, _ = w.process.stdin.WriteString("end\n") }()
	w.line("stderr: the host has ended")
	for i := range hiders {
		goneForGood(t, number(t, hidden[i]))
	}
	if !alive(t, repair) {
		t.Error("what an alert's program had started was killed for a launch's")
	}
	if !alive(t, pid) {
		t.Error("the program ended before it was looked at")
	}
}

// TestT1_WhatHidesEndsWithALaunchThatIsKilled: it is known from when the launch is
// said to be connected.
func TestT1_WhatHidesEndsWithALaunchThatIsKilled(t *testing.T) {
	t.Parallel()
	spec := commandSpec("/bin/sh", "-c", hiders[0].script+"; exec "+self(t)+" demo healthy")
	spec.Timings.StopGrace.D = 400 * time.Millisecond
	w := start(t, newHost(t), spec)
	await[model.Connected](w)
	hidden := w.child()
	if err := syscall.Kill(await[model.Launched](w).PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await[model.Reaped](w)
	if alive(t, hidden) {
		t.Error("it outlived its launch")
		_ = syscall.Kill(hidden, syscall.SIGKILL)
	}
}

// TestT1_WhileOthersStartALaunchIsLearnedFromLater: and then from all that wait;
// one that no other has overtaken is at once.
func TestT1_WhileOthersStartALaunchIsLearnedFromLater(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.waits.learn = time.Hour
	w := start(t, h, commandSpec("/bin/sh", "-c", hiders[0].script+"; exec "+self(t)+" demo healthy"))
	await[model.Connected](w)
	hidden := w.child()
	p := w.process
	if p.kin.Empty() {
		t.Error("nothing was learned at once, though nobody else starts")
	}
	other := start(t, h, demoSpec(t, "healthy"))
	await[model.Launched](other)
	p.kin = guardian.Kin{}
	h.learnSoon(p)
	if !p.kin.Empty() {
		t.Error("it was learned from while another started")
	}
	h.procs.learnAll()
	if !p.kin.HasPID(hidden) {
		t.Error("what hides is not known")
	}
	h.learnSoon(p) // the next ones begin anew
	if len(h.procs.later) != 1 {
		t.Errorf("%d wait", len(h.procs.later))
	}
}

// TestT1_WhatMayBeAnothersChildIsLeftAlone: a child that was there before the host,
// and what that leaves behind.
func TestT1_WhatMayBeAnothersChildIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), commandSpec(self(t), "beside"))
	for _, f := range strings.Fields(w.line("stderr: beside "))[2:] {
		pid := number(t, f)
		if !alive(t, pid) {
			t.Errorf("process %d was killed", pid)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
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
