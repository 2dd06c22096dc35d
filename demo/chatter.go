package demo

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// What a healthy server has to say now and then.
var beats = []string{
	"cache refreshed: 128 entries in 12 ms",
	"3 tools registered, 0 calls in progress",
	"index is up to date",
	"memory: 18 MiB in use",
}

// What a chatty one says all the time.
var chat = []string{
	"GET /v1/items?page=%d 200 in 31 ms",
	"worker %d: job done",
	"cache miss for key item:%d",
	"retrying upstream request, try %d",
}

// chatter starts what the server says on stderr by itself.
func (s *server) chatter() {
	if s.flood > 0 {
		_, _ = s.log.Write(filler(s.flood))
	}
	if s.stderrRate > 0 {
		go pour(s.log, &s.mu, s.stderrRate)
	}
	if s.progress {
		go s.draw()
	}
	if s.beat > 0 {
		go func() {
			for i := 0; ; i++ {
				time.Sleep(s.beat)
				s.say("%s", beats[i%len(beats)])
			}
		}()
	}
	if s.rate != 0 {
		go func() {
			for i := 0; ; i++ {
				s.say(chat[i%len(chat)], i)
				if s.rate > 0 {
					time.Sleep(time.Second / time.Duration(s.rate))
				}
			}
		}()
	}
}

// babble starts what it says on stdout that is not JSON-RPC; mu is held for
// each write.
func (s *server) babble(out io.Writer, mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
	if s.noise {
		fmt.Fprintf(out, "\n  *** %s server 1.0.0 ***\n\n[info] plugins: 3 loaded\n[]\n{\"level\":\"info\",\"msg\":\"ready\"}\n", s.name)
	}
	if s.binary {
		_, _ = out.Write([]byte("\x7fELF\x02\x01\x00\xff\xfe\x1b]0;title\x07\x00\x00\n{\"jsonrpc\":\x80}\n"))
	}
	if s.junk > 0 {
		_, _ = out.Write(append(bytes.Repeat([]byte{'x'}, s.junk), '\n'))
	}
	if s.stdoutRate > 0 {
		go pour(out, mu, s.stdoutRate)
	}
}

// draw draws a progress bar, over and over, and never ends its line.
func (s *server) draw() {
	for i := 0; ; i++ {
		done := i % 51
		s.mu.Lock()
		fmt.Fprintf(s.log, "\rloading [%s%s] %3d%%", strings.Repeat("#", done), strings.Repeat(" ", 50-done), 2*done)
		s.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
}

// filler is n bytes in lines of 100.
func filler(n int) []byte {
	line := append(bytes.Repeat([]byte{'-'}, 99), '\n')
	return bytes.Repeat(line, n/len(line)+1)[:n]
}

// pour writes lines at so many bytes a second, as far as its reader keeps up;
// mu is held for each write, which ends with a line's end.
func pour(w io.Writer, mu *sync.Mutex, rate int) {
	const block = 64_000
	data, begun := filler(block), time.Now()
	for sent := 0; ; sent += block {
		mu.Lock()
		_, err := w.Write(data)
		mu.Unlock()
		if err != nil {
			return
		}
		ahead := time.Duration(float64(sent)/float64(rate)*float64(time.Second)) - time.Since(begun)
		if ahead > time.Millisecond {
			time.Sleep(ahead)
		}
	}
}
