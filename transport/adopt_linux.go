package transport

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of what its launches leave behind, instead
// of PID 1; false where the kernel does not do that.
func adopt() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// holdsPipeOf reports whether a process has one of the launch's output pipes
// open. Nobody else was given them.
func holdsPipeOf(p *process, pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	ours := []string{pipeName(p.stdout), pipeName(p.stderr)}
	for _, fd := range fds {
		name, err := os.Readlink(dir + fd.Name())
		if err == nil && (name == ours[0] || name == ours[1]) {
			return true
		}
	}
	return false
}

// pipeName is what /proc calls both ends of a pipe.
func pipeName(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return "closed"
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "unknown"
	}
	return "pipe:[" + strconv.FormatUint(stat.Ino, 10) + "]"
}
