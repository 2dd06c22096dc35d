package bus

import (
	"cmp"
	"context"
	"slices"

	"rollcall/model"
)

// Lines is a server's tail: the newest limit lines above after, oldest first;
// none while the engine is lost.
func (c *Client) Lines(server string, after uint64, limit int) []model.Line {
	ctx, cancel := context.WithTimeout(c.ctx, waitAnswer)
	defer cancel()
	c.mu.Lock()
	l, base := c.link, c.numbers.lines[server]
	after = c.numbers.lineAfter(server, after)
	c.mu.Unlock()
	var lines []model.Line
	if l == nil || l.question(ctx, "lines", question{Server: server, After: after, Limit: limit}, &lines) != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hello.Instance != l.Instance {
		return nil // another engine's by now
	}
	for i := range lines {
		lines[i].Seq += base
		c.numbers.shown(server, lines[i].Seq)
	}
	return lines
}

// Events is the history: the newest limit events above after, oldest first, of
// one server or of all for "". Beside what the engine told, it has the answers
// to orders that never reached one.
func (c *Client) Events(server string, after uint64, limit int) []model.Event {
	ctx, cancel := context.WithTimeout(c.ctx, waitAnswer)
	defer cancel()
	c.mu.Lock()
	l, from := c.link, c.numbers.eventAfter(after)
	c.mu.Unlock()
	var events []model.Event
	if l != nil && l.question(ctx, "events", question{Server: server, After: from, Limit: limit}, &events) != nil {
		events = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l != nil && c.hello.Instance != l.Instance {
		events = nil
	}
	for i := range events {
		events[i].Seq = c.numbers.event(events[i].Seq)
	}
	for _, ev := range c.local {
		if ev.Seq > after && (server == "" || server == ev.Server) {
			events = append(events, ev)
		}
	}
	slices.SortStableFunc(events, func(a, b model.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return events[max(len(events)-limit, 0):]
}
