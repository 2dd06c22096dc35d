package bus

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/model"
	"rollcall/redact"
)

// askTimeout bounds how long a question to the engine's loop may take.
const askTimeout = 5 * time.Second

// asked answers a question. It never blocks: each has a goroutine of its own,
// and there are not more than so many at a time.
func (s *Server) asked(m *nats.Msg) {
	verb, who, ok := s.subjects.verbAndWho(m.Subject)
	c := s.caller(who)
	if !ok || !s.mayAnswer(c, verb, m.Reply) {
		return
	}
	q, err := decodeQuestion(m.Data)
	if err != nil {
		s.fail(m.Reply, redact.Word("the question cannot be read"))
		return
	}
	switch verb {
	case "credit":
		c.credit(q)
		return
	case "unfollow":
		c.unfollow(q.ID)
		return
	case "follow", "watch":
		s.follow(c, verb, q, m.Reply)
		return
	}
	turn := s.quick
	if verb == "usage" || verb == "pending" || verb == "timeline" {
		turn = s.slow // they read files
	}
	s.inTurn(turn, c, m.Reply, func(ctx context.Context) (any, error) { return s.look(ctx, verb, q) })
}

// mayAnswer reports whether a question is one, and the answer goes to who asked.
// Over a hub only a snapshot is handed out.
func (s *Server) mayAnswer(c *caller, verb, reply string) bool {
	if c == nil {
		return verb == "whole" && strings.HasPrefix(reply, "_INBOX.")
	}
	if verb == "credit" || verb == "unfollow" {
		return true
	}
	return strings.HasPrefix(reply, inboxOf(c.who))
}

// inTurn runs what answers, unless too much is under way already: over all, or
// of one client, so that one that takes no answers leaves room for others.
func (s *Server) inTurn(turn chan struct{}, c *caller, reply string, fn func(context.Context) (any, error)) {
	if c != nil && !c.begin() {
		s.fail(reply, redact.Word("too many questions at once: ask again"))
		return
	}
	select {
	case turn <- struct{}{}:
	default:
		c.done()
		s.fail(reply, redact.Word("the engine is busy with other questions: ask again"))
		return
	}
	s.spawn(func() {
		defer func() { <-turn; c.done() }()
		ctx, cancel := context.WithTimeout(s.ctx, askTimeout)
		defer cancel()
		a := s.newAnswer(c, reply)
		v, err := fn(ctx)
		if err == nil {
			err = a.value(v)
		}
		a.end(err)
	})
}

// encoded is an answer that is written already.
type encoded []byte

// look is the answer to a question.
func (s *Server) look(ctx context.Context, verb string, q question) (any, error) {
	switch verb {
	case "whole":
		fleet, err := s.pump.whole(ctx)
		if err != nil {
			return nil, err
		}
		b, err := s.encoder.whole(s.hello.Instance, fleet)
		return encoded(b), err
	case "lines":
		return list[model.Line](s.engine.Lines(q.Server, q.After, q.Limit)), nil
	case "events":
		return list[model.Event](s.engine.Events(q.Server, q.After, q.Limit)), nil
	case "timeline":
		return s.engine.Timeline(q.Server), nil
	case "usage":
		return s.engine.Usage(ctx, q.Server)
	case "health":
		return s.engine.Health(ctx)
	case "pending":
		return s.engine.Pending(), nil
	}
	return nil, errHostile
}

// ordered takes what changes something. Only who has a connection here can
// have the right to: the broker held them to their own name.
func (s *Server) ordered(m *nats.Msg) {
	verb, who, ok := s.subjects.verbAndWho(m.Subject)
	c := s.caller(who)
	if !ok || c == nil || c.readOnly || !strings.HasPrefix(m.Reply, inboxOf(who)) {
		return
	}
	switch verb {
	case "do":
		s.order(c, m)
	case "reload":
		var shown model.Reload
		if json.Unmarshal(m.Data, &shown) != nil {
			s.fail(m.Reply, redact.Word("the reload cannot be read"))
			return
		}
		s.inTurn(s.slow, c, m.Reply, func(context.Context) (any, error) {
			shown.By = c.peer.by(shown.By)
			did, ok := s.engine.Reload(shown)
			return reloaded{did, ok}, nil
		})
	case "stop":
		s.awaits(c, m.Data)
		s.answer(m.Reply, []byte("{}"))
		s.stop.Do(func() { s.stopEngine(c.peer.name) })
	}
}

func (s *Server) stopEngine(by redact.Safe) {
	s.Stopping(by)
	if s.opts.Stop != nil {
		s.opts.Stop(by)
		return
	}
	s.engine.Stop()
}

// order gives an order, or answers one that was given before.
func (s *Server) order(c *caller, m *nats.Msg) {
	o, err := decodeOrder(m.Data)
	if err != nil {
		s.fail(m.Reply, (*redact.Redactor)(nil).Error(err))
		return
	}
	t := s.orders.take(o.ID, c.peer.uid, m.Reply)
	switch {
	case t.refused != "":
		s.fail(m.Reply, (*redact.Redactor)(nil).Text(t.refused))
	case t.answer != nil:
		s.answer(m.Reply, t.answer)
	case t.fresh:
		o.By = c.peer.by(o.By)
		s.engine.Do(o)
	}
}
