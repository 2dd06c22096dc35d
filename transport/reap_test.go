package transport

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
	"rollcall/transport/guardian"
)

// alive reports whether a process exists and is no zombie.
func alive(t testing.TB, pid int) bool {
	t.Helper()
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[0] != 'Z' && rest[0] != 'X'
}

// goneSoon waits until a process is gone.
func goneSoon(t testing.TB, pid int) {
	t.Helper()
	for late := time.Now().Add(patience); alive(t, pid); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// child is the PID of the child that a demo server said it started.
func (w *watched) child() int {
	w.t.Helper()
	f := strings.Fields(w.line("stderr: child "))
	pid, err := strconv.Atoi(f[2])
	if err != nil {
		w.t.Fatal(err)
	}
	return pid
}

func TestH2_AStubbornServerIsKilledAtTheEndOfItsGrace(t *testing.T) {
	t.Parallel()
	spec := demoSpec(t, "stubborn")
	spec.Timings.StopGrace.D = 600 * time.Millisecond
	w := start(t, newHost(t), spec)
	pid := await[model.Launched](w).PID
	await[model.Connected](w)
	if took := w.stop(); took < 600*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if alive(t, pid) {
		t.Error("it is still there")
	}
	w.line("stderr: stdin was closed; carrying on") // it was told at once
}

// TestH2_SIGTERMComesAtHalfOfTheGrace: not before, and before SIGKILL, which does
// not arrive here, however late a shell may have heard the other.
func TestH2_SIGTERMComesAtHalfOfTheGrace(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.signal = func(pid int, sig syscall.Signal) {
		if sig != syscall.SIGKILL {
			sendSignal(pid, sig)
		}
	}
	spec := commandSpec("/bin/sh", "-c", `trap 'echo told >&2; exit 0' TERM; echo ready >&2; while :; do read x || /bin/sleep 0.05; done`)
	spec.Timings.StopGrace.D = 4 * time.Second
	w := start(t, h, spec)
	w.line("stderr: ready")
	w.stop()
	w.line("stderr: told")
	stages, at := w.stages()
	if len(stages) < 2 || stages[1] != model.TermSent || at[1].Sub(await[model.Closed](w).At) < spec.Timings.StopGrace.D/2 {
		t.Errorf("told %v at %v\n%s", stages, at, w)
	}
}

func TestKillDoesNotWait(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "stubborn", "--child", "session"))
	pid, child := await[model.Launched](w).PID, w.child()
	began := time.Now()
	w.Kill()
	await[model.Reaped](w)
	if took := time.Since(began); took > w.spec.Timings.StopGrace.D/2 {
		t.Errorf("took %v", took)
	}
	if alive(t, pid) || alive(t, child) {
		t.Error("something is left")
	}
}

func TestT1_GrandchildrenGoToo(t *testing.T) {
	for _, kind := range []string{"group", "session"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			spec := demoSpec(t, "healthy", "--child", kind)
			spec.Timings.StopGrace.D = 400 * time.Millisecond
			w := start(t, newHost(t), spec)
			child := w.child()
			await[model.Connected](w)
			if !alive(t, child) {
				t.Fatal("the child is not there")
			}
			if took := w.stop(); took < 400*time.Millisecond {
				t.Errorf("reaped after %v, while a child that ignores SIGTERM was there", took)
			}
			if alive(t, child) {
				t.Error("the child is still there")
			}
		})
	}
}

func TestT1_TheGroupOfALeaderThatExitedIsReaped(t *testing.T) {
	t.Parallel()
	spec := demoSpec(t, "flap", "--child", "group", "--life", "0s", "--ping", "exit")
	spec.Timings.StopGrace.D = 400 * time.Millisecond
	w := start(t, newHost(t), spec)
	child := w.child()
	w.dies()
	closed := await[model.Closed](w)
	if closed.End.ExitCode != model.Some(1) {
		t.Errorf("closed: %+v", closed.End)
	}
	// The child ignores SIGTERM.
	if took := await[model.Reaped](w).At.Sub(closed.At); took < spec.Timings.StopGrace.D {
		t.Errorf("reaped after %v, before the group was empty", took)
	}
	if alive(t, child) {
		t.Error("the child is still there")
	}
}

