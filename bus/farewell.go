package bus

import (
	"encoding/json"

	"rollcall/redact"
)

// farewell is what an engine says to each client when it is being stopped: its
// connection will end, and nothing is wrong.
type farewell struct {
	Text redact.Safe `json:"text"`
}

// Stopping tells every client that the engine is being stopped in order, so that
// none takes its end for a crash. By is who wants it; zero where that is not
// known: a signal. The first word holds. It does not wait.
func (s *Server) Stopping(by redact.Safe) {
	text := redact.Word("the engine was stopped")
	if !by.IsZero() {
		text = redact.Sprintf("the engine was stopped, by %s", by)
	}
	b, err := json.Marshal(farewell{text})
	if err != nil {
		return // cannot be
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.bye.IsZero() {
		return
	}
	s.bye = text // who comes after this is told in the welcome
	for who := range s.callers {
		_ = s.nc.Publish(inboxOf(who)+byeKind, b)
	}
}

// byeKind is the part of an inbox's subject that the farewell comes on.
const byeKind = "bye"

// farewell is what the engine said of its end; zero where it said nothing.
func (s *Server) farewell() redact.Safe {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bye
}

// leaves takes an engine's farewell.
func (l *link) leaves(b []byte) {
	var f farewell
	if json.Unmarshal(b, &f) == nil {
		l.mu.Lock()
		l.Bye = f.Text
		l.mu.Unlock()
	}
}

// farewell is what the engine said of its end; zero where it said nothing.
func (l *link) farewell() redact.Safe {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Bye
}

// lostError says why there is no engine. It is ErrLost, whose own text is for
// who does not say so already.
type lostError struct{ why error }

func (e lostError) Error() string   { return e.why.Error() }
func (e lostError) Unwrap() []error { return []error{ErrLost, e.why} }

// stoppedError is an end in order.
type stoppedError struct{ text redact.Safe }

func (e stoppedError) Error() string { return e.text.String() }
