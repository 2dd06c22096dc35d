package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"rollcall/redact"
)

// FollowLines calls fn with the lines of a server, or of all for "", as they
// come: first the newest limit of what is kept above after, nothing lost or
// doubled between. What a slow fn misses is counted, in its place. It returns
// when ctx ends, when fn returns an error (that error), or when the engine is
// lost (errors.Is ErrLost) or has stopped. Seq is the engine's own count.
func (c *Client) FollowLines(ctx context.Context, server string, after uint64, limit int, fn func([]FollowedLine) error) error {
	return stay(ctx, c, "follow", question{Server: server, After: after, Limit: limit}, fn)
}

// FollowEvents calls fn with events of all servers likewise.
func (c *Client) FollowEvents(ctx context.Context, after uint64, limit int, fn func([]FollowedEvent) error) error {
	return stay(ctx, c, "watch", question{After: after, Limit: limit}, fn)
}

func stay[T any](ctx context.Context, c *Client, verb string, q question, fn func([]T) error) error {
	l, err := c.reach()
	if err != nil {
		return err
	}
	id, parts := l.openStream()
	defer l.closeStream(id)
	q.ID = id
	b, err := json.Marshal(q)
	if err != nil {
		return err
	}
	if err := l.nc.PublishRequest(l.subjects.ask(verb, l.Who), inboxOf(l.Who)+"s."+id, b); err != nil {
		return ErrLost
	}
	for {
		select {
		case part, ok := <-parts:
			if !ok {
				return ErrLost
			}
			items, err := decodePart[T](part)
			if err == nil {
				err = fn(items)
			}
			if err != nil {
				return err
			}
			l.tell("credit", question{ID: id, Limit: 1})
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ctx.Done():
			return ErrLost
		}
	}
}

// decodePart reads a part of a stream: a JSON value a line, or why it ended.
func decodePart[T any](part []byte) ([]T, error) {
	if len(part) == 0 {
		return nil, ErrLost
	}
	if part[0] == partError {
		return nil, answerError{(*redact.Redactor)(nil).Text(string(part[1:]))}
	}
	lines := bytes.Split(bytes.TrimSuffix(part[1:], []byte{'\n'}), []byte{'\n'})
	items := make([]T, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &items[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// openStream makes room for all that an engine may send unasked, and for the
// word of the end.
func (l *link) openStream() (string, chan []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	id := strconv.FormatUint(l.next, 36)
	parts := make(chan []byte, window+1)
	if l.gone {
		close(parts)
		return id, parts
	}
	l.streams[id] = parts
	return id, parts
}

func (l *link) closeStream(id string) {
	l.mu.Lock()
	delete(l.streams, id)
	l.mu.Unlock()
	l.tell("unfollow", question{ID: id})
}
