package alert

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// asideLayout is how the time is written in the name of a file that was set
// aside: failures-2026-11-30T08-00-03.005.log, with .gz once it is compressed.
// Names are in the order of their times.
const asideLayout = "2006-01-02T15-04-05.000"

// asideParts are what the names of a log's files begin and end with.
func asideParts(path string) (prefix, ext string) {
	ext = filepath.Ext(path)
	return strings.TrimSuffix(filepath.Base(path), ext) + "-", ext
}

// isAside reports whether a name is that of a file of the log that was set
// aside: another log's name may begin alike.
func isAside(name, prefix, ext string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(name, ".gz"), prefix)
	at, ok2 := strings.CutSuffix(rest, ext)
	_, err := time.Parse(asideLayout, at)
	return ok && ok2 && err == nil
}

// asideNames are the files of a log that were set aside, oldest first. One whose
// compression was cut short is there in both forms, and taken as it was.
func asideNames(path string) ([]string, error) {
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	prefix, ext := asideParts(path)
	var names []string
	for _, e := range list { // in the order of names: x.log comes before x.log.gz
		if isAside(e.Name(), prefix, ext) && !slices.Contains(names, strings.TrimSuffix(e.Name(), ".gz")) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// setAside gives the log a name with the time, and removes the oldest of those
// but keep. The folder's lock is held.
func setAside(path string, keep int, now time.Time) error {
	prefix, ext := asideParts(path)
	dir := filepath.Dir(path)
	var to string
	for {
		to = filepath.Join(dir, prefix+now.UTC().Format(asideLayout)+ext)
		if !exists(to) && !exists(to+".gz") {
			break
		}
		now = now.Add(time.Millisecond)
	}
	if err := os.Rename(path, to); err != nil {
		return err
	}
	names, err := asideNames(path)
	if err != nil {
		return nil // removed the next time
	}
	for _, name := range names[:max(len(names)-max(keep, 1), 0)] {
		file := filepath.Join(dir, name)
		_ = os.Remove(file)
		_ = os.Remove(file + ".gz") // where it is there in both forms
	}
	return nil
}

// squeezer compresses what logs of a folder were set aside to, one file at a
// time, in a goroutine of its own: no line waits for it. The zero value is ready.
//
// What was renamed is safe: that it could not be compressed, on a full disk, is
// no error, and is tried again the next time. A library would do it for one
// process. Two that share a folder, as two configurations do by default, would
// compress the same file, and the one that comes second removes what the first
// has made of it.
type squeezer struct {
	one  sync.Mutex
	runs sync.WaitGroup
}

// start has all that was set aside of a log compressed.
func (s *squeezer) start(path string) {
	s.runs.Go(func() {
		s.one.Lock()
		defer s.one.Unlock()
		names, err := asideNames(path)
		if err != nil {
			return
		}
		for _, name := range names {
			if !strings.HasSuffix(name, ".gz") {
				_ = compress(filepath.Join(filepath.Dir(path), name))
			}
		}
	})
}

// wait waits for what was started, not longer than limit.
func (s *squeezer) wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		s.runs.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit): // a crash leaves the file as it was, and so does this
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// compress makes path.gz of a file, and removes it, under a lock of the file: one
// that another process compresses, or has compressed, is left to it. A crash
// leaves the file as it was.
func compress(path string) (err error) {
	in, err := openRegular(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := tryLock(in); err != nil {
		return err
	}
	if !exists(path) { // it was compressed, and its name is not used again
		return nil
	}
	out, err := os.OpenFile(path+".gz", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	_, err = io.Copy(z, in)
	err = errors.Join(err, z.Close(), out.Sync(), out.Close())
	if err != nil {
		_ = os.Remove(path + ".gz")
		return err
	}
	return os.Remove(path)
}
