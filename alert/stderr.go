package alert

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Stderr keeps what servers said on stderr, a file a server, rotated, and not
// more than so many bytes over all: what is oldest goes. Not for concurrent use.
type Stderr struct {
	dir    string
	limit  int64 // bytes over all
	warn   func(redact.Safe)
	files  map[string]*rotating
	press  squeezer
	since  int64  // bytes written since the folder was looked over; at first as many as need it
	lost   uint64 // lines that could not be written
	unsaid uint64 // of them, that the files do not speak of yet
	failed bool   // the last write did, or took too long, and a warning stands

	put func(*rotating, []byte) error // append; a test has it hang
}

const (
	stderrKeep  = 3        // files set aside a server, at most
	stderrLeast = 64 << 10 // a server's file before it is set aside
	stderrMost  = 10 << 20 // likewise
	openFiles   = 128      // that are kept open
)

// NewStderr keeps lines below dir, which need not be there yet, in at most limit
// bytes. warn is as for NewLog.
func NewStderr(dir string, limit int64, warn func(redact.Safe)) *Stderr {
	return &Stderr{dir: dir, limit: limit, warn: warn, files: map[string]*rotating{}, since: limit, put: (*rotating).append}
}

// Lines appends lines of a server, redacted as they are; those that are no
// stderr are left out. missed is how many did not reach it before them, which is
// said in the file. It may block on the disk, and says so after writeWait.
func (s *Stderr) Lines(server string, lines []model.Line, missed uint64) {
	b, n := textOf(lines)
	if missed += s.unsaid; missed > 0 {
		b = append([]byte(fmt.Sprintf("%s … %d lines are missing here\n", model.Stamp(time.Now()), missed)), b...)
	}
	if len(b) == 0 {
		return
	}
	ended := s.watch()
	err := s.put(s.file(server), b)
	s.keepTo(len(b))
	s.failed = ended() || s.failed
	switch {
	case err != nil:
		s.failed = true
		s.lost, s.unsaid = s.lost+n+missed-s.unsaid, missed+n
		missing := redact.Word("1 line is not in its files")
		if s.lost != 1 {
			missing = redact.Sprintf("%d lines are not in its files", redact.Int(s.lost))
		}
		s.warn(redact.Sprintf("stderr cannot be kept, %s: %s; it is tried again", missing, cleanError(err)))
	default:
		s.unsaid = 0
		if s.failed {
			s.failed = false
			s.warn(redact.Safe{})
		}
	}
}

// watch warns where what begins now takes longer than writeWait, until ended is
// called, which reports whether it did. What comes meanwhile waits with the
// follower, and is counted there where it does not fit.
func (s *Stderr) watch() (ended func() bool) {
	warned := make(chan struct{})
	t := time.AfterFunc(writeWait, func() {
		defer close(warned)
		s.warn(redact.Sprintf("stderr cannot be kept: %s; what servers say meanwhile waits, and is counted where it does not fit", cleanError(errHangs)))
	})
	return func() bool {
		if t.Stop() {
			return false
		}
		<-warned // what is warned of next comes after it
		return true
	}
}

// keepTo keeps the folder to its limit, after so many more bytes.
func (s *Stderr) keepTo(written int) {
	if s.since += int64(written); s.since > s.limit/16 {
		s.since = 0
		s.prune()
	}
}

// textOf is lines as a file has them, and how many they are.
func textOf(lines []model.Line) (b []byte, n uint64) {
	for _, l := range lines {
		if l.Kind == model.LineStderr {
			b = append(b, model.Stamp(l.At)+" "+l.Text.String()+"\n"...)
			n++
		}
	}
	return b, n
}

// Lost is how many lines could not be written.
func (s *Stderr) Lost() uint64 { return s.lost }

// file is a server's file. One that is not open costs nothing but its name.
func (s *Stderr) file(server string) *rotating {
	f := s.files[server]
	if f == nil {
		f = newRotating(filepath.Join(s.dir, fileName(server)), Rotation{Keep: stderrKeep}, &s.press)
		s.files[server] = f
	}
	// What all servers write at once is a quarter of the limit.
	f.rotation.Bytes = min(max(s.limit/int64(4*len(s.files)), stderrLeast), stderrMost)
	if f.file == nil && s.open() >= openFiles {
		for _, other := range s.files {
			other.close()
		}
	}
	return f
}

// open is how many files are open.
func (s *Stderr) open() (n int) {
	for _, f := range s.files {
		if f.file != nil {
			n++
		}
	}
	return n
}

// fileName is the name of a server's file: NAME.log. A name that could lead
// elsewhere cannot be in a configuration, and is made safe all the same.
func fileName(server string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '_'
	}, server)
	if strings.HasPrefix(name, ".") { // no hidden file, and not the lock's
		name = "_" + name
	}
	return name + ".log"
}

// prune removes what is oldest until the folder keeps to the limit. A file that
// is written to just now is made anew with its next line.
func (s *Stderr) prune() {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return // said with the next line
	}
	type old struct {
		name string
		at   time.Time
		size int64
	}
	var files []old
	var sum int64
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.Contains(e.Name(), ".log") || e.Name() == lockName {
			continue
		}
		files = append(files, old{e.Name(), info.ModTime(), info.Size()})
		sum += info.Size()
	}
	slices.SortFunc(files, func(a, b old) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.name, b.name)) })
	for _, f := range files {
		if sum <= s.limit {
			return
		}
		if err := os.Remove(filepath.Join(s.dir, f.name)); err == nil || errors.Is(err, os.ErrNotExist) {
			sum -= f.size
		}
	}
}

// Close closes the files.
func (s *Stderr) Close() {
	for _, f := range s.files {
		f.close()
	}
	s.press.wait(closeGrace)
}
