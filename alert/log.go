package alert

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// FileName is the name of failures.log in its folder.
const FileName = "failures.log"

// Log appends the failures of a fleet to failures.log (A4).
type Log struct {
	config redact.Safe // whose failures they are: several configurations may share the file
	warn   func(redact.Safe)

	mu     sync.Mutex
	file   *rotating
	lost   uint64 // lines that are not in the file, and that no gap speaks of yet
	missed uint64 // events that the listener never got, likewise
	again  *time.Timer
	hung   chan struct{} // closed when the write ends that was waited for in vain; nil: there is none
	ending bool          // Close was called
	closed bool
	why    error // the last write failed, and a warning stands

	put   func([]byte) error // the file's append; a test has it hang
	press squeezer
	stop  chan struct{} // closed when Close is called: no line is waited for any more
	once  sync.Once     // closes it
}

const (
	// logKeeps is how long after a failed write another is tried, where no failure
	// comes sooner.
	logKeeps = 30 * time.Second
	// writeWait is how long a write is waited for. It goes on after that, and no
	// other begins before it has ended: a network disk may hang for hours.
	writeWait = 3 * time.Second
)

// errHangs says that a write was waited for in vain.
var errHangs = errors.New("a write to its folder has begun, and does not end")

// NewLog makes the log in a folder, which need not be there yet. config is the
// configuration that the lines are of. warn is told what keeps it from being
// written, until the empty text takes that away; it must not block.
func NewLog(path string, config redact.Safe, r Rotation, warn func(redact.Safe)) *Log {
	l := &Log{config: config, warn: warn, stop: make(chan struct{})}
	l.file = newRotating(path, r, &l.press)
	l.put = l.file.append
	return l
}

// Event is the engine's listener: it may block, for some seconds at most, and
// delays nothing but itself. missed are events that did not reach it: each may
// have been a line.
func (l *Log) Event(ev model.Event, missed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missed += missed
	r, ok := RecordOf(ev)
	if !ok && missed == 0 || l.closed {
		return
	}
	var line []byte
	if ok {
		line = l.lineOf(r)
	}
	l.write(line, ev.At)
}

// write appends a line, or none, after one that says what is missing.
func (l *Log) write(line []byte, at time.Time) {
	err := l.tellGap(at)
	if line != nil {
		l.lost++ // until it is in the file
		if err == nil {
			err = l.append(line, 1, 0)
		}
	}
	switch was := l.why; {
	case err != nil:
		missing := redact.Word("1 line is missing")
		if n := l.lost + l.missed; n != 1 {
			missing = redact.Sprintf("%d lines are missing", redact.Int(n))
		}
		l.warn(redact.Sprintf("failures.log cannot be written, %s: %s; it is tried again", missing, cleanError(err)))
		l.retry()
	case was != nil:
		l.warn(redact.Safe{})
	}
	l.why = err
}

// append writes b, which makes up for so many lost lines and missed events. It
// may be written after all where the error is errHangs. The lock is held.
func (l *Log) append(b []byte, lost, missed uint64) error {
	if l.hung != nil {
		return errHangs
	}
	done := make(chan error, 1)
	go func() { done <- l.put(b) }()
	stop, wait := l.stop, writeWait
	if l.ending { // one last try
		stop, wait = nil, closeGrace
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	select {
	case err := <-done:
		l.landed(err, lost, missed)
		return err
	case <-limit.C:
	case <-stop:
	}
	hung := make(chan struct{})
	l.hung = hung
	go func() {
		err := <-done
		l.mu.Lock()
		defer l.mu.Unlock()
		defer close(hung)
		l.hung = nil
		l.landed(err, lost, missed)
		if l.closed {
			l.file.close()
			return
		}
		l.write(nil, time.Now())
	}()
	return errHangs
}

// landed takes what is in the file now out of what is missing. The lock is held.
func (l *Log) landed(err error, lost, missed uint64) {
	if err == nil {
		l.lost, l.missed = l.lost-lost, l.missed-missed
	}
}

// tellGap says in the file what is missing in it.
func (l *Log) tellGap(at time.Time) error {
	n := l.lost + l.missed
	if n == 0 {
		return nil
	}
	return l.append(l.lineOf(Record{At: at, Kind: Gap, Lost: n}), l.lost, l.missed)
}

// retry has the log tried again in a while, so that a warning does not stand
// longer than what it warns of.
func (l *Log) retry() {
	if l.again != nil {
		l.again.Stop()
	}
	l.again = time.AfterFunc(logKeeps, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.closed && l.why != nil {
			l.write(nil, time.Now())
		}
	})
}

// Close closes the file, after a last try to say what is missing, and returns
// how many lines the file does not have, and does not say so, and why. It takes
// some closeGrace at most; a write that hangs is left to its fate.
func (l *Log) Close() (missing uint64, why redact.Safe) {
	l.once.Do(func() { close(l.stop) }) // whoever has the lock gives it back
	l.mu.Lock()
	l.ending = true
	hung := l.hung
	l.mu.Unlock()
	if hung != nil {
		select {
		case <-hung:
		case <-time.After(closeGrace):
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost+l.missed > 0 && !l.closed {
		l.write(nil, time.Now())
	}
	if l.again != nil {
		l.again.Stop()
	}
	l.closed = true
	if l.hung == nil {
		l.file.close()
		l.press.wait(closeGrace)
	}
	return l.lost + l.missed, cleanError(l.why)
}

// cleanError is the text of an error that no server has a part in.
func cleanError(err error) redact.Safe { return (*redact.Redactor)(nil).Error(err) }

func (l *Log) lineOf(r Record) []byte {
	r.Config = l.config
	b, err := json.Marshal(r)
	if err != nil {
		return nil // cannot be: it is made of texts and numbers
	}
	return append(b, '\n')
}
