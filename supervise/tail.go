package supervise

import (
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	tailLines = 1000      // kept a server (T3)
	tailBytes = 256 << 10 // at most, of text
	lastLines = 5         // of stderr, in a report (A1, A4)
)

// Tail is one server's bounded ring of lines: its stderr, noise, and rollcall's
// own lines among them (T3, D5). Lines enter from any goroutine.
type Tail struct {
	mu     sync.Mutex
	lines  []model.Line // a ring, once it is full
	head   int          // the oldest
	bytes  int
	seq    uint64
	noise  uint64
	fresh  bool   // something came since the last snapshot
	notify func() // called, without the lock, when fresh turns true
}

func newTail(notify func()) *Tail { return &Tail{notify: notify} }

// add appends a line.
func (l *Tail) add(at time.Time, run uint64, kind model.LineKind, text redact.Safe) {
	l.mu.Lock()
	l.seq++
	if kind == model.LineNoise {
		l.noise++
	}
	l.push(model.Line{Seq: l.seq, At: at, Run: run, Kind: kind, Text: text})
	first := !l.fresh
	l.fresh = true
	l.mu.Unlock()
	if first && l.notify != nil {
		l.notify()
	}
}

func (l *Tail) push(line model.Line) {
	l.bytes += len(line.Text.String())
	for l.count() > 0 && (l.count() >= tailLines || l.bytes > tailBytes) {
		l.bytes -= len(l.lines[l.head].Text.String())
		l.lines[l.head] = model.Line{}
		l.head++
	}
	// The slice slides over its array; it is copied down when half is empty.
	if l.head > 0 && l.head >= len(l.lines)/2 && len(l.lines) == cap(l.lines) {
		n := copy(l.lines, l.lines[l.head:])
		clear(l.lines[n:])
		l.lines, l.head = l.lines[:n], 0
	}
	l.lines = append(l.lines, line)
}

func (l *Tail) count() int { return len(l.lines) - l.head }

// after returns the newest lines with a Seq above seq, at most limit, oldest
// first.
func (l *Tail) after(seq uint64, limit int) []model.Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.lines[l.head:]
	if l.seq <= seq || limit <= 0 {
		return nil
	}
	n := min(int(min(l.seq-seq, uint64(len(kept)))), limit)
	return append([]model.Line(nil), kept[len(kept)-n:]...)
}

// lastStderr returns the end of a run's stderr, oldest first.
func (l *Tail) lastStderr(run uint64, n int) []redact.Safe {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.lines[l.head:]
	var out []redact.Safe
	for i := len(kept) - 1; i >= 0 && len(out) < n && kept[i].Run >= run; i-- {
		if kept[i].Run == run && kept[i].Kind == model.LineStderr {
			out = append(out, kept[i].Text)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// marks returns what a row shows of the tail, and takes the freshness.
func (l *Tail) marks() (seq, noise uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh = false
	return l.seq, l.noise
}
