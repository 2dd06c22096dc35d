package front

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// linkVariable is in the engine's environment until it has found its front.
const linkVariable = "ROLLCALL_FRONT"

// linkFile is the engine's end of the socket.
const linkFile = 3

// What the two say to each other, a line each.
const (
	released = "released" // by the engine: the terminal is as it was, and nobody draws
	left     = "left"     // by the engine: it serves on without a terminal
	bye      = "bye"      // by the front: it heard that it was left, and ends
	resume   = "resume"   // by the front: the terminal is the dashboard's again
	passing  = "signal "  // by the front, with the number of a signal that it got
)

// tellLimit bounds how long one may take to read what the other says.
const tellLimit = time.Second

// socket makes the two ends of the link.
func socket() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // else a launch could inherit them
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return endOf(fds[0]), os.NewFile(uintptr(fds[1]), "link"), nil
}

// endOf is one end of the link, which has deadlines.
func endOf(fd int) *os.File {
	_ = syscall.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), "link")
}

// tell says a word to the other side; one that is gone is noticed elsewhere.
func tell(link *os.File, word string) {
	_ = link.SetWriteDeadline(time.Now().Add(tellLimit))
	_, _ = io.WriteString(link, word+"\n")
}

// hear hands over each word of the other side, and returns at its end.
func hear(link io.Reader, word func(string)) {
	lines := bufio.NewScanner(link)
	for lines.Scan() {
		word(lines.Text())
	}
}

// passed is the signal that a word of the front passes on.
func passed(word string) (s syscall.Signal, ok bool) {
	text, ok := strings.CutPrefix(word, passing)
	n, err := strconv.Atoi(text)
	return syscall.Signal(n), ok && err == nil && n > 0
}
