package bus

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"rollcall/redact"
)

const (
	greetTimeout = 5 * time.Second // how long a connection may say nothing at first
	unknownConns = 64              // connections beyond maxConns that are greeted, or told why not
)

// caller is one client's connection, from its welcome to its end.
type caller struct {
	who      string
	peer     peer
	readOnly bool
	ctx      context.Context // ends with the connection

	mu      sync.Mutex
	asking  int                // its questions that are being answered
	streams map[string]*stream // and answers that are more than a part
}

// listen opens the socket. The lock says that nobody else listens there: what
// is found is stale (N1).
func listen(p Paths, gid int) (*net.UnixListener, error) {
	if err := usable(p.Dir); err != nil {
		return nil, err
	}
	if err := os.Remove(p.Socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("replace the stale socket: %w", err)
	}
	if err := prepare(p.Dir, gid); err != nil {
		return nil, err
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	mode := os.FileMode(0o600)
	if gid >= 0 {
		mode = 0o660
		err = os.Lchown(p.Socket, -1, gid)
	}
	if err == nil {
		err = os.Chmod(p.Socket, mode)
	}
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	return ln, nil
}

// openDoor opens the socket, and lets clients in.
func (s *Server) openDoor() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	if s.listener != nil {
		_ = s.listener.Close()
	}
	ln, err := listen(s.lock.Paths(), s.gid)
	if err != nil {
		return err
	}
	s.listener = ln
	s.wg.Go(func() { s.door(ln) })
	return nil
}

// keepDoor opens the socket anew where it was taken away. Who is connected
// notices nothing.
func (s *Server) keepDoor() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.lookAtDoor()
		case <-s.ctx.Done():
			return
		}
	}
}

// lookAtDoor is tried again at the next look where it fails. It warns of another
// engine of the configuration, which came while no lock was there to see.
func (s *Server) lookAtDoor() {
	gone, err := s.lock.restore(s.gid)
	if gone {
		_ = s.openDoor()
	}
	var held *HeldError
	var warning redact.Safe
	if errors.As(err, &held) {
		warning = redact.Sprintf("two engines of this configuration run, and each launches its servers: process %d and this one, %d: end one of them with kill",
			redact.Int(held.PID), redact.Int(s.hello.PID))
	}
	if s.opts.Warn != nil {
		s.opts.Warn(warning)
	}
}

// door lets clients in until the listener is closed. Those who have not said
// who they are count too.
func (s *Server) door(ln *net.UnixListener) {
	room := make(chan struct{}, maxConns+unknownConns)
	for {
		c, err := ln.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of files: those who are in stay
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-s.ctx.Done():
				return
			}
		}
		select {
		case room <- struct{}{}:
			if !s.spawn(func() {
				defer func() { <-room }()
				s.receive(c)
			}) {
				_ = c.Close()
			}
		default:
			_ = c.Close()
		}
	}
}

// receive checks who it is, greets, and carries the connection to the broker.
func (s *Server) receive(c *net.UnixConn) {
	defer c.Close()
	stop := context.AfterFunc(s.ctx, func() { _ = c.Close() })
	defer stop()
	_ = c.SetDeadline(time.Now().Add(greetTimeout))
	in := bufio.NewReaderSize(c, greetLimit)
	who, w := s.greet(c, in)
	if who == nil {
		if !w.Refused.IsZero() {
			_ = writeLine(c, w)
		}
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	who.ctx = ctx
	if !s.enter(who) {
		w.Refused = redact.Sprintf("there are %d clients already: end one", redact.Int(maxConns))
		w.Who, w.Pass = "", ""
		_ = writeLine(c, w)
		return
	}
	defer s.leave(who)
	s.broker.admit(who.who, guest{w.Pass, who.readOnly})
	defer s.broker.forget(who.who)
	if writeLine(c, w) != nil {
		return
	}
	_ = c.SetDeadline(time.Time{})
	inside, err := s.broker.InProcessConn()
	if err != nil {
		return
	}
	bridge(c, in, inside)
}

// greet reads the greeting and decides. Without a caller the welcome says why,
// or nothing where nobody is there to read it.
func (s *Server) greet(c *net.UnixConn, in *bufio.Reader) (*caller, welcome) {
	w := welcome{Hello: s.hello}
	p, err := peerOf(c)
	if err != nil {
		w.Refused = redact.Sprintf("%s", (*redact.Redactor)(nil).Error(err))
		return nil, w
	}
	if !p.may(s.gid) {
		return nil, welcome{Hello: Hello{Protocol: Protocol}, Refused: redact.Sprintf("the engine belongs to somebody else, and %s may not use it", p.name)}
	}
	var g greeting
	if err := readLine(in, &g); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, welcome{}
		}
		w.Refused = redact.Word("the greeting cannot be read: this is rollcall's socket")
		return nil, w
	}
	if g.Protocol != Protocol {
		w.Refused = redact.Sprintf("the engine is rollcall %s, protocol %d, and this is rollcall %s, protocol %d: they do not understand each other; use that one, or end the engine with `kill %d` and start it anew",
			s.hello.Version, redact.Int(Protocol), g.Version, redact.Int(g.Protocol), redact.Int(s.hello.PID))
		return nil, w
	}
	w.You, w.Bye = p.name, s.farewell()
	w.Who, w.Pass, w.Prefix = rand.Text(), rand.Text(), s.subjects.prefix
	return &caller{who: w.Who, peer: p, readOnly: g.ReadOnly, streams: map[string]*stream{}}, w
}

// enter counts a caller in, unless there are too many.
func (s *Server) enter(c *caller) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.callers) >= maxConns {
		return false
	}
	s.callers[c.who] = c
	return true
}

func (s *Server) leave(c *caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.callers, c.who)
}

// caller finds who asks; nil for one that came over a hub.
func (s *Server) caller(who string) *caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.callers[who]
}

// bridge copies both ways until one end is done, and closes both. A client that
// takes nothing for writeDeadline is done too.
func bridge(outside net.Conn, in io.Reader, inside net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(impatient{outside}, inside)
		_ = outside.Close()
	}()
	_, _ = io.Copy(inside, in)
	_ = inside.Close()
	_ = outside.Close()
	<-done
}

// impatient gives each write only so long.
type impatient struct{ net.Conn }

func (i impatient) Write(b []byte) (int, error) {
	if err := i.SetWriteDeadline(time.Now().Add(writeDeadline)); err != nil {
		return 0, err
	}
	return i.Conn.Write(b)
}
