package bus

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// TestX2_TheEndIsSaidBeforeItIsThere: to each who ordered it, also to one who did
// so too late; and who takes no leave holds it up for a bounded time.
func TestX2_TheEndIsSaidBeforeItIsThere(t *testing.T) {
	s, lock := serve(t, newFake("a"))
	left := redact.Word("process 4711 of a")
	first, late := dial(t, lock), dial(t, lock)
	word, err := first.StopEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.Ended(left) // first stays
	if took := time.Since(began); took < endedLimit || took > endedLimit+patience {
		t.Errorf("it waited %v", took)
	}
	if end := <-word; end != (Ending{Left: left}) {
		t.Errorf("said: %+v", end)
	}
	if word, err = late.StopEngine(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end := <-word; end != (Ending{Left: left}) {
		t.Errorf("said to one who came late: %+v", end)
	}
}

// TestX2_AnEndThatIsNotSaidIsNone: the connection was lost before.
func TestX2_AnEndThatIsNotSaidIsNone(t *testing.T) {
	s, lock := serve(t, newFake("a"))
	c := dial(t, lock)
	word, err := c.StopEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if end := <-word; !errors.Is(end.Err, ErrLost) {
		t.Errorf("said: %+v", end)
	}
	if held, err := c.Held(); !held || err != nil {
		t.Errorf("the engine has its lock yet: %t, %v", held, err)
	}
	lock.Release()
	if held, err := c.Held(); held || err != nil {
		t.Errorf("the lock was released: %t, %v", held, err)
	}
}

// TestN1_TheLockIsSeenWithoutTheRuntimeDirectory: it is taken away with the last
// logout.
func TestN1_TheLockIsSeenWithoutTheRuntimeDirectory(t *testing.T) {
	config := runtimeDir(t)
	_, lock := serveAt(t, config, newFake("a"))
	c := dial(t, lock)
	if err := os.RemoveAll(lock.Paths().Dir); err != nil {
		t.Fatal(err)
	}
	if held, err := c.Held(); !held || err != nil {
		t.Errorf("%t, %v", held, err)
	}
}

// TestN3_WhoFollowsHearsTheLastOfIt: what happened right before the engine's end,
// and that this is its end.
func TestN3_WhoFollowsHearsTheLastOfIt(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	c := dial(t, lock)
	e.tell(model.Event{Server: "a", Text: redact.Word("first")})
	var heard []string
	err := c.FollowEvents(t.Context(), 0, 10, func(events []FollowedEvent) error {
		for _, ev := range events {
			heard = append(heard, ev.Event.Text.String())
		}
		if len(heard) == 1 {
			go func() {
				e.tell(model.Event{Server: "a", Text: redact.Word("last")})
				for _, w := range e.watch {
					w.Close()
				}
				s.Ended(redact.Safe{})
				s.Close()
			}()
		}
		return nil
	})
	c.Close()
	if err == nil || err.Error() != errStopped.Error() || !slices.Equal(heard, []string{"first", "last"}) {
		t.Errorf("heard %q, %v", heard, err)
	}
}
