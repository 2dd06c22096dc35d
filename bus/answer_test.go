package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"rollcall/model"
	"rollcall/redact"
)

// wordy is an engine with a history of n failures, each with the last lines of
// its stderr: 40 KiB.
func wordy(n int) *fake {
	e := newFake("a")
	long := (*redact.Redactor)(nil).Text(strings.Repeat("x", 8<<10))
	for range n {
		e.tell(model.Event{Kind: model.EvAttemptFailed, Server: "a", Stderr: []redact.Safe{long, long, long, long, long}})
	}
	return e
}

// TestN3_ALongHistoryComesWhole, and leaves nothing behind.
func TestN3_ALongHistoryComesWhole(t *testing.T) {
	const n = 1100 // more than the broker lets wait for one client
	s, lock := serve(t, wordy(n))
	c := dial(t, lock)
	events, err := c.PastEvents(t.Context(), "", 0, MaxKept) // however long that takes
	if err != nil || len(events) != n {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, ev := range events {
		if ev.Seq != uint64(i+1) || len(ev.Stderr) != 5 {
			t.Fatalf("event %d in place %d, with %d lines", ev.Seq, i+1, len(ev.Stderr))
		}
	}
	of := callers(s)[0]
	until(t, "nothing of it is left", func() bool {
		of.mu.Lock()
		defer of.mu.Unlock()
		return of.asking == 0 && len(of.streams) == 0
	})
}

func callers(s *Server) []*caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*caller
	for _, c := range s.callers {
		all = append(all, c)
	}
	return all
}

// TestN5_AnAnswerThatIsNotTakenCostsAWindow has a client ask and give no credit:
// it is sent so many parts and no more, and others are served meanwhile.
func TestN5_AnAnswerThatIsNotTakenCostsAWindow(t *testing.T) {
	s, lock := serve(t, wordy(200))
	l, _ := raw(t, lock, false)
	parts := make(chan *nats.Msg, 1000)
	const id = "s.mine" // the link takes it for a stream's, and leaves it alone
	if _, err := l.nc.ChanSubscribe(inboxOf(l.Who)+id, parts); err != nil {
		t.Fatal(err)
	}
	if err := l.nc.PublishRequest(l.subjects.ask("events", l.Who), inboxOf(l.Who)+id, []byte(`{"limit":20000}`)); err != nil {
		t.Fatal(err)
	}
	c := callers(s)[0]
	spent := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		st := c.streams[id]
		return st != nil && len(st.credits) == 0
	}
	until(t, "the credit is spent", spent)
	until(t, "what it was for has come", func() bool { return len(parts) == window })
	if _, err := dial(t, lock).Whole(t.Context()); err != nil {
		t.Errorf("another client: %v", err)
	}
	if !spent() || len(parts) != window {
		t.Errorf("%d parts without credit, want %d", len(parts), window)
	}
	l.tell("credit", question{ID: id, Limit: 2})
	until(t, "two more come", func() bool { return spent() && len(parts) == window+2 })
	for range window + 2 {
		if m := <-parts; m.Data[0] != partMore || len(m.Data) != partSize+1 {
			t.Errorf("a part of %d bytes, kind %q", len(m.Data), m.Data[0])
		}
	}
	l.tell("unfollow", question{ID: id})
	until(t, "nothing of it is left", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.asking == 0 && len(c.streams) == 0
	})
	if len(parts) > 0 {
		t.Errorf("nobody waits any more, and is told: %s", (<-parts).Data)
	}
}

// TestAnAnswerThatNobodyWaitsForIsEnded: the client's time is over in the midst
// of it.
func TestAnAnswerThatNobodyWaitsForIsEnded(t *testing.T) {
	s, lock := serve(t, wordy(200))
	c := dial(t, lock)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		_, err := c.PastEvents(ctx, "", 0, MaxKept)
		asked <- err
	}()
	of := callers(s)[0]
	until(t, "it has begun, or is over", func() bool {
		of.mu.Lock()
		defer of.mu.Unlock()
		return len(of.streams) > 0 || len(asked) > 0
	})
	cancel()
	<-asked
	until(t, "nothing of it is left", func() bool {
		of.mu.Lock()
		defer of.mu.Unlock()
		return of.asking == 0 && len(of.streams) == 0
	})
}

// TestQuestionsOfOneClientAreBounded: one that takes no answer leaves room for
// others.
func TestQuestionsOfOneClientAreBounded(t *testing.T) {
	_, lock := serve(t, wordy(200))
	l, _ := raw(t, lock, false)
	parts := make(chan *nats.Msg, 10_000)
	if _, err := l.nc.ChanSubscribe(inboxOf(l.Who)+"s.*", parts); err != nil {
		t.Fatal(err)
	}
	for i := range maxTurns + 1 {
		if err := l.nc.PublishRequest(l.subjects.ask("events", l.Who), inboxOf(l.Who)+"s."+strconv.Itoa(i), []byte(`{"limit":20000}`)); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "one is told that it is too many", func() bool {
		select {
		case m := <-parts:
			return string(m.Data) == "xtoo many questions at once: ask again"
		default:
			return false
		}
	})
	if _, err := dial(t, lock).Whole(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAListIsWrittenAsJSONHasIt(t *testing.T) {
	for _, l := range []list[int]{nil, {1}, {1, 2, 3}} {
		var b bytes.Buffer
		if err := l.writeTo(&b); err != nil {
			t.Fatal(err)
		}
		var back []int
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || !slices.Equal(back, l) {
			t.Errorf("%v as %s, %v", l, b.Bytes(), err)
		}
	}
}
