package bus

import (
	"context"
	"encoding/json"

	"rollcall/redact"
)

const (
	window     = 8         // parts that a client may have before it asks for more
	batchSize  = 128 << 10 // of a part, in bytes, before the last item goes in
	maxStreams = 16        // a client
	maxTurns   = 16        // questions of a client that are answered at once
)

// stream hands one follower's items to one client. It sends no more than the
// client has credit for: one that is stuck costs a follower's buffer, and what
// does not fit there is counted and said (N5).
type stream struct {
	credits chan struct{} // of capacity window
	cancel  context.CancelFunc
}

// credit gives a stream back what its client is through with.
func (c *caller) credit(q question) {
	c.mu.Lock()
	st := c.streams[q.ID]
	c.mu.Unlock()
	if st == nil {
		return
	}
	for range min(max(q.Limit, 1), window) {
		select {
		case st.credits <- struct{}{}:
		default:
		}
	}
}

func (c *caller) unfollow(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if st := c.streams[id]; st != nil {
		st.cancel()
	}
}

// begin counts a question in, unless the client has too many under way; done
// counts it out. There is no caller, and no count, over a hub.
func (c *caller) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking >= maxTurns {
		return false
	}
	c.asking++
	return true
}

func (c *caller) done() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking--
}

// open makes a stream; nil where the client has too many, or this one already.
func (c *caller) open(id string, most int) (*stream, context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.streams) >= most || c.streams[id] != nil || id == "" {
		return nil, nil
	}
	st := &stream{credits: make(chan struct{}, window)}
	for range window {
		st.credits <- struct{}{}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	st.cancel = cancel
	c.streams[id] = st
	return st, ctx
}

// follows reports whether something is on its way to the client: it is told of
// its end, and leaves then.
func (c *caller) follows() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.streams) > 0
}

func (c *caller) close(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if st := c.streams[id]; st != nil {
		st.cancel()
		delete(c.streams, id)
	}
}

// follow starts a stream of lines ("follow") or of events ("watch").
func (s *Server) follow(c *caller, verb string, q question, reply string) {
	st, ctx := c.open(q.ID, maxStreams)
	if st == nil {
		s.fail(reply, redact.Word("too many are followed at once"))
		return
	}
	s.spawn(func() {
		defer c.close(q.ID)
		var err error
		if verb == "watch" {
			f := s.engine.FollowEvents(q.After, q.Limit)
			defer f.Close()
			err = send(ctx, s, st, reply, f.Next)
		} else {
			f := s.engine.Follow(q.Server, q.After, q.Limit)
			defer f.Close()
			err = send(ctx, s, st, reply, f.Next)
		}
		if ctx.Err() == nil {
			s.fail(reply, (*redact.Redactor)(nil).Error(err))
		}
	})
}

// send hands on what a follower brings until ctx or the follower ends. A part
// is a JSON value a line.
func send[T any](ctx context.Context, s *Server, st *stream, reply string, next func(context.Context) ([]T, error)) error {
	for {
		items, err := next(ctx)
		if err != nil {
			return err
		}
		part := []byte{partMore}
		for i, item := range items {
			b, err := json.Marshal(item)
			if err != nil {
				return err
			}
			part = append(append(part, b...), '\n')
			if len(part) < batchSize && i < len(items)-1 {
				continue
			}
			select {
			case <-st.credits:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := s.nc.Publish(reply, part); err != nil {
				return err
			}
			part = part[:1]
		}
	}
}
