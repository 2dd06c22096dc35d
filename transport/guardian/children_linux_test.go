package guardian

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestT1_WhatIsAdoptedIsToldUntilItIsReaped: a living one, and a zombie, whatever
// thread had started its parent, and though that thread has ended.
func TestT1_WhatIsAdoptedIsToldUntilItIsReaped(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skip("this kernel gives orphans to PID 1: ", err)
	}
	defer func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }()
	var mu sync.Mutex
	var orphans []int
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			runtime.LockOSThread() // and not unlocked: the thread ends with this goroutine
			out, err := exec.Command("/bin/sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!").Output()
			pid, _ := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil || pid < 2 {
				t.Errorf("%q, %v", out, err)
				return
			}
			mu.Lock()
			orphans = append(orphans, pid)
			mu.Unlock()
		})
	}
	all.Wait()
	for _, pid := range orphans {
		if s, err := readStat(pid); err != nil || s.parent != os.Getpid() {
			t.Errorf("process %d: parent %d, %v", pid, s.parent, err)
		}
		if !listed(t, pid) {
			t.Errorf("process %d lives, and is not listed", pid)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		for s := (stat{}); s.state != 'Z'; {
			s, _ = readStat(pid)
		}
		if !listed(t, pid) {
			t.Errorf("process %d was not waited for, and is not listed", pid)
		}
		_, _ = syscall.Wait4(pid, nil, 0, nil)
		if listed(t, pid) {
			t.Errorf("process %d was reaped, and is listed", pid)
		}
	}
}

func listed(t *testing.T, pid int) bool {
	t.Helper()
	for range 1000 { // a list that changes while it is read is no answer
		if pids, err := Adopted(); err == nil {
			return slices.Contains(pids, pid)
		}
	}
	t.Fatal("the children cannot be told")
	return false
}

// TestT1_ChildrenOfEachThreadAreTold: Go starts them from any.
func TestT1_ChildrenOfEachThreadAreTold(t *testing.T) {
	var mu sync.Mutex
	var pids []int
	var begun, all sync.WaitGroup
	begun.Add(8)
	done := make(chan struct{})
	for range 8 {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			c := exec.Command("/bin/sleep", "1000")
			if err := c.Start(); err != nil {
				t.Error(err)
			} else {
				mu.Lock()
				pids = append(pids, c.Process.Pid)
				mu.Unlock()
			}
			begun.Done()
			<-done
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	begun.Wait()
	found, err := childrenOf("self")
	for i := 0; i < 1000 && err != nil; i++ {
		found, err = childrenOf("self")
	}
	for _, pid := range pids {
		if !slices.Contains(found, pid) {
			t.Errorf("process %d is not among %v, %v", pid, found, err)
		}
	}
	close(done)
	all.Wait()
}
