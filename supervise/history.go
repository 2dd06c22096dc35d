package supervise

import (
	"sync"
	"time"

	"rollcall/model"
)

const (
	historySpan   = 24 * time.Hour // D6
	historyServer = 512            // events kept a server
	historyAll    = 4096           // events kept over all
)

// history keeps the last events, over all and a server. Probes that were alive
// are kept a server alone: they would push out everything else.
type history struct {
	mu     sync.Mutex
	seq    uint64
	all    []model.Event
	server map[string][]model.Event
}

func newHistory() *history { return &history{server: map[string][]model.Event{}} }

// add numbers an event and keeps it.
func (h *history) add(ev model.Event) model.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	ev.Seq = h.seq
	if ev.Kind != model.EvProbe || ev.Outcome.String() != model.Alive.String() {
		h.all = keep(h.all, ev, historyAll)
	}
	if ev.Server != "" {
		h.server[ev.Server] = keep(h.server[ev.Server], ev, historyServer)
	}
	return ev
}

// keep appends, and drops the oldest quarter when the list has grown to twice
// what is kept; what is too old goes too.
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
	list := h.all
	if server != "" {
		list = h.server[server]
	}
	i := len(list)
	for i > 0 && list[i-1].Seq > seq && len(list)-i < limit && now.Sub(list[i-1].At) <= historySpan {
		i--
	}
	return append([]model.Event(nil), list[i:]...)
}

func (h *history) forget(server string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.server, server)
}
