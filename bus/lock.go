package bus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// HeldError says that an engine of this configuration runs already.
type HeldError struct {
	PID    int    // 0 where it is not known
	Socket string // where it is reached; empty where it is not known
}

func (e *HeldError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("an engine of this configuration runs already: %s; `rollcall attach` shows it", who)
}

// Lock is what says that an engine of a configuration runs: files that are held
// locked as long as the process lives. There is one for each name that the
// configuration has (namesOf), in each directory that can be used: one of them
// lies where every environment of this user looks, and outlives the last logout.
// What a file says, a pid and a socket, is for who finds it held.
type Lock struct {
	config string   // the configuration, as it was given
	names  []string // of that path; they stay
	dirs   []string // where locks are held, that of all environments first
	all    []Paths  // where the socket may be, the preferred one first

	mu      sync.Mutex
	targets []string // further names: the files that the path has led to
	paths   Paths
	held    map[string]*os.File // by the path of the lock's file
}

// Acquire takes a configuration's lock (N1), and makes the runtime directory
// where it is missing. Take it before anything is launched, and hold it until
// all was reaped. A *HeldError says that an engine runs.
func Acquire(configPath string) (*Lock, error) {
	all, err := places(configPath)
	if err != nil {
		return nil, err
	}
	l := &Lock{config: configPath, names: givenNames(configPath), targets: []string{nameOf(Canonical(configPath))},
		dirs: lockDirs(), all: all, held: map[string]*os.File{}}
	unusable, err := l.hold()
	if err != nil {
		l.Release()
		return nil, err
	}
	for _, p := range all {
		if l.held[p.Lock] != nil {
			l.move(p)
			return l, nil
		}
	}
	return nil, fmt.Errorf("make a directory for the socket: %w", unusable)
}

// Paths are where the engine is found. They change where the directory is taken
// away and cannot be made again.
func (l *Lock) Paths() Paths {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paths
}

// Follow takes the lock of the file that the configuration's path leads to now:
// a link may lead elsewhere than it did. Call it before that file is read; a
// *HeldError says that another engine has it, and that it is not to be read.
func (l *Lock) Follow() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := nameOf(Canonical(l.config))
	if slices.Contains(l.targets, name) {
		return nil
	}
	l.targets = append(l.targets, name)
	_, err := l.hold()
	if !errors.As(err, new(*HeldError)) {
		return nil // what could not be locked now is tried again (restore)
	}
	l.targets = l.targets[:len(l.targets)-1]
	l.drop()
	return err
}

// Settle gives up the files that the path does not lead to any more. Call it
// when nothing runs from them.
func (l *Lock) Settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := nameOf(Canonical(l.config))
	if slices.Contains(l.targets, now) { // else the link has moved on since Follow
		l.targets = []string{now}
		l.drop()
	}
}

// Release gives the lock up; the end of the process does so too.
func (l *Lock) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names, l.targets = nil, nil
	l.drop()
}

// hold locks what is to be held and is not: at first everything, later what was
// taken away. A directory that cannot be used is none of them, and unusable says
// why; an error is that of a lock, a *HeldError where somebody else holds it.
func (l *Lock) hold() (unusable, err error) {
	for _, dir := range l.dirs {
		if err := usable(dir); err != nil {
			unusable = errors.Join(unusable, err)
			continue
		}
		for _, name := range l.wanted() {
			path := filepath.Join(dir, name+lockSuffix)
			file, err := l.keep(path)
			if err != nil {
				return unusable, err
			}
			l.held[path] = file
		}
	}
	return unusable, nil
}

// keep is the locked file at a path: the one that is held where it is there yet.
func (l *Lock) keep(path string) (*os.File, error) {
	if file := l.held[path]; file != nil {
		if there, err := sameFile(file, path); err != nil || there {
			_ = refresh(file)
			return file, nil
		}
		_ = file.Close()
		delete(l.held, path)
	}
	return lockFile(path, l.paths.Socket)
}

// wanted are the names that are to be locked.
func (l *Lock) wanted() []string {
	return unique(append(slices.Clone(l.names), l.targets...))
}

// drop gives up what is not wanted. The file goes first: who waits to open it
// looks whether it is still there once it has the lock.
func (l *Lock) drop() {
	wanted := l.wanted()
	for path, file := range l.held {
		if slices.Contains(wanted, nameOfLock(path)) {
			continue
		}
		if there, err := sameFile(file, path); err == nil && there {
			_ = os.Remove(path)
		}
		_ = file.Close()
		delete(l.held, path)
	}
}

// move makes p the paths, and has every lock's file say so.
func (l *Lock) move(p Paths) {
	l.paths = p
	for _, file := range l.held {
		_ = describe(file, p.Socket) // what is held counts, not what it says
	}
}

// restore takes anew what is not there any more: a user's runtime directory goes
// with the last login, and the engine stays. It reports whether the socket is to
// be opened anew. A *HeldError says that another engine of the configuration has
// come meanwhile.
func (l *Lock) restore(gid int) (gone bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.hold()
	if _, missing := os.Lstat(l.paths.Socket); missing == nil {
		return false, err
	}
	for _, p := range append([]Paths{l.paths}, l.all...) {
		file := l.held[p.Lock]
		if file == nil {
			continue // the place is somebody else's, or cannot be used
		}
		if there, err := sameFile(file, p.Lock); err == nil && there && prepare(p.Dir, gid) == nil {
			l.move(p)
			return true, err
		}
	}
	return false, err
}

// Runs reports whether an engine of a configuration holds its lock, and its pid,
// 0 where it is not known. It runs then whether its socket answers or not: it is
// starting or ending, or the socket was taken away and comes back.
func Runs(configPath string) (pid int, runs bool) {
	for _, dir := range lockDirs() {
		for _, name := range namesOf(configPath) {
			path := filepath.Join(dir, name+lockSuffix)
			if held, err := heldAt(path); trusted(dir) == nil && err == nil && held {
				pid, _ = about(path)
				return pid, true
			}
		}
	}
	return 0, false
}