func TestH2_WhatSurvivesIsNamedAndItsEndIsTold(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	mercy := make(chan struct{})
	h.signal = func(pid int, sig syscall.Signal) {
		select {
		case <-mercy:
			sendSignal(pid, sig)
		default: // as if it were stuck in the kernel
		}
	}
	spec := demoSpec(t, "stubborn")
	spec.Timings.StopGrace.D = 100 * time.Millisecond
	w := start(t, h, spec)
	pid := await[model.Launched](w).PID
	await[model.Connected](w)
	if took := w.stop(); took < 2100*time.Millisecond {
		t.Errorf("took %v", took)
	}
	if left := await[model.Reaped](w).Survivors; len(left) != 1 || left[0] != pid {
		t.Errorf("survivors %v, want %d", left, pid)
	}
	close(mercy)
	sendSignal(-pid, syscall.SIGKILL)
	await[model.Gone](w)
}

func TestL5_ReapedWaitsAtMostAWhileForStderr(t *testing.T) {
	// A process that left the group and hides its mark holds stderr open.
	spec := commandSpec("/bin/sh", "-c", `/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 & echo hider $! >&2; exit 3`)
	w := start(t, newHost(t), spec)
	closed := await[model.Closed](w)
	if closed.End.ExitCode != model.Some(3) && closed.End.Cause != model.DiscoveryRefused {
		t.Errorf("closed: %+v", closed.End)
	}
	reaped := await[model.Reaped](w)
	if took := reaped.At.Sub(closed.At); took < stderrGrace {
		t.Errorf("took %v", took)
	}
	f := strings.Fields(w.line("hider"))
	pid, _ := strconv.Atoi(f[2])
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestT1_NothingOutlivesAHostThatIsKilled(t *testing.T) {
	// This binary starts servers and is killed; see supervise.
	spec := commandSpec(self(t), "supervise", "6")
	w := start(t, newHost(t), spec)
	pid := await[model.Launched](w).PID
	w.line("stderr: all are up")
	var pids []int
	w.mu.Lock()
	for _, l := range w.lines {
		if _, list, ok := strings.Cut(l, "pids"); ok {
			for f := range strings.FieldsSeq(list) {
				n, err := strconv.Atoi(f)
				if err != nil {
					t.Error(err)
				}
				pids = append(pids, n)
			}
		}
	}
	w.mu.Unlock()
	if len(pids) != 12 {
		t.Fatalf("%d processes, want 12\n%s", len(pids), w)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		goneSoon(t, pid)
	}
}

// TestT1_AGuardianThatDiesIsReplaced at once, the first time: the pause that comes
// before another try would outlast the test.
func TestT1_AGuardianThatDiesIsReplaced(t *testing.T) {
	h := newHost(t)
	h.guard.mu.Lock()
	h.guard.pause = 2 * patience
	h.guard.mu.Unlock()
	w := start(t, h, demoSpec(t, "healthy"))
	await[model.Connected](w)
	pid := guardianOf(t, h)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	goneSoon(t, pid)
	for gone := time.Now(); guardianOf(t, h) == 0; time.Sleep(time.Millisecond) {
		if time.Since(gone) > patience {
			t.Fatal("no other guardian was started")
		}
	}
}

// guardianOf finds a host's guardian; 0 where there is none.
func guardianOf(t testing.TB, h *Host) int {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		cmd, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline") // empty for a zombie
		if strings.HasSuffix(string(cmd), "\x00"+guardian.Arg+"\x00"+h.mark+"\x00") {
			return pid
		}
	}
	return 0
}

// supervise is a program that starts stubborn servers with children, prints all PIDs, and stays until it is killed.
func supervise(args []string) {
	n, _ := strconv.Atoi(args[0])
	h, err := NewHost(Options{Version: "test"})
	if err != nil {
		panic(err)
	}
	exe, _ := os.Executable()
	out := func(s string) { _, _ = os.Stderr.WriteString(s + "\n") }
	up := make(chan struct{})
	for i := range n {
		kid := make(chan string, 1)
		// One kind left its group and bears the mark, the other the reverse.
		spec := commandSpec(exe, "demo", "stubborn", "--child", "session")
		if i%2 == 1 {
			spec = commandSpec("env", "-i", exe, "demo", "stubborn", "--child", "group")
		}
		h.Start(spec, model.Dial{Timeout: patience, Report: func(e model.RunEvent) {
			if e, ok := e.(model.Launched); ok {
				go func() {
					out("pids " + strconv.Itoa(e.PID) + " " + <-kid)
					up <- struct{}{}
				}()
			}
		}, Line: func(_ time.Time, _ model.LineKind, text redact.Safe) {
			if f := strings.Fields(text.String()); len(f) == 3 && f[0] == "child" {
				kid <- f[1]
			}
		}})
	}
	for range n {
		<-up
	}
	out("all are up")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	os.Exit(0)
}
