package bus

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"rollcall/redact"
)

// takeLimit bounds how long a client may take for a part of an answer.
const takeLimit = 5 * time.Second

var (
	errUntaken = errors.New("the answer was not taken in time: ask again")
	errUnasked = errors.New("nobody waits for the answer")
)

// answer writes one answer, in as many parts as it needs. What is more than one
// part goes out on the client's credit, as a stream does: an answer of any size
// costs the engine a window of parts, and the broker has no reason to cut its
// client off (N5). One goroutine writes it.
type answer struct {
	s     *Server
	to    *caller // nil: one without credit, over a hub
	reply string
	part  []byte // its kind first
	st    *stream
	gone  <-chan struct{} // nobody takes the rest
}

func (s *Server) newAnswer(to *caller, reply string) *answer {
	return &answer{s: s, to: to, reply: reply, part: []byte{partMore}}
}

// answer sends one that is known to be small.
func (s *Server) answer(reply string, b []byte) {
	a := s.newAnswer(nil, reply)
	_, err := a.Write(b)
	a.end(err)
}

func (s *Server) fail(reply string, why redact.Safe) {
	_ = s.nc.Publish(reply, append([]byte{partError}, why.String()...)) // a client that is gone needs none
}

// Write sends what fills parts, once there is room. An error says that the client
// takes no more.
func (a *answer) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		if len(a.part) > partSize {
			if err := a.more(); err != nil {
				return n, err
			}
		}
		took := min(partSize+1-len(a.part), len(b))
		a.part = append(a.part, b[:took]...)
		b, n = b[took:], n+took
	}
	return n, nil
}

// value writes what a question found.
func (a *answer) value(v any) error {
	switch v := v.(type) {
	case encoded:
		_, err := a.Write(v)
		return err
	case interface{ writeTo(io.Writer) error }:
		return v.writeTo(a)
	}
	b, err := json.Marshal(v)
	if err == nil {
		_, err = a.Write(b)
	}
	return err
}

// end sends the last part, or why there is none.
func (a *answer) end(err error) {
	if err == nil && a.st != nil {
		err = a.room() // for it
	}
	if a.st != nil {
		a.to.close(a.id())
	}
	switch {
	case errors.Is(err, errUnasked):
	case err != nil:
		a.s.fail(a.reply, (*redact.Redactor)(nil).Error(err))
	default:
		a.part[0] = partLast
		_ = a.s.nc.Publish(a.reply, a.part)
	}
}

// more sends a part that is not the last.
func (a *answer) more() error {
	if err := a.room(); err != nil {
		return err
	}
	err := a.s.nc.Publish(a.reply, a.part)
	a.part = a.part[:1]
	return err
}

// room waits until the client has room for a part.
func (a *answer) room() error {
	if a.to == nil {
		return nil
	}
	if a.st == nil {
		st, ctx := a.to.open(a.id(), maxStreams+maxTurns)
		if st == nil {
			return errHostile
		}
		a.st, a.gone = st, ctx.Done()
	}
	late := time.NewTimer(takeLimit)
	defer late.Stop()
	select {
	case <-a.st.credits:
		return nil
	case <-a.gone:
		return errUnasked
	case <-late.C:
		return errUntaken
	}
}

// id is what the client names the answer by, where it gives credit.
func (a *answer) id() string { return strings.TrimPrefix(a.reply, inboxOf(a.to.who)) }

// list is an answer that is encoded item by item, as there is room for it: the
// whole of a long history never lies encoded in memory.
type list[T any] []T

func (l list[T]) writeTo(w io.Writer) error {
	sep := []byte{'['}
	for _, item := range l {
		b, err := json.Marshal(item)
		if err == nil {
			_, err = w.Write(append(sep, b...))
		}
		if err != nil {
			return err
		}
		sep = []byte{','}
	}
	_, err := w.Write([]byte("[]")[min(len(l), 1):])
	return err
}
