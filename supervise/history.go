package supervise

import (
	"slices"
	"sync"
	"time"

	"rollcall/model"
)

const (
	historySpan   = 24 * time.Hour // D6
	historyServer = 1024           // events kept a server, and as many again
	historyProbes = 256            // probes that were alive, likewise
	historyAll    = 4096           // events kept over all, likewise
)

// history keeps the last events, over all and a server. Probes that were alive
// are kept a server alone, and apart: they would push out everything else.
type history struct {
	mu        sync.Mutex
	seq       uint64
	all       []model.Event
	server    map[string]*past
	followers []*EventFollower
	stopped   bool
}

// past is what is kept of one server.
type past struct{ events, probes []model.Event }

func newHistory() *history { return &history{server: map[string]*past{}} }

// add numbers an event and keeps it.
func (h *history) add(ev model.Event) model.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	ev.Seq = h.seq
	for _, f := range h.followers {
		f.feed.put(FollowedEvent{Event: ev})
	}
	alive := ev.Kind == model.EvProbe && ev.Outcome.String() == model.Alive.String()
	if !alive {
		h.all = keep(h.all, ev, historyAll)
	}
	p := h.server[ev.Server]
	if p == nil { // no server's, or the answer to an order for one that is not there
		return ev
	}
	if alive {
		p.probes = keep(p.probes, ev, historyProbes)
	} else {
		p.events = keep(p.events, ev, historyServer)
	}
	return ev
}

// keep appends. When the list has grown to twice the limit, the older half is
// dropped.
func keep(list []model.Event, ev model.Event, limit int) []model.Event {
	list = append(list, ev)
	if len(list) < 2*limit {
		return list
	}
	n := copy(list, list[len(list)-limit:])
	clear(list[n:])
	return list[:n]
}

// after returns the newest events with a Seq above seq, at most limit, oldest
// first: a server's, or all for "".
func (h *history) after(server string, seq uint64, limit int, now time.Time) []model.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	if server == "" {
		return slices.Clone(newest(h.all, seq, limit, now))
	}
	p := h.server[server]
	if p == nil {
		return nil
	}
	both := slices.Concat(newest(p.events, seq, limit, now), newest(p.probes, seq, limit, now))
	slices.SortFunc(both, func(a, b model.Event) int { return int(a.Seq) - int(b.Seq) })
	return both[max(len(both)-limit, 0):]
}

// newest is the end of a list, as far as it is new, young and within the limit.
func newest(list []model.Event, seq uint64, limit int, now time.Time) []model.Event {
	i := len(list)
	for i > 0 && list[i-1].Seq > seq && len(list)-i < limit && now.Sub(list[i-1].At) <= historySpan {
		i--
	}
	return list[i:]
}

// know makes room for a server's events: what bears another name is kept over
// all alone, so that orders for made-up names fill no memory.
func (h *history) know(server string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server[server] == nil {
		h.server[server] = &past{}
	}
}

func (h *history) forget(server string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.server, server)
}

// follow hands over what is kept, and from then on each event.
func (h *history) follow(seq uint64, limit int) *EventFollower {
	f := &EventFollower{feed: newFeed[FollowedEvent](followEvents), from: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ev := range newest(h.all, seq, limit, time.Now()) {
		f.feed.put(FollowedEvent{Event: ev})
	}
	if h.stopped {
		f.feed.end(ErrStopped)
		return f
	}
	h.followers = append(h.followers, f)
	return f
}

func (h *history) unfollow(f *EventFollower) {
	f.feed.end(ErrClosed)
	f.feed.drop()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.followers = slices.DeleteFunc(h.followers, func(x *EventFollower) bool { return x == f })
}

// close ends all followers, once they have read what is there.
func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for _, f := range h.followers {
		f.feed.end(ErrStopped)
	}
	h.followers = nil
}
