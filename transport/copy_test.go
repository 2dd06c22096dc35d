package transport

import (
	"bytes"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is a kernel's pipe under a virtual clock: it holds so much, a writer
// waits for room, a reader for bytes. It counts its reads.
type pipe struct {
	cond  *sync.Cond
	held  []byte
	ended bool
	reads int
}

const pipeHolds = 64 << 10

func newPipe() *pipe { return &pipe{cond: sync.NewCond(new(sync.Mutex))} }

func (p *pipe) Read(b []byte) (int, error) {
	p.cond.L.Lock()
	defer p.cond.L.Unlock()
	for len(p.held) == 0 && !p.ended {
		p.cond.Wait()
	}
	if len(p.held) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.held)
	p.held = p.held[n:]
	p.reads++
	p.cond.Broadcast()
	return n, nil
}

func (p *pipe) Write(b []byte) (written int, err error) {
	p.cond.L.Lock()
	defer p.cond.L.Unlock()
	for written < len(b) {
		for len(p.held) == pipeHolds {
			p.cond.Wait()
		}
		n := min(len(b)-written, pipeHolds-len(p.held))
		p.held = append(p.held, b[written:written+n]...)
		written += n
		p.cond.Broadcast()
	}
	return written, nil
}

func (p *pipe) end() {
	p.cond.L.Lock()
	defer p.cond.L.Unlock()
	p.ended = true
	p.cond.Broadcast()
}

// copied copies what write writes, until it returns.
func copied(t *testing.T, write func(*pipe)) (p *pipe, got []byte) {
	p = newPipe()
	var sink bytes.Buffer
	done := make(chan struct{})
	go func() { copyAll(&sink, p, nil); close(done) }()
	write(p)
	p.end()
	<-done
	return p, sink.Bytes()
}

// TestAStreamThatFlowsIsReadAtAPace: lines that come often are read together,
// and all of them.
func TestAStreamThatFlowsIsReadAtAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := bytes.Repeat([]byte("x"), 1200)
		p, got := copied(t, func(p *pipe) {
			for range 1000 { // ten seconds
				_, _ = p.Write(line)
				time.Sleep(10 * time.Millisecond)
			}
		})
		if len(got) != 1000*len(line) {
			t.Errorf("%d bytes of %d", len(got), 1000*len(line))
		}
		if p.reads > 550 {
			t.Errorf("%d reads of 1,000 writes", p.reads)
		}
	})
}

// TestWhatBreaksASilenceIsReadAtOnce: as soon as it is written,
// and so is what follows it close.
func TestWhatBreaksASilenceIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		copied(t, func(p *pipe) {
			for range 20 {
				for _, silence := range []time.Duration{105 * time.Millisecond, time.Millisecond} {
					time.Sleep(silence)
					_, _ = p.Write([]byte("a line\n"))
					synctest.Wait()
					if p.cond.L.Lock(); len(p.held) > 0 {
						t.Errorf("after %s, %d bytes are left unread", silence, len(p.held))
					}
					p.cond.L.Unlock()
				}
			}
		})
	})
}

// TestNoWriterWaitsForThePace: a stream of 20 MB/s, which fills a pipe six
// times between two reads at that pace, takes hardly longer than it wants.
func TestNoWriterWaitsForThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		piece := bytes.Repeat([]byte("x"), 20<<10)
		copied(t, func(p *pipe) {
			for range 2000 { // two seconds
				_, _ = p.Write(piece)
				time.Sleep(time.Millisecond)
			}
		})
		if took := time.Since(begun); took > 2*time.Second+3*copyPace {
			t.Errorf("it took %s", took)
		}
	})
}

// TestTheRestOfAStreamWhoseWriterHasGoneIsReadAtOnce: a restart waits for it.
func TestTheRestOfAStreamWhoseWriterHasGoneIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, over, done := newPipe(), make(chan struct{}), make(chan struct{})
		var sink bytes.Buffer
		go func() { copyAll(&sink, p, over); close(done) }()
		for range 3 {
			time.Sleep(7 * time.Millisecond)
			_, _ = p.Write([]byte("a line\n"))
			synctest.Wait()
		}
		begun := time.Now()
		p.end()
		close(over)
		<-done
		if took := time.Since(begun); took > 0 || sink.Len() != 21 {
			t.Errorf("it took %s, and %d bytes were read", took, sink.Len())
		}
	})
}
