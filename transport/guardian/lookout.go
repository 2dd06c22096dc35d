package guardian

import (
	"io"
	"runtime/debug"
	"time"
)

// When the guardian looks at the process table while rollcall lives: soon after
// it was told something, a launch above all, and then now and again.
const (
	lookSoon  = time.Second
	lookAgain = 30 * time.Second
)

// lookout keeps Marks up to date while rollcall lives. What was started with an
// empty environment is known by its parents alone (inherit), and these may be
// gone by the time that rollcall is.
type lookout struct {
	known Marks // touched by run alone until it has ended
	look  func(Marks)
	news  chan struct{} // capacity 1: something was told
	quit  chan struct{}
	ended chan struct{}
}

func newLookout() *lookout {
	scan := func(known Marks) {
		_, _ = Scan(known)
		debug.FreeOSMemory() // it does little else, and lives as long as rollcall
	}
	return &lookout{known: Marks{}, look: scan, news: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{})}
}

// run looks until end.
func (l *lookout) run() {
	defer close(l.ended)
	next, due := time.NewTimer(lookAgain), time.Now().Add(lookAgain)
	for {
		select {
		case <-l.news:
			// Never put off: where servers flap there is always news.
			if soon := time.Now().Add(lookSoon); soon.Before(due) {
				next.Reset(lookSoon)
				due = soon
			}
		case <-next.C:
			l.look(l.known)
			next.Reset(lookAgain)
			due = time.Now().Add(lookAgain)
		case <-l.quit:
			return
		}
	}
}

// end ends run, and returns what it knows.
func (l *lookout) end() Marks {
	close(l.quit)
	<-l.ended
	return l.known
}

// hear is a pipe that tells the lookout of each piece that was read from it.
func (l *lookout) hear(pipe io.Reader) io.Reader { return heard{pipe, l.news} }

type heard struct {
	io.Reader
	news chan struct{}
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	select {
	case h.news <- struct{}{}:
	default:
	}
	return n, err
}
