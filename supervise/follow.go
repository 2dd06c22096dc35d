package supervise

import (
	"context"
	"slices"
	"sync"

	"rollcall/model"
)

const (
	followLines  = 1 << 15 // that wait for one follower, at most
	followEvents = 1 << 13 // likewise; an event is some 500 bytes
)

// FollowedLine is what a Follower hands over: a line, or, where Missed is not
// 0, how many lines are missing at this place.
type FollowedLine struct {
	Server string // empty where several servers miss some
	Line   model.Line
	Missed uint64
}

func (l FollowedLine) size() int { return len(l.Line.Text.String()) }

func (l FollowedLine) missing(gap FollowedLine) FollowedLine {
	if gap.Missed > 0 && gap.Server != l.Server {
		l.Server = ""
	}
	return FollowedLine{Server: l.Server, Missed: gap.Missed + max(l.Missed, 1)}
}

// Follower reads the lines of one server, or of all, as they come, from a
// buffer of its own: followLines, and feedBytes of text. One that is slow, or stuck,
// delays nobody; what it misses it is told in its place.
type Follower struct {
	server string // "" for all
	feed   *feed[FollowedLine]
	from   *lines
}

// Next waits until ctx ends for lines, and returns all that have come, oldest
// first; those of one server are in its order. The slice is the caller's until
// it calls Next again; one goroutine at a time may. After the engine's end: what
// is left, then ErrStopped; after Close: ErrClosed.
func (f *Follower) Next(ctx context.Context) ([]FollowedLine, error) { return f.feed.take(ctx) }

// Close ends the follower. It may be called more than once, and from any
// goroutine.
func (f *Follower) Close() { f.from.remove(f) }

// Follow follows the lines of a server that is or may come to be there, or of
// all for "": first the newest limit lines of a tail that are above after, then
// what comes; nothing is lost or doubled between. A server that is removed and
// added again is followed on, its lines numbered from 1 anew.
//
// After 0 there is no gap before the first line. An after that the tail has not
// reached is of a tail before it, and means 0. With a limit of 0 only what comes is
// followed.
//
// It does not wait for the loop. A server's lines are held up while its tail is
// handed over, which is copying alone. Close the follower. After the engine's end
// what is kept is handed over, then Next says ErrStopped.
func (e *Engine) Follow(server string, after uint64, limit int) *Follower {
	return e.lines.follow(server, after, limit)
}

// lines are the tails of all servers, and who follows them. The locks are taken
// in this order: its own, a tail's, a feed's.
type lines struct {
	mu        sync.Mutex
	tails     map[string]*Tail
	followers []*Follower
	stopped   bool
}

func (l *lines) tailOf(server string) *Tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tails[server]
}

// add makes a server's tail known to those who follow it.
func (l *lines) add(t *Tail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tails[t.server] = t
	for _, f := range l.followers {
		if f.wants(t) {
			t.attach(f, 0, 0)
		}
	}
}

func (l *lines) forget(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tails, server)
}

func (f *Follower) wants(t *Tail) bool { return f.server == "" || f.server == t.server }

// follow holds the lock for as long as the replay takes: the loop needs it only
// to add and remove servers.
func (l *lines) follow(server string, after uint64, limit int) *Follower {
	f := &Follower{server: server, feed: newFeed[FollowedLine](followLines), from: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tails {
		if f.wants(t) {
			t.attach(f, after, limit)
		}
	}
	if l.stopped {
		f.feed.end(ErrStopped)
		return f
	}
	l.followers = append(l.followers, f)
	return f
}

func (l *lines) remove(f *Follower) {
	f.feed.end(ErrClosed)
	f.feed.drop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers = slices.DeleteFunc(l.followers, func(x *Follower) bool { return x == f })
	for _, t := range l.tails {
		t.detach(f)
	}
}

// close ends all followers, once they have read what is there.
func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	for _, f := range l.followers {
		f.feed.end(ErrStopped)
	}
	l.followers = nil
}

// attach hands a follower what is kept, and from then on each line.
func (l *Tail) attach(f *Follower, after uint64, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after > l.sum.seq {
		after = 0
	}
	last := after
	for _, line := range l.newest(after, limit) {
		if last == 0 {
			last = line.Seq - 1
		}
		if gap := line.Seq - last - 1; gap > 0 {
			f.feed.put(FollowedLine{Server: l.server, Missed: gap})
		}
		f.feed.put(FollowedLine{Server: l.server, Line: line})
		last = line.Seq
	}
	l.followers = append(l.followers, f.feed)
}

func (l *Tail) detach(f *Follower) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers = slices.DeleteFunc(l.followers, func(x *feed[FollowedLine]) bool { return x == f.feed })
}

// FollowedEvent is what an EventFollower hands over: an event, or, where Missed
// is not 0, how many events are missing at this place.
type FollowedEvent struct {
	Event  model.Event
	Missed uint64
}

func (e FollowedEvent) size() int {
	n := len(e.Event.Text.String()) + len(e.Event.Error.String())
	for _, line := range e.Event.Stderr {
		n += len(line.String())
	}
	return n
}

func (e FollowedEvent) missing(gap FollowedEvent) FollowedEvent {
	return FollowedEvent{Missed: gap.Missed + max(e.Missed, 1)}
}

// EventFollower reads the events of all servers as they come, as a Follower
// reads lines.
type EventFollower struct {
	feed *feed[FollowedEvent]
	from *history
}

// Next is as Follower.Next.
func (f *EventFollower) Next(ctx context.Context) ([]FollowedEvent, error) { return f.feed.take(ctx) }

// Close ends the follower. It may be called more than once, and from any
// goroutine.
func (f *EventFollower) Close() { f.from.unfollow(f) }

// FollowEvents follows the events: first the newest limit that are above after,
// as Events has them (no probe that was alive, nothing that the history has
// dropped, and no word of either), then all that come, probes that were alive among
// them; nothing is lost or doubled between. With a limit of 0 only what comes is
// followed. It does not wait for the loop. Close the follower. After the engine's
// end what is kept is handed over, then Next says ErrStopped.
func (e *Engine) FollowEvents(after uint64, limit int) *EventFollower {
	return e.history.follow(after, limit)
}
