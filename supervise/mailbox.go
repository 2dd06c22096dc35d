package supervise

import (
	"sync"
	"sync/atomic"
)

// mailbox is how anything reaches the loop: a slice under a mutex and a wake
// channel. put only appends, so it never blocks, keeps the order, and may be
// called from anywhere.
type mailbox struct {
	mu     sync.Mutex
	queue  []message
	closed bool
	wake   chan struct{} // of capacity 1
	depth  atomic.Int64  // messages that were put, and not handled yet
}

// message is one thing for the loop, and when it was so: an event for a
// server, or something to call.
type message struct {
	at    instant
	unit  *unit
	event event
	call  func()
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// put appends a message and reports whether the loop will see it.
func (m *mailbox) put(msg message) bool {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return false
	}
	m.queue = append(m.queue, msg)
	m.depth.Add(1)
	m.mu.Unlock()
	m.poke()
	return true
}

// poke wakes the loop.
func (m *mailbox) poke() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take swaps the queue for an emptied batch that the loop is through with.
func (m *mailbox) take(used []message) []message {
	clear(used)
	m.mu.Lock()
	defer m.mu.Unlock()
	batch := m.queue
	m.queue = used[:0]
	return batch
}

// done says that the loop has handled one message that it took.
func (m *mailbox) done() { m.depth.Add(-1) }

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.queue = nil
	m.depth.Store(0)
}
