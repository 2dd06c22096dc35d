package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

func all(model.Fleet) bool { return true }

func TestAClientSeesWhatChanges(t *testing.T) {
	e := newFake("a", "b")
	_, lock := serve(t, e)
	c := dial(t, lock)
	first := next(t, c, 0, all)
	if len(first.Rows) != 2 || first.Rows[0].Server != "a" || first.Host.String() != "edge-7" {
		t.Fatalf("the first snapshot: %+v", first)
	}
	e.change("b", func(r *model.Row) { r.Phase = model.Waiting })
	second := next(t, c, first.Seq, all)
	if second.Rows[1].Phase != model.Waiting || second.Rows[0] != first.Rows[0] {
		t.Fatalf("one row changed, the other is the same: %+v", second.Rows)
	}
	e.set([]*model.Row{{Server: "c"}, e.fleet.Rows[1]})
	third := next(t, c, second.Seq, all)
	if len(third.Rows) != 2 || third.Rows[0].Server != "c" || third.Rows[1] != second.Rows[1] {
		t.Fatalf("a removed, c added before b: %+v", third.Rows)
	}
}

// TestN5_ALostChangeIsFetched has changes not arrive: the next one, or the next
// beat, shows it.
func TestN5_ALostChangeIsFetched(t *testing.T) {
	e := newFake("a", "b")
	s, lock := serve(t, e)
	c := dial(t, lock)
	first := next(t, c, 0, all)
	lose := func(server string, n int) {
		s.pump.mu.Lock() // the pump takes this for published
		defer s.pump.mu.Unlock()
		e.change(server, func(r *model.Row) { r.Starts = n })
		s.pump.last = e.fleet
	}
	lose("a", 7)
	e.change("b", func(r *model.Row) { r.Starts = 8 })
	second := next(t, c, first.Seq, func(f model.Fleet) bool { return f.Rows[1].Starts == 8 })
	if second.Rows[0].Starts != 7 {
		t.Fatalf("the change before was not fetched: %+v", second.Rows[0])
	}
	b, err := json.Marshal(beat{Instance: c.Hello().Instance, Seq: 99})
	if err != nil {
		t.Fatal(err)
	}
	c.beaten(c.live(), b) // a newer one was published: the whole is fetched
	next(t, c, second.Seq, all)
}

// TestAnotherEnginesChangesAreNotApplied: not to these rows.
func TestAnotherEnginesChangesAreNotApplied(t *testing.T) {
	_, lock := serve(t, newFake("a"))
	c := dial(t, lock)
	first := next(t, c, 0, all)
	for instance, want := range map[string]int{"another": 0, c.Hello().Instance: 7} {
		b, err := json.Marshal(delta{Instance: instance, From: 1, Head: model.Fleet{Seq: 2}, Rows: []*model.Row{{Server: "a", Starts: 7}}})
		if err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		c.view.fleet, c.view.seq = first, 1
		c.mu.Unlock()
		c.took(c.live(), b)
		c.mu.Lock()
		got := c.view.fleet.Rows[0].Starts
		c.mu.Unlock()
		if got != want {
			t.Errorf("changes of %s: %d starts, want %d", instance, got, want)
		}
	}
}

func TestNothingIsPublishedWhileNobodyLooks(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	c := dial(t, lock)
	if _, err := c.Whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.change("a", func(r *model.Row) { r.Starts++ }) // the pump looks around, and sleeps
	asleep := func() bool {
		s.pump.mu.Lock()
		defer s.pump.mu.Unlock()
		return !s.pump.awake
	}
	until(t, "the pump sleeps", asleep)
	seen := next(t, c, 0, all)
	if asleep() {
		t.Fatal("somebody looks, and the pump sleeps")
	}
	e.change("a", func(r *model.Row) { r.Starts = 40 })
	next(t, c, seen.Seq, func(f model.Fleet) bool { return f.Rows[0].Starts == 40 })
	c.Close()
	until(t, "the connection is gone", func() bool { return s.Clients() == 0 && !s.broker.wanted(s.subjects.rows()) })
	e.change("a", func(r *model.Row) { r.Starts++ })
	until(t, "the pump sleeps again", asleep)
}

