package demo

import (
	"bufio"
	"fmt"
	"io"
)

// serveStdio reads requests from in until its end, or the server's.
func (s *server) serveStdio(in io.Reader, out io.Writer) int {
	c := &conn{server: s}
	c.send = func(data []byte) { _, _ = out.Write(append(data, '\n')) }
	s.babble(out, &c.mu)
	s.spillNoise(out, &c.mu)
	go s.read(c, in, out)
	return <-s.ended
}

// read handles each line of in. At its end the server ends, unless it ignores
// that.
func (s *server) read(c *conn, in io.Reader, out io.Writer) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		if s.noise {
			c.mu.Lock()
			fmt.Fprintf(out, "[debug] received %d bytes\r\n", len(line))
			c.mu.Unlock()
		}
		c.handle(line)
	}
	if s.ignore {
		s.say("stdin was closed; carrying on")
		return
	}
	s.say("stdin was closed, bye")
	s.end(0)
}
