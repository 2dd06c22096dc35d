package bus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// HeldError says that an engine of this configuration runs already.
type HeldError struct {
	PID    int    // 0 where it is not known
	Socket string // where it is reached
}

func (e *HeldError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("an engine of this configuration runs already: %s; `rollcall attach` shows it", who)
}

// Lock is what says that an engine of a configuration runs: a file that is held
// locked as long as the process lives. The file itself says nothing, and stays.
type Lock struct {
	all []Paths // where it may be

	mu    sync.Mutex
	paths Paths
	file  *os.File
}

// Paths are where the engine is found. They change where the directory is taken
// away and cannot be made again.
func (l *Lock) Paths() Paths {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paths
}

// Acquire takes a configuration's lock (N1), and makes the runtime directory
// where it is missing. Take it before anything is launched, and hold it until
// all was reaped. A *HeldError says that an engine runs.
func Acquire(configPath string) (*Lock, error) {
	all, err := places(configPath)
	if err != nil {
		return nil, err
	}
	var failed error
	for i, p := range all {
		if err := prepare(p.Dir, -1); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		file, err := lockFile(p)
		if err != nil {
			return nil, err
		}
		l := &Lock{all: all, paths: p, file: file}
		if err := heldIn(append(all[:i:i], all[i+1:]...)); err != nil {
			l.Release()
			return nil, err
		}
		return l, nil
	}
	return nil, fmt.Errorf("make a directory for the socket: %w", failed)
}

// heldIn says that an engine answers in another of the directories: it was
// started with another $XDG_RUNTIME_DIR.
func heldIn(others []Paths) error {
	for _, p := range others {
		if p.answers() {
			return &HeldError{PID: pidIn(p.Lock), Socket: p.Socket}
		}
	}
	return nil
}

// restore takes the lock anew where its file, or the socket, is not there any
// more: a user's runtime directory goes with the last login, and the engine
// stays. It reports whether the socket is to be opened anew.
func (l *Lock) restore(gid int) (gone bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	locked, _ := sameFile(l.file, l.paths.Lock)
	if _, err := os.Lstat(l.paths.Socket); err == nil && locked {
		return false, nil
	}
	var failed error
	for _, p := range append([]Paths{l.paths}, l.all...) {
		if err := prepare(p.Dir, gid); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if locked && p == l.paths {
			return true, nil
		}
		file, err := lockFile(p)
		if err != nil {
			return false, err
		}
		_ = l.file.Close()
		l.paths, l.file = p, file
		return true, nil
	}
	return false, failed
}

// lockFile locks p.Lock and writes the pid there.
func lockFile(p Paths) (*os.File, error) {
	for {
		f, err := os.OpenFile(p.Lock, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f); err != nil {
			_ = f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, &HeldError{PID: pidIn(p.Lock), Socket: p.Socket}
			}
			return nil, fmt.Errorf("lock %s: %w", p.Lock, err)
		}
		// Somebody may have removed the file between the two: then what is locked
		// is a file that nobody else will find.
		if there, err := sameFile(f, p.Lock); err != nil || !there {
			_ = f.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := writePID(f); err != nil {
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}
}

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
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

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// pidIn is the pid that a lock's file holds, or 0.
func pidIn(path string) int {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 32))
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// Release gives the lock up; the end of the process does so too.
func (l *Lock) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.file.Close()
}
