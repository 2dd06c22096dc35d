package alert

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Rotation is how a log file is rotated.
type Rotation struct {
	Bytes int64 // above this the file is set aside
	Keep  int   // how many set aside are kept, compressed; at least 1
}

// rotating is a file that lines are appended to. Several processes may append
// to one, and set it aside: each does so under a lock of the folder. What was set
// aside is compressed without it, beside the writing. Not for concurrent use.
type rotating struct {
	path     string
	rotation Rotation
	squeeze  *squeezer
	file     *os.File // nil: not open
	locked   bool     // the lock was not to be had the last time
}

func newRotating(path string, r Rotation, s *squeezer) *rotating {
	return &rotating{path: path, rotation: r, squeeze: s}
}

// append writes b, whole lines, with one write, or nothing of it. It makes the
// folder, mode 0700, and the file, 0600, where they are not there.
func (r *rotating) append(b []byte) error {
	dir := filepath.Dir(r.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	wait := lockWait
	if r.locked { // whoever comes next does not wait for it again
		wait = 0
	}
	unlock, err := lockFolder(dir, wait)
	r.locked = errors.Is(err, errLocked)
	if err != nil {
		return err
	}
	defer unlock()
	size, err := r.open()
	if err != nil {
		return err
	}
	if size > 0 && size+int64(len(b)) > r.rotation.Bytes {
		if err := r.setAside(); err != nil {
			return err
		}
		if size, err = r.open(); err != nil {
			return err
		}
	}
	if _, err := r.file.Write(b); err != nil {
		// A part of a line would spoil the next one.
		return errors.Join(err, r.file.Truncate(size))
	}
	return nil
}

// open opens the file that bears the name now, and returns its size: another
// process may have set it aside, or a person removed it.
func (r *rotating) open() (size int64, err error) {
	if r.file != nil {
		now, err := os.Stat(r.path)
		mine, err2 := r.file.Stat()
		if err == nil && err2 == nil && os.SameFile(now, mine) {
			return mine.Size(), nil
		}
		r.close()
	}
	// O_NONBLOCK: a pipe of that name must not block.
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: no regular file", r.path)
	}
	if err != nil {
		_ = f.Close()
		return 0, err
	}
	r.file = f
	return info.Size(), nil
}

// setAside gives the file another name. The lock is held.
func (r *rotating) setAside() error {
	r.close()
	if err := setAside(r.path, r.rotation.Keep, time.Now()); err != nil {
		return err
	}
	r.squeeze.start(r.path)
	return nil
}

// close closes the file; append opens it again.
func (r *rotating) close() {
	if r.file != nil {
		_ = r.file.Close() // nothing is buffered
		r.file = nil
	}
}

// lockName is the file that is locked while a log of its folder is written.
const lockName = ".log.lock"

const (
	lockWait = time.Second // for the lock; whoever has it writes a few lines, or renames a file
	lockLook = 5 * time.Millisecond
)

// errLocked says that somebody else holds a lock.
var errLocked = errors.New("another process holds it, and `fuser` says which")

// lockFolder waits for the lock of a folder's logs, not longer than wait: who
// holds it may have been stopped.
func lockFolder(dir string, wait time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	look := time.NewTicker(lockLook)
	defer look.Stop()
	for end := time.Now().Add(wait); ; <-look.C { // no call waits for a lock and for a time
		err = tryLock(f)
		if !errors.Is(err, errLocked) || !time.Now().Before(end) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

// tryLock locks a file, until it is closed; errLocked where somebody else has.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}
