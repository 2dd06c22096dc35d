package bus

import (
	"context"

	"rollcall/model"
)

// PastLines is what is kept of a server's lines: the newest limit above after,
// oldest first. Unlike Lines it says why it cannot; Seq is the engine's own
// count, as FollowLines has it.
func (c *Client) PastLines(ctx context.Context, server string, after uint64, limit int) ([]model.Line, error) {
	var lines []model.Line
	err := c.question(ctx, "lines", question{Server: server, After: after, Limit: limit}, &lines)
	return lines, err
}

// PastEvents is what is kept of the events of a server, or of all for "",
// likewise; its count is that of FollowEvents.
func (c *Client) PastEvents(ctx context.Context, server string, after uint64, limit int) ([]model.Event, error) {
	var events []model.Event
	err := c.question(ctx, "events", question{Server: server, After: after, Limit: limit}, &events)
	return events, err
}
