package guardian

import (
	"os"
	"strconv"
	"syscall"
)

// PipeName is what /proc calls both ends of a pipe; empty where it cannot be told.
func PipeName(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return "pipe:[" + strconv.FormatUint(stat.Ino, 10) + "]"
}

// HoldsPipe reports whether a process has a pipe open of a name that is one of
// those looked for. A process that may not be looked at has none.
func HoldsPipe(pid int, isOne func(name string) bool) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if name, err := os.Readlink(dir + fd.Name()); err == nil && isOne(name) {
			return true
		}
	}
	return false
}
