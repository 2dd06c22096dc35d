package supervise

import "testing"

func TestT9_AServerThatCameBackDoesNotLoseASlot(t *testing.T) {
	s := newSlots(1)
	a, b := claim{"a", 1}, claim{"b", 1}
	s.want(a, false)
	// b waits, is removed, comes back with the same claim, and is removed again.
	for range 2 {
		if granted, ahead := s.want(b, false); granted || ahead != 0 {
			t.Fatalf("b: granted %t, %d ahead; want it first in the queue", granted, ahead)
		}
		s.release(b)
	}
	if next, ok := s.release(a); ok {
		t.Errorf("%v was granted, and is no more", next)
	}
	if s.free != 1 {
		t.Errorf("%d slots are free, want 1", s.free)
	}
}

func TestT9_OrdersComeFirstThenWhoCameFirst(t *testing.T) {
	s := newSlots(1)
	first := claim{"a", 1}
	s.want(first, false)
	waiting := []claim{{"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}}
	for i, c := range waiting {
		s.want(c, i >= 2) // d and e are an operator's
	}
	s.release(waiting[1]) // c leaves the queue
	for _, want := range []claim{{"d", 1}, {"e", 1}, {"b", 1}} {
		next, ok := s.release(first)
		if !ok || next != want {
			t.Fatalf("%v is granted, want %v", next, want)
		}
		first = next
	}
}
