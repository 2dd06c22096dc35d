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
}

// saver writes the newest state, in a goroutine of its own: the latest wins.
type saver struct {
	store Store
	dirty bool // the loop's: something to save
	mu    sync.Mutex
	next  map[string]Saved
	wake  chan struct{}
	done  chan struct{}
	err   error
	told  bool // the loop's: the last failure was told
}

func newSaver(store Store) *saver {
	s := &saver{store: store, wake: make(chan struct{}, 1), done: make(chan struct{})}
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
			err := s.store.Save(next)
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
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

// failure returns the error of the last save.
func (s *saver) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close waits for the last save, until the timeout.
func (s *saver) close(timeout <-chan time.Time) {
	if s.store == nil {
		return
	}
	close(s.wake)
	select {
	case <-s.done:
	case <-timeout:
	}
}

// saveChanged hands the holds and episodes to the saver where one changed.
func (e *Engine) saveChanged() {
	if !e.saver.dirty || e.saver.store == nil {
		return
	}
	if err := e.saver.failure(); (err != nil) != e.saver.told {
		e.saver.told = err != nil
		if err != nil {
			e.tellConfig(redact.Sprintf("the state file could not be written: %s", (*redact.Redactor)(nil).Error(err)))
		}
	}
	e.saver.dirty = false
	all := map[string]Saved{}
	for _, u := range e.units {
		var s Saved
		if h := u.state.hold; h.on {
			s.HeldBy, s.HeldSince = h.by, e.wall(h.since).Round(0)
		}
		if ep := u.state.episode; ep.open {
			s.DownSince = e.wall(ep.since).Round(0)
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
		out.episode = episode{open: true, since: min(s.DownSince.Sub(e.start), 0)}
	}
	return out
}
