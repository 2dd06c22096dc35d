package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rollcall/redact"
)

// endedLimit bounds how long an engine that has ended waits for those who ordered
// it to hear so, and for those who follow it to hear the last of it.
const endedLimit = time.Second

// stopOrder orders an engine to stop.
type stopOrder struct {
	Ended string `json:"ended,omitempty"` // the id of the call that is answered at the end
}

// ending answers it.
type ending struct {
	Left redact.Safe `json:"left,omitzero"` // empty: nothing
}

// awaitsEnd is a client that is told of the end.
type awaitsEnd struct {
	c     *caller
	reply string
}

// Ended tells those who ordered the engine to stop (Client.StopEngine) that it
// has: left says which processes could not be ended, and is empty where there are
// none. It waits until they have left, and whoever follows lines or events too: a
// second at most. Close follows it.
func (s *Server) Ended(left redact.Safe) {
	s.mu.Lock()
	s.ended = &ending{left}
	waiting := s.awaiting
	s.awaiting = nil
	var leaving []*caller
	for _, c := range s.callers {
		if c.follows() {
			leaving = append(leaving, c)
		}
	}
	s.mu.Unlock()
	late := time.NewTimer(endedLimit)
	defer late.Stop()
	for _, w := range waiting {
		s.tellEnd(w, left)
		leaving = append(leaving, w.c)
	}
	for _, c := range leaving {
		select {
		case <-c.ctx.Done():
		case <-late.C:
			return
		}
	}
}

// awaits notes who is to be told of the end.
func (s *Server) awaits(c *caller, payload []byte) {
	var o stopOrder
	if json.Unmarshal(payload, &o) != nil || o.Ended == "" || len(o.Ended) > idLimit {
		return
	}
	w := awaitsEnd{c, inboxOf(c.who) + answerKind + o.Ended}
	s.mu.Lock()
	ended := s.ended
	if ended == nil && len(s.awaiting) < 2*maxConns {
		s.awaiting = append(s.awaiting, w)
	}
	s.mu.Unlock()
	if ended != nil {
		s.tellEnd(w, ended.Left)
	}
}

func (s *Server) tellEnd(w awaitsEnd, left redact.Safe) {
	if b, err := json.Marshal(ending{left}); err == nil {
		s.answer(w.reply, b)
	}
}

// Ending is how an engine that was ordered to stop has ended.
type Ending struct {
	Left redact.Safe // which processes it could not end; empty: none
	Err  error       // it did not say so: the connection was lost before
}

// StopEngine has the engine stop every server and end. It returns when the
// engine has taken the order. The channel is told once, when every server was
// reaped or given up; the engine then waits, a second at most, for Close. Its
// lock says when it is gone (Client.Held).
func (c *Client) StopEngine(ctx context.Context) (<-chan Ending, error) {
	if c.greet.ReadOnly {
		return nil, ErrReadOnly
	}
	l, err := c.reach()
	if err != nil {
		return nil, err
	}
	ended := make(chan Ending, 1)
	id, ok := l.expect(func(b []byte, err error) {
		var e ending
		if err == nil {
			err = json.Unmarshal(b, &e)
		}
		ended <- Ending{e.Left, err}
	})
	if !ok {
		return nil, ErrLost
	}
	if err := l.ask(ctx, l.subjects.order("stop", l.Who), stopOrder{id}, nil); err != nil {
		l.finish(id, nil, err)
		return nil, err
	}
	return ended, nil
}

// Held reports whether an engine holds the lock of the configuration that this
// client's engine has, or had: Held of its socket.
func (c *Client) Held() (bool, error) { return Held(c.socket) }

// Held reports whether an engine holds the lock of the configuration that a
// socket is of, wherever that lock lies. An error says that this cannot be
// known, as of another user's engine.
func Held(socket string) (bool, error) {
	name := strings.TrimSuffix(filepath.Base(socket), socketSuffix) + lockSuffix
	for _, dir := range append([]string{filepath.Dir(socket)}, lockDirs()...) {
		held, err := heldAt(filepath.Join(dir, name))
		if held || err != nil {
			return held, err
		}
	}
	return false, nil
}

// heldAt tries a lock's file, shared with others who do, and lets go of it.
func heldAt(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	defer f.Close()
	switch err := flock(f, unix.LOCK_SH); {
	case err == nil:
		return false, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	default:
		return false, fmt.Errorf("look at the lock %s: %w", path, err)
	}
}
