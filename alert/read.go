package alert

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxRecord bounds a line that is read back, in bytes: five lines of stderr of
// 8 KiB each, as JSON, are far below it.
const maxRecord = 1 << 20

// Read hands every record of failures.log at path to each, oldest first, those
// of files that were set aside and compressed included, until each returns
// false. broken is how many lines could not be read. A log that is not there is
// empty. It may be called while the log is written.
func Read(path string, each func(Record) bool) (broken int, err error) {
	files, err := openLogs(path)
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		n, more := readRecords(f, each)
		broken += n
		if !more {
			break
		}
	}
	return broken, nil
}

// openLogs opens the log and what was set aside of it, oldest first. The log
// itself comes first, so that one that is set aside meanwhile is there twice and
// not never.
func openLogs(path string) (files []*os.File, err error) {
	current, err := openRegular(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	names, err := asideNames(path)
	for _, name := range names {
		f, err := openRegular(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			continue // compressed or removed just now
		}
		if sameFile(f, current) {
			_ = f.Close()
			continue
		}
		files = append(files, f)
	}
	if current != nil {
		files = append(files, current)
	}
	return files, err
}

// openRegular opens a file to read; a pipe would block.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("no regular file")}
	}
	return os.Open(path)
}

func sameFile(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	x, err1 := a.Stat()
	y, err2 := b.Stat()
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// readRecords hands the records of one file over; more is false once each wants
// no more.
func readRecords(f *os.File, each func(Record) bool) (broken int, more bool) {
	var from io.Reader = f
	if strings.HasSuffix(f.Name(), ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return 1, true
		}
		from = z
	}
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := readLine(r)
		switch {
		case line == nil && err == io.EOF:
			return broken, true
		case line == nil && err != nil && !errors.Is(err, errLong):
			return broken + 1, true
		}
		var rec Record
		if err != nil || json.Unmarshal(line, &rec) != nil {
			broken++
			continue
		}
		if !each(rec) {
			return broken, false
		}
	}
}

// errLong says that a line was longer than maxRecord; it was read past.
var errLong = errors.New("line too long")

// readLine reads a line without its end; it is nil at the end of the file.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxRecord {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong
		case err != nil && len(line) == 0:
			return nil, err
		}
		if line == nil {
			line = []byte{}
		}
		return line, nil // the last one may lack its end
	}
}
