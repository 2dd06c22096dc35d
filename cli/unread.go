package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// untilUnread is a context that ends when nobody reads a pipe any more: a
// follower that has nothing to write would not notice.
func untilUnread(w io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	if closed := whenUnread(w); closed != nil {
		go func() {
			<-closed
			cancel()
		}()
	}
	return ctx, cancel
}

// whenUnread returns a channel that is closed when nobody reads a pipe any more;
// nil where w is no pipe.
func whenUnread(w io.Writer) <-chan struct{} {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	closed := make(chan struct{})
	fd := int32(f.Fd())
	go func() {
		// No event is asked for: an error and a hang-up are told all the same. It
		// waits as long as the process lives.
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: fd}}, -1)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if err == nil && n > 0 {
				close(closed)
			}
			return
		}
	}()
	return closed
}
