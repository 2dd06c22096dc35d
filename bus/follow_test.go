package bus

import (
	"errors"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

func line(seq uint64) FollowedLine {
	return FollowedLine{Server: "a", Line: model.Line{Seq: seq, At: time.Now(), Text: redact.Sprintf("line %d, as long as one of a server that says what it does", redact.Int(seq))}}
}

var errEnough = errors.New("enough")

// TestLinesComeInOrderAndAllOfThem lets the follower's buffer fill only as fast
// as it is read.
func TestLinesComeInOrderAndAllOfThem(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	const n = 20_000
	go func() {
		for seq := uint64(1); seq <= n; {
			if e.lines.put(line(seq)) {
				seq++
			} else {
				time.Sleep(100 * time.Microsecond)
			}
		}
	}()
	last := uint64(0)
	err := c.FollowLines(t.Context(), "a", 0, 10, func(lines []FollowedLine) error {
		for _, l := range lines {
			if l.Line.Seq != last+1 {
				t.Errorf("%d after %d", l.Line.Seq, last)
			}
			last = l.Line.Seq
		}
		if last == n {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || last != n {
		t.Fatalf("%d lines, %v", last, err)
	}
	<-e.lines.closed // the engine's follower went with it
}

// TestN5_AStuckFollowerCostsABuffer: what a follower that reads nothing is sent
// is bounded by its credit, whatever comes.
func TestN5_AStuckFollowerCostsABuffer(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	c := dial(t, lock)
	stuck, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		first := true
		done <- c.FollowLines(t.Context(), "a", 0, 10, func(lines []FollowedLine) error {
			if first {
				first = false
				close(stuck)
				<-release
			}
			return nil
		})
	}()
	e.lines.put(line(1))
	<-stuck
	// The credit is used up, then the buffer fills, then the count of what was
	// missed grows.
	seq := uint64(1)
	until(t, "the buffer is full", func() bool {
		for range 100 {
			seq++
			if !e.lines.put(line(seq)) {
				return true
			}
		}
		return false
	})
	until(t, "no credit is left", func() bool {
		for _, c := range s.callers {
			c.mu.Lock()
			for _, st := range c.streams {
				if len(st.credits) == 0 {
					c.mu.Unlock()
					return true
				}
			}
			c.mu.Unlock()
		}
		e.lines.put(line(seq))
		return false
	})
	// Others are served meanwhile.
	if _, err := dial(t, lock).Whole(t.Context()); err != nil {
		t.Error(err)
	}
	close(release)
	e.lines.Close()
	if err := <-done; err == nil || err.Error() != errStopped.Error() {
		t.Errorf("the engine's end ends the stream, and says so: %v", err)
	}
}

func TestWhatWasMissedIsSaid(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	e.lines.put(line(1))
	e.lines.put(FollowedLine{Server: "a", Missed: 41})
	var missed uint64
	err := c.FollowLines(t.Context(), "a", 0, 10, func(lines []FollowedLine) error {
		for _, l := range lines {
			if missed += l.Missed; missed > 0 {
				return errEnough
			}
		}
		return nil
	})
	if missed != 41 {
		t.Errorf("missed %d, %v", missed, err)
	}
}

func TestEventsAreFollowed(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	e.tell(model.Event{Kind: model.EvStarting, Server: "a", Text: redact.Word("before")})
	var got []string
	err := c.FollowEvents(t.Context(), 0, 10, func(events []FollowedEvent) error {
		for _, ev := range events {
			got = append(got, ev.Event.Text.String())
		}
		switch len(got) {
		case 1:
			e.tell(model.Event{Kind: model.EvDown, Server: "a", Text: redact.Word("after")})
		case 2:
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) || got[0] != "before" || got[1] != "after" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestALostEngineEndsAStream(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	c := dial(t, lock)
	e.lines.put(line(1))
	err := c.FollowLines(t.Context(), "a", 0, 10, func([]FollowedLine) error {
		go s.Close()
		return nil
	})
	if !errors.Is(err, ErrLost) {
		t.Errorf("%v", err)
	}
}

// TestAClientMayFollowAgainAndAgain, but not all at once.
func TestAClientMayFollowAgainAndAgain(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	e.tell(model.Event{Server: "a"})
	enough := func([]FollowedEvent) error { return errEnough }
	for i := range 3 * maxStreams {
		if err := c.FollowEvents(t.Context(), 0, 1, enough); !errors.Is(err, errEnough) {
			t.Fatalf("time %d: %v", i, err)
		}
		// The word that it is over is on the way: the next question comes after it.
		if _, err := c.Health(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l := c.live()
	for range maxStreams + 1 {
		id, parts := l.openStream()
		if err := l.nc.PublishRequest(l.subjects.ask("watch", l.Who), inboxOf(l.Who)+"s."+id, []byte(`{"limit":1,"id":"`+id+`"}`)); err != nil {
			t.Fatal(err)
		}
		if part := <-parts; part[0] == partError {
			return
		}
	}
	t.Error("there is no bound on what a client follows")
}
