package bus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// refreshAfter is how old a lock's file may grow: what cleans /tmp takes away
// what nobody has touched for days.
const refreshAfter = time.Hour

// aboutLimit bounds what is read of a lock's file, in bytes.
const aboutLimit = 512

const (
	lockSuffix   = ".lock"
	socketSuffix = ".sock"
)

// lockFile locks the file at a path, made where it is missing, and writes there
// who holds it. A *HeldError says that somebody does already.
func lockFile(path, socket string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if errors.Is(err, unix.ELOOP) {
			return nil, fmt.Errorf("the lock's file %s is a link, and is not followed: remove it", path)
		}
		if err != nil {
			return nil, err
		}
		if err := take(f); err != nil {
			_ = f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				pid, at := about(path)
				return nil, &HeldError{PID: pid, Socket: at}
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		// Somebody may have removed the file between the two: then what is locked
		// is a file that nobody else will find.
		if there, err := sameFile(f, path); err != nil || !there {
			_ = f.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := describe(f, socket); err != nil {
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}
}

const (
	lookersStay = time.Second // how long one who only looks is waited for
	lookAgain   = time.Millisecond
)

// take locks a file for its holder alone; unix.EWOULDBLOCK where somebody else
// has. Who only looks (heldAt) has it shared with others, for an instant, and is
// waited for; who has it alone is not.
func take(f *os.File) error {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for end := time.Now().Add(lookersStay); ; <-again.C { // no call waits for a lock and for a time
		err := flock(f, unix.LOCK_EX)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(end) {
			return err
		}
		if err := flock(f, unix.LOCK_SH); err != nil {
			return err // not even shared
		}
		if err := flock(f, unix.LOCK_UN); err != nil {
			return err
		}
	}
}

// flock does not wait: unix.EWOULDBLOCK where it would have to.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func sameFile(f *os.File, path string) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(open, named), err
}

// describe writes who holds a lock: the pid, and the socket in the next line
// once it is known.
func describe(f *os.File, socket string) error {
	text := strconv.Itoa(os.Getpid()) + "\n"
	if socket != "" {
		text += socket + "\n"
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(text)))
}

// refresh makes a file that is old a new one.
func refresh(f *os.File) error {
	info, err := f.Stat()
	if err != nil || time.Since(info.ModTime()) < refreshAfter {
		return err
	}
	now := time.Now()
	return os.Chtimes(f.Name(), now, now)
}

// about is what a lock's file says: the pid of who holds it, or 0, and its
// socket, or "". It says so after its end too.
func about(path string) (pid int, socket string) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, aboutLimit))
	first, rest, _ := strings.Cut(string(b), "\n")
	pid, err = strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 {
		return 0, ""
	}
	socket, _, _ = strings.Cut(rest, "\n")
	if !filepath.IsAbs(socket) || !strings.HasSuffix(socket, socketSuffix) {
		return pid, ""
	}
	return pid, socket
}

// nameOfLock is the name that a lock's file is for.
func nameOfLock(path string) string { return strings.TrimSuffix(filepath.Base(path), lockSuffix) }
