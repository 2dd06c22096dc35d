package alert

import (
	"encoding/json"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// FileName is the name of failures.log in its folder.
const FileName = "failures.log"

// Log appends the failures of a fleet to failures.log (A4).
type Log struct {
	warn func(redact.Safe)

	mu     sync.Mutex
	file   *rotating
	lost   uint64 // lines that are not in the file, and that no gap speaks of yet
	missed uint64 // events that the listener never got, likewise
	again  *time.Timer
	closed bool

	failing bool // the last write failed, and a warning stands
}

// logKeeps is how long after a failed write another is tried, where no failure
// comes sooner.
const logKeeps = 30 * time.Second

// NewLog makes the log in a folder, which need not be there yet. warn is told
// what keeps it from being written, until the empty text takes that away; it
// must not block.
func NewLog(path string, r Rotation, warn func(redact.Safe)) *Log {
	return &Log{warn: warn, file: newRotating(path, r)}
}

// Event is the engine's listener: it may block, and delays nothing but itself.
// missed are events that did not reach it: each may have been a line.
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
		line = lineOf(r)
	}
	l.write(line, ev.At)
}

// write appends a line, or none, after one that says what is missing.
func (l *Log) write(line []byte, at time.Time) {
	err := l.tellGap(at)
	if err == nil && line != nil {
		err = l.file.append(line)
	}
	if err != nil && line != nil {
		l.lost++
	}
	switch {
	case err != nil:
		l.failing = true
		l.warn(redact.Sprintf("failures.log cannot be written, %d lines are lost: %s; it is tried again", redact.Int(l.lost+l.missed), cleanError(err)))
		l.retry()
	case l.failing:
		l.failing = false
		l.warn(redact.Safe{})
	}
}

// tellGap says in the file what is missing in it.
func (l *Log) tellGap(at time.Time) error {
	n := l.lost + l.missed
	if n == 0 {
		return nil
	}
	if err := l.file.append(lineOf(Record{At: at, Kind: Gap, Lost: n})); err != nil {
		return err
	}
	l.lost, l.missed = 0, 0
	return nil
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
		if !l.closed && l.failing {
			l.write(nil, time.Now())
		}
	})
}

// Close closes the file, after a last try to say what is missing, and returns
// how many lines the file does not have, and does not say so.
func (l *Log) Close() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again != nil {
		l.again.Stop()
	}
	if l.lost+l.missed > 0 && !l.closed {
		l.write(nil, time.Now())
	}
	if l.again != nil {
		l.again.Stop()
	}
	l.closed = true
	l.file.close()
	return l.lost + l.missed
}

// cleanError is the text of an error that no server has a part in.
func cleanError(err error) redact.Safe { return (*redact.Redactor)(nil).Error(err) }

func lineOf(r Record) []byte {
	b, err := json.Marshal(r)
	if err != nil {
		return nil // cannot be: it is made of texts and numbers
	}
	return append(b, '\n')
}
