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

	"rollcall/redact"
)

// maxRecord bounds a line that is read back, in bytes: five lines of stderr of
// 8 KiB each, as JSON, are far below it.
const maxRecord = 1 << 20

// Unread is what of a log could not be read.
type Unread struct {
	Lines int // that are no records
	Files []UnreadFile
}

// UnreadFile is a file that could not be read, or not to its end: how many
// records are missing, nobody knows.
type UnreadFile struct {
	Name    redact.Safe
	Records int // read before
	Why     redact.Safe
}

// Read hands every record of failures.log at path to each, oldest first, those
// of files that were set aside and compressed included, until each returns
// false. What of them cannot be read hides nothing else; err is not nil only
// where the folder cannot be read. A log that is not there is empty. It may be
// called while the log is written.
func Read(path string, each func(Record) bool) (u Unread, err error) {
	files, err := u.openLogs(path)
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	for _, f := range files {
		if !u.read(f, each) {
			break
		}
	}
	return u, err
}

// openLogs opens the log and what was set aside of it, oldest first. The log
// itself is opened first, so that one that is set aside meanwhile is there twice
// and not never.
func (u *Unread) openLogs(path string) (files []*os.File, err error) {
	current, broken := openRegular(path)
	names, err := asideNames(path)
	for _, name := range names {
		name = filepath.Join(filepath.Dir(path), name)
		f, err := openRegular(name)
		if errors.Is(err, os.ErrNotExist) && !strings.HasSuffix(name, ".gz") { // compressed just now
			f, err = openRegular(name + ".gz")
		}
		switch {
		case errors.Is(err, os.ErrNotExist): // removed just now
		case err != nil:
			u.file(name, 0, err)
		case sameFile(f, current):
			_ = f.Close()
		default:
			files = append(files, f)
		}
	}
	switch {
	case broken == nil:
		files = append(files, current)
	case !errors.Is(broken, os.ErrNotExist):
		u.file(path, 0, broken)
	}
	return files, err
}

// file notes one that cannot be read further.
func (u *Unread) file(path string, records int, err error) {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err // the name is said already
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) { // of gzip
		err = errors.New("it ends too early")
	}
	u.Files = append(u.Files, UnreadFile{(*redact.Redactor)(nil).Text(filepath.Base(path)), records, cleanError(err)})
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

// read hands the records of one file over; false once each wants no more.
func (u *Unread) read(f *os.File, each func(Record) bool) bool {
	var from io.Reader = f
	if strings.HasSuffix(f.Name(), ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			u.file(f.Name(), 0, err)
			return true
		}
		from = z
	}
	r := bufio.NewReaderSize(from, 64<<10)
	for n := 0; ; {
		line, err := readLine(r)
		var rec Record
		switch {
		case line == nil && err == io.EOF:
			return true
		case err != nil && !errors.Is(err, errLong):
			u.file(f.Name(), n, err)
			return true
		case err != nil || json.Unmarshal(line, &rec) != nil:
			u.Lines++
			continue
		}
		if n++; !each(rec) {
			return false
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
		case err != nil && (err != io.EOF || len(line) == 0):
			return nil, err // what stands before an error is no whole line
		}
		if line == nil {
			line = []byte{}
		}
		return line, nil // the last one may lack its end
	}
}
