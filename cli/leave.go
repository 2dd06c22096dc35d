package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"rollcall/front"
)

// leftLog is where an engine that has left its terminal says what it would have
// said there, beside failures.log. It is little: why it broke, what could not be
// stopped.
const leftLog = "rollcall.log"

// serveOn carries the engine on without its terminal, as serve does, until a
// signal or an order from the bus stops it (N6). Signals are those that have come
// meanwhile, and will come.
func (a *app) serveOn(d *deck, link *front.Link, signals <-chan os.Signal) error {
	d.files.unattended()
	if err := a.turnAway(d); err != nil {
		return a.cannotLeave(d, err)
	}
	if err := link.Leave(); err != nil {
		return a.cannotLeave(d, err)
	}
	for {
		select {
		case s := <-signals: // of the terminal's job; a hang-up there is no order to reload
			if s != syscall.SIGHUP {
				return d.stop()
			}
			continue
		default:
		}
		break
	}
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGHUP {
				d.spawn(d.files.reload) // it reads the disk
				continue
			}
			return d.stop()
		case c := <-d.broken:
			return d.broke(c)
		}
	}
}

// cannotLeave stops the servers, which would else run on where nobody finds them.
func (a *app) cannotLeave(d *deck, why error) error {
	return failure{exitFailure, errors.Join(fmt.Errorf("leave the engine serving: %w; it was stopped instead", why), d.stop())}
}

// turnAway makes stderr the log of those who have no terminal, here and in the
// guardian.
func (a *app) turnAway(d *deck) error {
	log, err := openLeftLog(d.logDir)
	if err != nil {
		return err
	}
	defer log.Close()
	names := []*os.File{a.stderr}
	if term.IsTerminal(int(os.Stderr.Fd())) { // fd 2 was not diverted
		names = append(names, os.Stderr)
	}
	for _, f := range names {
		if err := rename(log, f); err != nil {
			return err
		}
	}
	d.host.LeaveTerminal(log.Name())
	return nil
}

// rename makes a file that is open another name of log, as dup2 does. What is
// launched does not get it.
func rename(log, f *os.File) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Dup2(int(log.Fd()), int(f.Fd())); err != nil {
		return os.NewSyscallError("dup2", err)
	}
	syscall.CloseOnExec(int(f.Fd()))
	return nil
}

// openLeftLog opens the log in a folder; without one, or where it cannot be
// written, nothing is kept.
func openLeftLog(dir string) (*os.File, error) {
	if dir != "" && os.MkdirAll(dir, 0o700) == nil {
		if f, err := os.OpenFile(filepath.Join(dir, leftLog), os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW, 0o600); err == nil {
			return f, nil
		}
	}
	return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
}

// hungUp reports whether the terminal is no more. Its SIGHUP may come later than
// the errors that it gives.
func hungUp() bool {
	_, err := term.GetState(int(os.Stdin.Fd()))
	return errors.Is(err, unix.EIO)
}
