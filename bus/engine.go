package bus

import (
	"context"

	"rollcall/model"
)

// Engine is what the bus carries. Its methods may be called from any goroutine,
// several at once. Those of the dashboard's interface mean what they mean there.
type Engine interface {
	// Next with seen 0 is how things stand now: it asks the engine's loop.
	Next(ctx context.Context, seen uint64) (model.Fleet, error)
	Lines(server string, after uint64, limit int) []model.Line
	Events(server string, after uint64, limit int) []model.Event
	Do(model.Order)
	Timeline(server string) model.Timeline
	Usage(ctx context.Context, server string) (model.Usage, error)
	Health(ctx context.Context) (model.Health, error)
	Pending() model.Reload
	Reload(shown model.Reload) (did model.Reload, ok bool)

	// Follow hands over lines of a server, or of all for "": the newest limit of
	// what is kept above after, then what comes, nothing lost or doubled between.
	Follow(server string, after uint64, limit int) Lines
	// FollowEvents hands over events likewise.
	FollowEvents(after uint64, limit int) Events
	// Stop stops every server and then the engine. It does not wait.
	Stop()
}

// Lines is a follower with a buffer of its own. Next returns what came since,
// in order; one goroutine at a time calls it. An error before ctx's end says
// that no more will come.
type Lines interface {
	Next(ctx context.Context) ([]FollowedLine, error)
	Close()
}

// Events is the same for events.
type Events interface {
	Next(ctx context.Context) ([]FollowedEvent, error)
	Close()
}

// FollowedLine is a line, or, where Missed is above 0, how many lines are
// missing at this place. Server is empty where several servers miss some.
type FollowedLine struct {
	Server string     `json:"server,omitempty"`
	Line   model.Line `json:"line,omitzero"`
	Missed uint64     `json:"missed,omitempty"`
}

// FollowedEvent is an event, or how many are missing at this place.
type FollowedEvent struct {
	Event  model.Event `json:"event,omitzero"`
	Missed uint64      `json:"missed,omitempty"`
}
