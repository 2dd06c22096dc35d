package front

import (
	"sync"
	"syscall"
	"time"
)

// twins tells a signal that went to the front alone from one that the engine got
// too, as everything does that a terminal, a shell or `timeout` sends to the
// whole group. The latter counts once, and a second one of an operator's counts
// as a second (X2).
type twins struct {
	raise func(syscall.Signal) // sends one to this process

	mu     sync.Mutex
	own    map[syscall.Signal]time.Time // when this process got it last by itself
	raised map[syscall.Signal]time.Time // when it was raised last
}

func newTwins(raise func(syscall.Signal)) *twins {
	return &twins{raise: raise, own: map[syscall.Signal]time.Time{}, raised: map[syscall.Signal]time.Time{}}
}

const (
	// twinLag is how long a signal that the front passes on waits for its twin:
	// both are sent in one instant, and a busy machine may deliver them apart.
	twinLag = 100 * time.Millisecond
	// twinSpan is for how long one of the engine's own answers for the front's.
	twinSpan = time.Second
)

// got notes a signal that this process got.
func (t *twins) got(s syscall.Signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Sub(t.raised[s]) > twinLag { // else it was raised
		t.own[s] = now
	}
}

// passed takes a signal that the front got. What it returns is to be done after
// that time: it raises the signal, unless it has a twin.
func (t *twins) passed(s syscall.Signal) (after time.Duration, do func()) {
	came := time.Now()
	return twinLag, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.own[s].After(came.Add(-twinSpan)) {
			return
		}
		t.raised[s] = time.Now()
		t.raise(s)
	}
}
