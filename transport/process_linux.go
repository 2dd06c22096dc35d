package transport

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rollcall/model"
)

// cldExited is si_code for an exit that no signal caused.
const cldExited = 1

// awaitExit waits for the leader's exit without reaping it: while it is a
// zombie neither its PID nor its group's can be given to anyone else. The
// wait is on a pidfd in the runtime's poller, so it costs no thread.
func (r *Run) awaitExit(p *process) model.End {
	var info childInfo
	seen := func(uintptr) bool {
		return waitExited(p.pid, &info, unix.WNOHANG) != nil || info.signo != 0
	}
	if pollPidfd(p.pid, time.Time{}, seen) != nil {
		// No pidfd here (an old kernel, a filter): wait in a thread.
		_ = waitExited(p.pid, &info, 0)
	}
	return exitEnd(info.code != cldExited, int(info.child().status))
}

// awaitGone waits until a process has exited, whosever child it is, or until a
// time.
func awaitGone(pid int, until time.Time) {
	exited := func(fd uintptr) bool {
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			if err != unix.EINTR {
				return n > 0 || err != nil
			}
		}
	}
	if err := pollPidfd(pid, until, exited); err != nil && !errors.Is(err, unix.ESRCH) {
		<-time.After(time.Until(until)) // no pidfd here, or no process of its own
	}
}

// pollPidfd calls ready until it says true, each time the process's pidfd may
// have become readable. An error says that it could not, or, where until is not
// zero, that it is later than that.
func pollPidfd(pid int, until time.Time, ready func(uintptr) bool) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	if !until.IsZero() {
		if err := f.SetReadDeadline(until); err != nil {
			return err
		}
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Read(ready)
}

// waitExited fills info once the process has exited, and leaves it a zombie.
func waitExited(pid int, info *childInfo, flags int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, (*unix.Siginfo)(unsafe.Pointer(info)), unix.WEXITED|unix.WNOWAIT|flags, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// unread reports whether a pipe holds bytes that nobody read.
func unread(pipe *os.File) bool {
	if pipe == nil {
		return false
	}
	raw, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	n := 0
	_ = raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return err == nil && n > 0
}

// childInfo is siginfo_t as waitid fills it; unix.Siginfo hides the fields.
type childInfo struct {
	signo, errno, code int32
	rest               [116]byte
}

type childFields struct {
	pid    int32
	uid    uint32
	status int32 // the exit code, or the signal's number
}

// child is the part that the union holds, aligned as a pointer is.
func (c *childInfo) child() childFields {
	pad := unsafe.Sizeof(uintptr(0)) - 4
	return *(*childFields)(unsafe.Pointer(&c.rest[pad]))
}
