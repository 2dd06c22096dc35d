package supervise

import (
	"sync"
	"time"

	"rollcall/redact"
)

// Store keeps what outlives an engine (O5). Its methods may block; they are
// called from one goroutine at a time, never from the loop.
type Store interface {
	Load() (map[string]Saved, error)
	Save(map[string]Saved) error
}

// Saved is what outlives the engine of one server. A zero time is absence.
type Saved struct {
	HeldBy    redact.Safe `json:"held_by,omitzero"`
	HeldSince time.Time   `json:"held_since,omitzero"` // an operator disconnected it
	DownSince time.Time   `json:"down_since,omitzero"` // its episode is open
	// Permanent: it halted, or was refused, in the episode.
	Permanent  bool        `json:"permanent,omitempty"`
	AckedBy    redact.Safe `json:"acked_by,omitzero"`
	AckedSince time.Time   `json:"acked_since,omitzero"` // an operator knows of the episode
}

// saver writes the newest state, in a goroutine of its own: the latest wins.
type saver struct {
	store Store
	dirty bool // the loop's: something to save
	mu    sync.Mutex
	next  map[string]Saved
	wake  chan struct{}
	done  chan struct{}
	saved func(error) // told of each save, from the saver's goroutine
}

func newSaver(store Store, saved func(error)) *saver {
	s := &saver{store: store, saved: saved, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if store == nil {
		close(s.done)
		return s
	}
	go s.loop()
	return s
}

func (s *saver) load() (map[string]Saved, error) {
	if s.store == nil {
		return nil, nil
	}
	return s.store.Load()
}

func (s *saver) loop() {
	defer close(s.done)
	for range s.wake {
		s.mu.Lock()
		next := s.next
		s.next = nil
		s.mu.Unlock()
		if next != nil {
			s.saved(s.store.Save(next))
		}
	}
}

func (s *saver) put(m map[string]Saved) {
	s.mu.Lock()
	s.next = m
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close lets the goroutine end, once the last save is done.
func (s *saver) close() {
	if s.store != nil {
		close(s.wake)
	}
}

const (
	saveAgain    = 30 * time.Second // after a failed save another is tried
	stateWarning = "state"          // Warn's key
)

// stateSaved says what became of a save: a failure, once, until one is good
// again. A hold that is not saved is lost with the engine (O5), so it is tried
// again, and the header says so meanwhile.
func (e *Engine) stateSaved(err error) {
	if err == nil {
		e.warn(stateWarning, redact.Safe{})
		return
	}
	e.afterFunc(saveAgain, func() { e.call(func() { e.saver.dirty = true }) })
	e.warn(stateWarning, redact.Sprintf("the state file cannot be written, disconnects will not outlive rollcall: %s", (*redact.Redactor)(nil).Error(err)))
}

// saveChanged hands the holds and episodes to the saver where one changed.
func (e *Engine) saveChanged() {
	if !e.saver.dirty || e.saver.store == nil {
		return
	}
	e.saver.dirty = false
	all := map[string]Saved{}
	for _, u := range e.units {
		var s Saved
		if h := u.state.hold; h.on {
			s.HeldBy, s.HeldSince = h.by, u.moments.held.wall
		}
		if ep := u.state.episode; ep.open {
			s.DownSince, s.Permanent = u.moments.down.wall, ep.permanent
			if ep.acked.on {
				s.AckedBy, s.AckedSince = ep.acked.by, u.moments.acked.wall
			}
		}
		if s != (Saved{}) {
			all[u.name] = s
		}
	}
	e.saver.put(all)
}

// unsave takes a saved state into this engine's time: what was before its
// start is negative.
func (e *Engine) unsave(s Saved) saved {
	var out saved
	if !s.HeldSince.IsZero() {
		out.hold = hold{on: true, by: s.HeldBy, since: min(s.HeldSince.Sub(e.start), 0)}
	}
	if !s.DownSince.IsZero() {
		out.episode = episode{open: true, since: min(s.DownSince.Sub(e.start), 0), permanent: s.Permanent, repeats: s.Permanent}
		if !s.AckedSince.IsZero() {
			out.episode.acked = acked{on: true, by: s.AckedBy, since: min(s.AckedSince.Sub(e.start), 0)}
		}
	}
	return out
}
