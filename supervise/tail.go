package supervise

import (
	"slices"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	tailLines = 1000      // kept a ring (T3)
	tailBytes = 256 << 10 // at most, of text
	lastLines = 5         // of stderr, in a report (A1, A4)
)

// Tail is what is kept of one server's lines (T3, D5). stderr has a ring of its
// own: neither noise on stdout nor rollcall's own lines push it out. Lines enter
// from any goroutine.
type Tail struct {
	server string
	notify func() // called, without the lock, when fresh turns true

	mu        sync.Mutex
	stderr    ring
	rest      ring
	sum       sum
	stopped   mark // of the run that is being stopped, or was
	fresh     bool // something came since the last snapshot
	followers []*feed[FollowedLine]
}

// mark is a place in the tail: behind the line seq, while a run was stopped.
type mark struct{ run, seq uint64 }

// sum is what a row shows of a tail: counts over all lines, kept or not.
type sum struct {
	seq         uint64 // of the newest line
	noise       uint64
	stderr      uint64
	stderrBytes uint64
}

func newTail(server string, notify func()) *Tail { return &Tail{server: server, notify: notify} }

// add appends a line.
func (l *Tail) add(at time.Time, run uint64, kind model.LineKind, text redact.Safe) {
	l.mu.Lock()
	l.sum.seq++
	to := &l.rest
	switch kind {
	case model.LineStderr:
		to = &l.stderr
		l.sum.stderr++
		l.sum.stderrBytes += uint64(len(text.String()))
	case model.LineNoise:
		l.sum.noise++
	}
	line := model.Line{Seq: l.sum.seq, At: at, Run: run, Kind: kind, Text: text}
	to.push(line)
	for _, f := range l.followers {
		f.put(FollowedLine{Server: l.server, Line: line})
	}
	first := !l.fresh
	l.fresh = true
	l.mu.Unlock()
	if first && l.notify != nil {
		l.notify()
	}
}

// after returns the newest lines with a Seq above seq, at most limit, oldest
// first.
func (l *Tail) after(seq uint64, limit int) []model.Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.newest(seq, limit)
}

// newest is after, for who holds the lock.
func (l *Tail) newest(seq uint64, limit int) []model.Line {
	if l.sum.seq <= seq || limit <= 0 {
		return nil
	}
	a, b := l.stderr.after(seq, limit), l.rest.after(seq, limit)
	both := make([]model.Line, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Seq < b[0].Seq {
			both, a = append(both, a[0]), a[1:]
		} else {
			both, b = append(both, b[0]), b[1:]
		}
	}
	both = append(append(both, a...), b...)
	return both[max(len(both)-limit, 0):]
}

// stops notes that the stop of a run begins now. Call it before that does.
func (l *Tail) stops(run uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = mark{run, l.sum.seq}
}

// lastStderr returns the end of a run's stderr, oldest first: as it was before
// the run was stopped, where it was. What a server says to a stop is no reason
// for what came before.
func (l *Tail) lastStderr(run uint64, n int) []redact.Safe {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.stderr.kept()
	var out []redact.Safe
	for i := len(kept) - 1; i >= 0 && len(out) < n && kept[i].Run >= run; i-- {
		if said := kept[i]; said.Run == run && (l.stopped.run != run || said.Seq <= l.stopped.seq) {
			out = append(out, kept[i].Text)
		}
	}
	slices.Reverse(out)
	return out
}

// marks returns what a row shows of the tail, and takes the freshness.
func (l *Tail) marks() sum {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh = false
	return l.sum
}

// ring keeps the last tailLines lines, and at most tailBytes of their text.
type ring struct {
	lines []model.Line
	head  int // the oldest
	bytes int
}

func (r *ring) kept() []model.Line { return r.lines[r.head:] }

func (r *ring) push(line model.Line) {
	r.bytes += len(line.Text.String())
	for n := len(r.kept()); n > 0 && (n >= tailLines || r.bytes > tailBytes); n-- {
		r.bytes -= len(r.lines[r.head].Text.String())
		r.lines[r.head] = model.Line{}
		r.head++
	}
	// The slice slides over its array; it is copied down when half is empty.
	if r.head > 0 && r.head >= len(r.lines)/2 && len(r.lines) == cap(r.lines) {
		n := copy(r.lines, r.kept())
		clear(r.lines[n:])
		r.lines, r.head = r.lines[:n], 0
	}
	r.lines = append(r.lines, line)
}

// after is the newest lines with a Seq above seq, at most limit. The slice is
// the ring's own: it is good until the next push.
func (r *ring) after(seq uint64, limit int) []model.Line {
	kept := r.kept()
	i := len(kept)
	for i > 0 && kept[i-1].Seq > seq && len(kept)-i < limit {
		i--
	}
	return kept[i:]
}
