package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// pending is how many bytes a pipe holds.
func pending(r *os.File) int {
	n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
	if err != nil {
		return -1
	}
	return n
}
