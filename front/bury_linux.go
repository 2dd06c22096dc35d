package front

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rollcall/transport/guardian"
)

// adopt makes this process the parent of what the engine leaves behind when it
// dies, instead of PID 1. A kernel that cannot leaves that to the guardian.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// How long bury tries, and how long it waits between two tries. The guardian
// itself gives up after 5 s.
const (
	buryLimit = 6 * time.Second
	buryPause = 5 * time.Millisecond
)

// bury ends what the engine has left behind, which has become this process's:
// what no guardian could find (T1), and waits for the guardian itself, so that
// it does not write to the terminal after the shell has. It says what it saw.
func (f *Front) bury() string {
	marks := guardian.Marks{}
	for until := time.Now().Add(buryLimit); time.Now().Before(until); <-time.After(buryPause) {
		procs, err := guardian.Scan(marks)
		left := err != nil
		for _, p := range procs {
			if p.Parent != os.Getpid() || f.before[p.PID] || foreign(p.Mark) {
				continue
			}
			left = true
			if p.Mark != guardian.OwnMark {
				_ = syscall.Kill(p.PID, syscall.SIGKILL)
			}
		}
		if !left {
			return "nothing that it had launched is left"
		}
		reap()
	}
	return "something that it had launched is still there"
}

// foreign reports whether a mark is of what the engine started, but did not
// launch. That has this process's own mark where this is a launch itself.
func foreign(mark string) bool {
	return mark == guardian.AlertMark || mark != "" && mark == os.Getenv(guardian.Variable)
}

// reap takes the zombies of this process.
func reap() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}

// children are the living children of this process. Most often there are none:
// whoever starts a program by exec has left it some.
func children() map[int]bool {
	if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err == syscall.ECHILD {
		return nil
	}
	procs, _ := guardian.Scan(guardian.Marks{})
	found := map[int]bool{}
	for _, p := range procs {
		if p.Parent == os.Getpid() {
			found[p.PID] = true
		}
	}
	return found
}
