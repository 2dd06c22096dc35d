package transport

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	roomSeats = 2                // big messages that are collected at once, of all servers
	bodySeats = 1                // big HTTP bodies likewise: who collects those takes 2.5 × their size
	roomHold  = 30 * time.Second // for which nobody is asked to make room for others
	dearSeat  = 16 << 20         // bytes of a message whose remains are collected at once
)

// errSlow is what became of a message whose server was asked to make room.
var errSlow = errors.New("the server was cut off: it took too long to send one message, and others waited for room")

// room is what all runs of a host share to collect messages of more than
// bigMessage bytes, so that memory is bounded in sum (T2, T8). Who finds no seat
// waits and reads nothing meanwhile, with bigMessage bytes at most: its server
// is held up, alone. Nobody waits while it has a seat, so there is no deadlock;
// nor for ever, since who waits makes those end that have had theirs for long.
// Its methods may be called from any goroutine.
type room struct {
	seats chan struct{}
	hold  time.Duration

	mu   sync.Mutex
	held []*seat // first come first
}

func newRoom(seats int) *room { return &room{seats: make(chan struct{}, seats), hold: roomHold} }

// seat is the room for one message of up to maxMessage bytes.
type seat struct {
	room  *room
	since time.Time
	cut   func() // ends the reading; nil once that is over, or it was called
	slow  bool   // it was called
	freed bool
	used  int // bytes
	space []byte
}

// take waits for a seat. cut must end the reading of the message: it is called
// once at most, from any goroutine, where others have waited for the room's hold
// and this one was taken before that. The only error is errHungUp, once done is
// closed.
func (r *room) take(done <-chan struct{}, cut func()) (*seat, error) {
	for {
		select {
		case r.seats <- struct{}{}:
			s := &seat{room: r, since: time.Now(), cut: cut}
			r.mu.Lock()
			r.held = append(r.held, s)
			r.mu.Unlock()
			return s, nil
		case <-done:
			return nil, errHungUp
		case <-time.After(r.hold):
			r.evict()
		}
	}
}

// evict cuts off the one that has been reading for longest, and too long.
func (r *room) evict() {
	r.mu.Lock()
	var cut func()
	for _, s := range r.held {
		if s.cut != nil && time.Since(s.since) >= r.hold {
			cut, s.cut, s.slow = s.cut, nil, true
			break
		}
	}
	r.mu.Unlock()
	if cut != nil {
		cut()
	}
}

// read says that the message is complete: nobody cuts it off any more.
func (s *seat) read(size int) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.cut, s.used = nil, size
}

// wasSlow reports whether the message was cut off.
func (s *seat) wasSlow() bool {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	return s.slow
}

// free gives the seat back; again it does nothing. What was made of a message of
// many megabytes is collected before the next one comes.
func (s *seat) free() {
	s.room.mu.Lock()
	again := s.freed
	s.freed, s.cut = true, nil
	s.room.held = slices.DeleteFunc(s.room.held, func(o *seat) bool { return o == s })
	s.room.mu.Unlock()
	if again {
		return
	}
	if s.space != nil {
		_ = syscall.Munmap(s.space)
		s.space = nil
	}
	if s.used >= dearSeat {
		runtime.GC()
	}
	<-s.room.seats
}

// draft is a message while it is collected, for one goroutine.
type draft struct {
	room *room
	done <-chan struct{} // closed where nobody wants the message any more
	cut  func()          // as in room.take

	data []byte
	seat *seat
}

// need makes space for n more bytes behind data. A message of more than
// bigMessage bytes lies in memory of its own, outside the heap: it is resident as
// far as it is filled, leaves nothing to collect, and is back at once. Errors:
// errTooLong past maxMessage and one byte, errHungUp.
func (d *draft) need(n int) error {
	size := len(d.data) + n
	switch {
	case size > maxMessage+1:
		return errTooLong
	case size <= bigMessage:
		d.data = slices.Grow(d.data, n)
	case d.seat == nil:
		s, err := d.room.take(d.done, d.cut)
		if err != nil {
			return err
		}
		d.seat = s
		s.space, err = syscall.Mmap(-1, 0, maxMessage+readBuffer, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return err
		}
		d.data = append(s.space[:0], d.data...)
	}
	return nil
}

// complete says that data is the whole message.
func (d *draft) complete() {
	if d.seat != nil {
		d.seat.read(len(d.data))
	}
}

// drop gives back what the message took. Nothing may refer to data any more.
func (d *draft) drop() {
	d.data = nil
	if d.seat != nil {
		d.seat.free()
		d.seat = nil
	}
}

// tooSlow is the end of a server that was asked to make room.
func tooSlow() model.End {
	return model.End{Cause: model.ClosedByHost, Text: redact.Sprintf(
		"cut off: after %s the server had sent a part of a message of more than %d MiB, and others waited for room", model.Span(roomHold), redact.Int(bigMessage>>20))}
}
