package front

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Link is the engine's way to its front. Its methods may be called from any
// goroutine.
type Link struct {
	socket  *os.File
	gone    chan struct{} // closed when the front has gone, or was left
	ending  chan struct{} // closed at the first signal that asks for the end
	resumed chan struct{} // capacity 1
	bye     chan struct{} // capacity 1: the front has heard that it was left
	twins   *twins
	once    sync.Once
}

// Behind finds the front of this process; nil where it has none. It takes the
// traces of it out of the environment: to be called once, before anything else
// reads that or is started.
func Behind() *Link {
	if os.Getenv(linkVariable) == "" {
		return nil
	}
	_ = os.Unsetenv(linkVariable)
	if kind, err := unix.GetsockoptInt(linkFile, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || kind != unix.SOCK_STREAM {
		return nil
	}
	syscall.CloseOnExec(linkFile)
	l := &Link{socket: endOf(linkFile), gone: make(chan struct{}), ending: make(chan struct{}), resumed: make(chan struct{}, 1), bye: make(chan struct{}, 1),
		twins: newTwins(func(s syscall.Signal) { _ = syscall.Kill(os.Getpid(), s) })}
	own := make(chan os.Signal, 16)
	signal.Notify(own, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGTSTP)
	go l.watch(own)
	go func() {
		hear(l.socket, l.heard)
		signal.Stop(own)
		close(l.gone)
	}()
	return l
}

// watch notes the signals that this process gets itself.
func (l *Link) watch(own <-chan os.Signal) {
	for {
		select {
		case s := <-own:
			l.twins.got(s.(syscall.Signal))
			if s != syscall.SIGTSTP {
				l.once.Do(func() { close(l.ending) })
			}
		case <-l.gone:
			return
		}
	}
}

func (l *Link) heard(word string) {
	if s, ok := passed(word); ok {
		time.AfterFunc(l.twins.passed(s))
	}
	said := map[string]chan struct{}{resume: l.resumed, bye: l.bye}[word]
	select {
	case said <- struct{}{}:
	default:
	}
}

// Gone is closed when the front has died, or was left.
func (l *Link) Gone() <-chan struct{} { return l.gone }

// Suspend hands the terminal to the shell, by stopping the front, and returns
// when it is the dashboard's again. Before: the terminal is as it was, and
// nobody reads it or draws. Where the end of ctx, a signal that asks for the end
// or the front's death comes first the terminal is the shell's for good: this
// process's stdin and stdout are then the null device.
func (l *Link) Suspend(ctx context.Context) {
	select {
	case <-l.resumed: // of before
	default:
	}
	tell(l.socket, released)
	select {
	case <-l.resumed:
		return
	case <-ctx.Done():
	case <-l.ending:
	case <-l.gone:
	}
	_ = forgo()
}

// Leave makes this process one without a terminal, in a session of its own, and
// lets the front end: the shell gets its prompt. Before: the terminal is as it
// was, and nothing but stderr is still to be said. The caller turns stderr
// elsewhere before, and takes the signals of a process without a terminal after.
// ErrDeserted: the front had died, and its death may be what hung up the terminal.
func (l *Link) Leave() error {
	if _, err := syscall.Setsid(); err != nil {
		return fmt.Errorf("leave the terminal's session: %w", err)
	}
	err := forgo()
	tell(l.socket, left)
	select {
	case <-l.bye:
		return err
	case <-time.After(byeLimit): // it is stopped, and so not dead
		return err
	case <-l.gone:
	}
	select {
	case <-l.bye: // it said so and ended
		return err
	default:
		return ErrDeserted
	}
}

// ErrDeserted says that the front died before it could be left. Where it led its
// session, its death hangs up the terminal, and that signal may come first.
var ErrDeserted = errors.New("the front has died")

// byeLimit is how long the front may take to say that it heard.
const byeLimit = 2 * time.Second

// forgo makes stdin and stdout the null device, so that nothing is read from the
// terminal, drawn on it or set any more.
func forgo() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for _, fd := range []int{0, 1} {
		if err := unix.Dup2(int(null.Fd()), fd); err != nil {
			return os.NewSyscallError("dup2", err)
		}
	}
	return nil
}
