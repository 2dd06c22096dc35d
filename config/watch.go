package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long nothing must have changed before the file is read: an editor
// truncates and writes, or moves the old file away before the new one comes.
// What changes all the time is read after atMost all the same.
const (
	quiet  = 200 * time.Millisecond
	atMost = 2 * time.Second
)

// maxLinks bounds how many links may lead to a file, as the kernel does.
const maxLinks = 40

// Watch calls read at once, and then after each change of the configuration at
// path or of a file that the configuration names (env_file), until ctx ends: it
// returns nil then. An error says that changes are not seen, or no longer. read
// reads the file; what it returns says which other files belong to it, nil leaves
// that as it was. It is called from Watch's own goroutine, one call at a time.
//
// The folders are watched, not the file: editors replace it. So are the folders
// of all links on the way to it, which is how a mounted ConfigMap changes.
func Watch(ctx context.Context, path string, read func() *File) error {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the configuration: %w", err)
	}
	defer notify.Close()
	w := &watch{notify: notify, files: []string{path}}
	due := time.NewTimer(0)
	defer due.Stop()
	var first time.Time // of the changes that were not read yet
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
			first = time.Time{}
			again, err := w.reread(read)
			if err != nil {
				return fmt.Errorf("watch the configuration: %w", err)
			}
			if again {
				due.Reset(quiet)
			}
			continue
		case ev := <-notify.Events:
			if !w.concerns(ev.Name) {
				continue
			}
		case <-notify.Errors: // events were lost: any may have been ours
		}
		if first.IsZero() {
			first = time.Now()
		}
		due.Reset(untilCalm(first, time.Now()))
	}
}

// untilCalm is how long to wait after a change at now; first is when the first
// one came that was not read yet.
func untilCalm(first, now time.Time) time.Duration {
	return max(min(quiet, first.Add(atMost).Sub(now)), 0)
}

// watch is which files are watched.
type watch struct {
	notify *fsnotify.Watcher
	files  []string // the configuration, then those that belong to it
	names  []string // whose changes matter: the files, the links to them
	dirs   []string // their folders, which are watched
}

// concerns reports whether a change of name matters. A folder's own removal does.
func (w *watch) concerns(name string) bool {
	return slices.Contains(w.names, name) || slices.Contains(w.dirs, name)
}

// reread follows the files, and then reads: what changes in between is seen
// twice rather than never. again says that something is not followed yet.
func (w *watch) reread(read func() *File) (again bool, err error) {
	if again, err = w.follow(); err != nil {
		return false, err
	}
	if file := read(); file != nil {
		files := append([]string{w.files[0]}, file.envFiles...)
		again = again || !slices.Equal(files, w.files)
		w.files = files
	}
	return again, nil
}

// follow watches the folders of all that leads to the files as it is now. A
// folder that was replaced has the same name and is another: so all are watched
// anew. missed says that one went away meanwhile.
func (w *watch) follow() (missed bool, err error) {
	for _, dir := range w.dirs {
		_ = w.notify.Remove(dir) // one that is no more is not watched already
	}
	w.names, w.dirs = nil, nil
	for _, file := range w.files {
		names, err := trail(file)
		if err != nil {
			return false, err
		}
		w.names = append(w.names, names...)
	}
	for _, name := range w.names {
		dir := filepath.Dir(name)
		if slices.Contains(w.dirs, dir) {
			continue
		}
		w.dirs = append(w.dirs, dir)
		switch err := w.notify.Add(dir); {
		case errors.Is(err, os.ErrNotExist):
			missed = true
		case err != nil:
			return false, errors.New(reason(err))
		}
	}
	return missed, nil
}

// trail is what leads to a file, absolute: each link on the way, and the file
// itself, or the first name on the way that is missing.
func trail(file string) ([]string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, errors.New("the working directory is gone")
	}
	const root = string(filepath.Separator)
	var names []string
	at, todo := root, strings.Split(path, root)
	for len(todo) > 0 && len(names) < maxLinks {
		next := filepath.Join(at, todo[0])
		todo = todo[1:]
		info, err := os.Lstat(next)
		if err != nil {
			return append(names, next), nil
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		names = append(names, next)
		target, err := os.Readlink(next)
		if err != nil {
			return names, nil // gone already: its folder tells
		}
		if filepath.IsAbs(target) {
			at = root
		}
		todo = append(strings.Split(target, root), todo...)
	}
	return append(names, at), nil
}
