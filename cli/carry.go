package cli

import (
	"context"
	"os"
	"syscall"

	"rollcall/bus"
	"rollcall/redact"
	"rollcall/supervise"
)

// carry puts the engine on the bus, where other terminals find it (N1), and the
// members of a group, "" for none. The lock is held until after what it returns
// was closed. An order to stop from there is one more SIGTERM (X2).
func (d *deck) carry(lock *bus.Lock, group string) (*bus.Server, error) {
	server, err := bus.Serve(lock, bus.Options{
		Engine: carried{d.engine, d.files}, Host: hostName().String(),
		Config: (*redact.Redactor)(nil).Text(d.files.path), Version: (*redact.Redactor)(nil).Text(version()), Group: group,
		Stop: func(by redact.Safe) {
			d.engine.Tell(redact.Sprintf("rollcall is being stopped, by %s", by))
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		},
		Warn: func(text redact.Safe) { d.engine.Warn("bus", text) },
	})
	if err == nil {
		d.server.Store(server)
	}
	return server, err
}

// carried is an engine with its file, as the bus wants it.
type carried struct {
	*supervise.Engine
	*reloader
}

// Follow hands over lines as the engine's own does.
func (c carried) Follow(server string, after uint64, limit int) bus.Lines {
	return lineFeed{c.Engine.Follow(server, after, limit)}
}

// FollowEvents hands over events likewise.
func (c carried) FollowEvents(after uint64, limit int) bus.Events {
	return eventFeed{c.Engine.FollowEvents(after, limit)}
}

type lineFeed struct{ *supervise.Follower }

// Next waits for lines.
func (f lineFeed) Next(ctx context.Context) ([]bus.FollowedLine, error) {
	lines, err := f.Follower.Next(ctx)
	out := make([]bus.FollowedLine, len(lines))
	for i, l := range lines {
		out[i] = bus.FollowedLine(l)
	}
	return out, err
}

type eventFeed struct{ *supervise.EventFollower }

// Next waits for events.
func (f eventFeed) Next(ctx context.Context) ([]bus.FollowedEvent, error) {
	events, err := f.EventFollower.Next(ctx)
	out := make([]bus.FollowedEvent, len(events))
	for i, e := range events {
		out[i] = bus.FollowedEvent(e)
	}
	return out, err
}