// TestALostEngineComesBack ends one engine and serves another on the socket.
func TestALostEngineComesBack(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	c := dial(t, lock)
	first := next(t, c, 0, all)
	lines := c.Lines("a", 0, 10)
	e.tell(model.Event{Server: "a", Text: redact.Word("one")})
	events := c.Events("", 0, 10)
	if len(lines) != 3 || lines[2].Seq != 3 || len(events) != 1 {
		t.Fatalf("lines %v, events %v", lines, events)
	}
	s.Close()
	until(t, "Next says so", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Next(ctx, first.Seq)
		return errors.Is(err, ErrLost)
	})
	if got := c.Lines("a", 0, 10); got != nil {
		t.Errorf("lines of an engine that is lost: %v", got)
	}
	other := newFake("a", "z")
	other.tell(model.Event{Server: "a", Text: redact.Word("of the other")})
	s2, err := Serve(lock, Options{Engine: other, Host: "edge-7", Version: redact.Word("1.0")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s2.Close)
	back := next(t, c, 0, all)
	if back.Seq <= first.Seq || len(back.Rows) != 2 {
		t.Fatalf("Seq never falls: %d after %d; %d rows", back.Seq, first.Seq, len(back.Rows))
	}
	if back.Rows[0].Lines != 6 {
		t.Errorf("the count of lines goes on: %d, want 3 and 3 more", back.Rows[0].Lines)
	}
	if got := c.Lines("a", 3, 10); len(got) != 3 || got[0].Seq != 4 {
		t.Errorf("who reads on from line 3 reads the other's first as the fourth: %v", got)
	}
	if got := c.Events("", events[0].Seq, 10); len(got) != 1 || got[0].Text.String() != "of the other" || got[0].Seq <= events[0].Seq {
		t.Errorf("who reads on from the last event reads the other's first: %v", got)
	}
}

func TestN4_AnEngineWithoutWordIsSilent(t *testing.T) {
	s, lock := serve(t, newFake("a"))
	c := dial(t, lock)
	first := next(t, c, 0, all)
	c.mu.Lock()
	c.view.heard = time.Now().Add(-Silent - 2*time.Second)
	c.mu.Unlock()
	_, err := c.Next(t.Context(), first.Seq)
	var silent int
	if _, e := fmt.Sscanf(fmt.Sprint(err), "no word of the engine for %d s, and it may still be there", &silent); e != nil || silent < 17 || !errors.Is(err, ErrLost) || !errors.Is(err, ErrSilent) {
		t.Fatalf("after 17 s: %v", err)
	}
	s.pump.beat(t.Context())
	next(t, c, 0, all)
}

func TestQuestions(t *testing.T) {
	_, lock := serve(t, newFake("a"))
	c := dial(t, lock)
	if h, err := c.Health(t.Context()); err != nil || h.Mailbox != 1 {
		t.Errorf("health: %+v, %v", h, err)
	}
	if u, err := c.Usage(t.Context(), "a"); err != nil || u.Processes != 3 {
		t.Errorf("usage: %+v, %v", u, err)
	}
	if _, err := c.Usage(t.Context(), "off"); err == nil || err.Error() != "nothing runs" {
		t.Errorf("usage of nothing: %v", err)
	}
	if tl := c.Timeline("a"); tl.Slot != time.Minute {
		t.Errorf("timeline: %+v", tl)
	}
	p := c.Pending()
	if len(p.Added) != 1 || p.Added[0] != "new" {
		t.Errorf("pending: %+v", p)
	}
	if did, ok := c.Reload(p); !ok || len(did.Added) != 1 {
		t.Errorf("reload: %+v, %t", did, ok)
	}
	if _, ok := c.Reload(model.Reload{}); ok {
		t.Error("the engine said that this is not what was shown")
	}
	h := c.Hello()
	if h.Host.String() != "edge-7" || h.PID == 0 || h.Instance == "" || h.You.IsZero() {
		t.Errorf("hello: %+v", h)
	}
}

// TestAWholeOfManyRowsComesInParts is far above one message.
func TestAWholeOfManyRowsComesInParts(t *testing.T) {
	e := newFake()
	e.set(many(1000))
	_, lock := serve(t, e)
	c := dial(t, lock)
	fleet, err := c.Whole(t.Context())
	if err != nil || len(fleet.Rows) != 1000 {
		t.Fatalf("%d rows, %v", len(fleet.Rows), err)
	}
	first := next(t, c, 0, all)
	rows := many(1000) // all change at once: too much for one message
	if b, err := json.Marshal(delta{Rows: rows}); err != nil || len(b) <= deltaLimit {
		t.Fatalf("%d bytes fit into a message, %v", len(b), err)
	}
	e.set(rows)
	next(t, c, first.Seq, func(f model.Fleet) bool { return f.Rows[999] != first.Rows[999] })
}

func TestStopEngine(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	if _, err := c.StopEngine(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-e.stopped
}

func TestN5_AnotherVersionIsToldSo(t *testing.T) {
	_, lock := serve(t, newFake("a"))
	c := dial(t, lock, DialOptions{Version: redact.Word("1.1")})
	want := "the engine is rollcall 1.0, this is rollcall 1.1"
	if got := c.Differs().String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if w := next(t, c, 0, all).Warnings; fmt.Sprint(w) != "["+want+"]" {
		t.Errorf("the dashboard's warnings: %v", w)
	}
	_, err := connect(t.Context(), lock.Paths().Socket, greeting{Protocol: Protocol + 1, Version: redact.Word("2.0")})
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("another protocol: %v", err)
	}
	t.Log(err)
}

func TestNoEngineIsSaidSo(t *testing.T) {
	p, err := Where(runtimeDir(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), p.Socket, DialOptions{}); !errors.Is(err, ErrNoEngine) {
		t.Fatalf("%v", err)
	}
}
