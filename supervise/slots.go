package supervise

// slots hands out start slots over all servers (T9). Pure: a call says what
// was granted. Operators' orders come first, then first come first served.
type slots struct {
	free    int
	urgent  []claim
	queue   []claim
	waiting map[claim]bool // what the queues still hold, and whether it is urgent
	urgents int            // how many of those are
	held    map[claim]bool
}

// claim is one server's wish for a slot.
type claim struct {
	server string
	ticket uint64
}

func newSlots(n int) *slots {
	return &slots{free: n, waiting: map[claim]bool{}, held: map[claim]bool{}}
}

// want asks for a slot: granted at once, or queued with how many before it.
func (s *slots) want(c claim, urgent bool) (granted bool, ahead int) {
	if s.free > 0 {
		s.free--
		s.held[c] = true
		return true, 0
	}
	s.waiting[c] = urgent
	if urgent {
		s.urgents++
		s.urgent = append(s.urgent, c)
		return false, s.urgents - 1
	}
	s.queue = append(s.queue, c)
	return false, len(s.waiting) - 1
}

// release gives a slot back, or leaves the queue; it returns the claim that is
// granted in its place, if any.
func (s *slots) release(c claim) (claim, bool) {
	if !s.held[c] {
		s.leaveQueue(c)
		return claim{}, false
	}
	delete(s.held, c)
	for _, q := range []*[]claim{&s.urgent, &s.queue} {
		for len(*q) > 0 {
			next := (*q)[0]
			*q = (*q)[1:]
			if s.leaveQueue(next) {
				s.held[next] = true
				return next, true
			}
		}
	}
	s.free++
	return claim{}, false
}

// leaveQueue reports whether the claim was waiting, and takes it out. Its place
// in the queue stays, and is passed over when its turn comes.
func (s *slots) leaveQueue(c claim) bool {
	urgent, ok := s.waiting[c]
	if urgent {
		s.urgents--
	}
	delete(s.waiting, c)
	return ok
}
