package supervise

import (
	"sync"

	"rollcall/model"
)

// backlog is how many events a listener may be behind; what comes then is
// dropped for it, and counted.
const backlog = 1 << 16

// listener hands events to one function, in order, in a goroutine of its own,
// so that one that is slow, blocks or panics delays nothing (L5).
type listener struct {
	mu     sync.Mutex
	cond   sync.Cond
	queue  []model.Event
	missed uint64
	closed bool
	done   chan struct{}
}

// listen starts a listener. failed is told what a call of fn panicked with, the
// first time: what it tells is an event too, and would come round for ever. The
// next event is handed over all the same.
func listen(fn func(ev model.Event, missed uint64), failed func(any)) *listener {
	l := &listener{done: make(chan struct{})}
	l.cond.L = &l.mu
	go func() {
		defer close(l.done)
		var once sync.Once
		for {
			ev, missed, ok := l.next()
			if !ok {
				return
			}
			l.call(fn, ev, missed, func(p any) { once.Do(func() { failed(p) }) })
		}
	}()
	return l
}

func (l *listener) call(fn func(model.Event, uint64), ev model.Event, missed uint64, failed func(any)) {
	defer func() {
		if p := recover(); p != nil {
			failed(p)
		}
	}()
	fn(ev, missed)
}

// put never blocks.
func (l *listener) put(ev model.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if len(l.queue) >= backlog {
		l.missed++
		return
	}
	l.queue = append(l.queue, ev)
	l.cond.Signal()
}

func (l *listener) next() (ev model.Event, missed uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 {
		if l.closed {
			return model.Event{}, 0, false
		}
		l.cond.Wait()
	}
	ev, l.queue = l.queue[0], l.queue[1:]
	missed, l.missed = l.missed, 0
	return ev, missed, true
}

// close lets the goroutine end once it has handed over what came before.
func (l *listener) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.cond.Signal()
}
