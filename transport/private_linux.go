package transport

import (
	"os"

	"golang.org/x/sys/unix"
)

// crashPipe is a pipe for what the runtime prints on its way down. It holds one
// write at a time (O_DIRECT, one page), so that the runtime waits until the
// guardian has read what it printed before. Its ends block, as the runtime
// expects of fd 2.
func crashPipe() (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	_, _ = unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, os.Getpagesize()) // a longer one only orders less
	return os.NewFile(uintptr(fds[0]), "crash"), os.NewFile(uintptr(fds[1]), "crash"), nil
}

// divert makes fd 2 another name of f.
func divert(f *os.File) { _ = unix.Dup3(int(f.Fd()), 2, 0) }

// giveCore gives a launch the limit of core dumps that is not this program's.
// One that crashes before that leaves none.
func (h *Host) giveCore(pid int) {
	if h.core != nil {
		_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{Cur: h.core.Cur, Max: h.core.Max}, nil)
	}
}
