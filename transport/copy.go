package transport

import (
	"io"
	"time"
)

const (
	quietRead = 2 << 10  // bytes that a stream may hold while it says little
	loudRead  = 32 << 10 // and once a read has filled that
)

// How streams that say much are read.
const (
	copyPace = 20 * time.Millisecond // between two reads; the screen draws three times as seldom
	hurry    = time.Second           // without a pause, after one in which a pipe filled by half
)

// copyAll reads f to its end. Its buffer is small until there is much to read:
// most servers say little on stderr, and there are many of them.
//
// What comes after a silence is passed on at once. A stream that goes on is read
// at the turns of a clock that all streams share, so that twenty servers that
// write a hundred times a second wake rollcall fifty times, not two thousand. No
// writer waits for that: a stream that would fill its pipe in the meantime
// is read as fast as it comes; nor does a stop: once the writer has gone, and over
// is closed, the rest is read at once.
func copyAll(to io.Writer, f io.Reader, over <-chan struct{}) {
	buf := make([]byte, quietRead)
	var p pace
	for {
		n, err := f.Read(buf)
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		switch {
		case err != nil:
			return
		case n == quietRead && len(buf) == quietRead:
			buf = make([]byte, loudRead)
		default:
			if wait := p.pause(time.Now(), n == len(buf)); wait > 0 {
				select {
				case <-time.After(wait):
				case <-over:
				}
			}
		}
	}
}

// pace is how long a stream waits for its next read.
type pace struct {
	last time.Time // when it was read before
	full time.Time // when a read filled a whole buffer
}

// pause is how long to wait after a read that ended now. full says that it
// filled the buffer: there is more, and the pipe was half full.
func (p *pace) pause(now time.Time, full bool) time.Duration {
	if full {
		p.full = now
	}
	flowing := now.Sub(p.last) < 2*copyPace
	p.last = now
	if !flowing || now.Sub(p.full) < hurry {
		return 0
	}
	return now.Truncate(copyPace).Add(copyPace).Sub(now)
}

// inTurn takes a turn for each piece that it passes on. Servers that write as
// fast as they can take turns on half of the cores, first come first served, so
// that what the others say is heard at once, their answers above all.
type inTurn struct {
	to    io.Writer
	turns chan struct{}
}

func (w inTurn) Write(p []byte) (int, error) {
	w.turns <- struct{}{}
	defer func() { <-w.turns }()
	return w.to.Write(p)
}
