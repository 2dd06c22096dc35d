package guardian

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readPause is how long what is told may wait in the pipe.
const readPause = 50 * time.Millisecond

// unhurried is a pipe that is read now and then: what is told matters at the
// pipe's end, and being woken for each of the launches of a busy start costs more
// than all else that a guardian does. The end itself is seen at once.
type unhurried struct {
	file  *os.File
	pause time.Duration
	waits bool // for the pause to pass: it was read before, and not to the brim
}

// Read reads at once what comes first after a silence.
func (u *unhurried) Read(p []byte) (int, error) {
	if u.waits {
		// No event is asked for: the end of the other side alone ends the wait. A
		// signal that does so too makes it read early, no more.
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(u.file.Fd())}}, int(u.pause/time.Millisecond))
	}
	n, err := u.file.Read(p)
	u.waits = n < len(p)
	return n, err
}
