package supervise

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// numbered is the nth line of a test.
func numbered(n int) redact.Safe { return redact.Sprintf("line %d", redact.Int(n)) }

// readAll reads what has come to a follower, until nothing comes for a second.
func readAll(t *testing.T, f *Follower) []FollowedLine {
	var all []FollowedLine
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		batch, err := f.Next(ctx)
		cancel()
		if err != nil {
			return all
		}
		all = append(all, batch...)
	}
}

// texts are the lines as text; a gap is its number in brackets.
func texts(lines []FollowedLine) string {
	var all []string
	for _, l := range lines {
		if l.Missed > 0 {
			all = append(all, fmt.Sprintf("[%s %d]", l.Server, l.Missed))
			continue
		}
		all = append(all, strings.TrimPrefix(l.Line.Text.String(), "line "))
	}
	return strings.Join(all, " ")
}

// TestN_NothingIsLostOrDoubledBetweenTheReplayAndWhatComes begins to follow
// again and again while lines come.
func TestN_NothingIsLostOrDoubledBetweenTheReplayAndWhatComes(t *testing.T) {
	l := lines{tails: map[string]*Tail{}}
	tail := newTail("s", nil)
	l.add(tail)
	followed := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-followed:
					return
				default:
					tail.add(time.Time{}, 1, model.LineStderr, numbered(i))
					runtime.Gosched()
				}
			}
		})
	}
	for range 3_000 {
		f := l.follow("s", 0, 5)
		last := uint64(0)
		for read := 0; read < 8; { // beyond the replay
			runtime.Gosched()
			batch, err := f.feed.swap() // as Next, without its pauses
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range batch {
				if line.Missed > 0 || last > 0 && line.Line.Seq != last+1 {
					t.Fatalf("line %d, missed %d, follows line %d", line.Line.Seq, line.Missed, last)
				}
				last = line.Line.Seq
			}
			read += len(batch)
		}
		f.Close()
	}
	close(followed)
	all.Wait()
}

func TestN_AFollowerBeginsWhereItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			after uint64
			limit int
			want  string
		}{
			{0, 1 << 20, "1 2 3 4 5 6 7 8 9 10 new"},
			{0, 3, "8 9 10 new"},
			{0, 0, "new"},
			{7, 1 << 20, "8 9 10 new"},
			{5, 3, "[s 2] 8 9 10 new"}, // it said what it has: the rest is missing
			{6, 3, "[s 1] 8 9 10 new"},
			{5, 0, "new"},
			{10, 1 << 20, "new"},
			{99, 1 << 20, "1 2 3 4 5 6 7 8 9 10 new"}, // of an engine before this one
		} {
			l := lines{tails: map[string]*Tail{}}
			tail := newTail("s", nil)
			l.add(tail)
			for i := range 10 {
				tail.add(time.Time{}, 1, model.LineStderr, numbered(i+1))
			}
			f := l.follow("s", c.after, c.limit)
			tail.add(time.Time{}, 1, model.LineStderr, safe("new"))
			if got := texts(readAll(t, f)); got != c.want {
				t.Errorf("after %d, limit %d: %q, want %q", c.after, c.limit, got, c.want)
			}
			f.Close()
		}
	})
}

func TestN5_WhatDoesNotFitIsCountedInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lines{tails: map[string]*Tail{}}
		a, b := newTail("a", nil), newTail("b", nil)
		l.add(a)
		l.add(b)
		one, every := l.follow("a", 0, 0), l.follow("", 0, 0)
		const waits = 32_768 // lines, for one follower
		for i := range waits + 7 {
			a.add(time.Time{}, 1, model.LineStderr, numbered(i))
		}
		for range 3 {
			b.add(time.Time{}, 1, model.LineStderr, safe("b"))
		}
		got := readAll(t, one)
		if n := len(got); n != waits+1 || got[n-1].Missed != 7 || got[n-1].Server != "a" || got[n-2].Line.Seq != waits {
			t.Errorf("%d lines, then %+v", n, got[len(got)-1])
		}
		got = readAll(t, every)
		if n := len(got); n != waits+1 || got[n-1].Missed != 10 || got[n-1].Server != "" {
			t.Errorf("of all: %d lines, then %+v", n, got[len(got)-1])
		}
		a.add(time.Time{}, 1, model.LineStderr, safe("after"))
		if got := texts(readAll(t, one)); got != "after" {
			t.Errorf("then %q", got)
		}
	})
}

// TestN5_OneMissedLineOfEachOfTwoServers is of neither; and of one of them, that
// one's.
func TestN5_OneMissedLineOfEachOfTwoServers(t *testing.T) {
	missed := FollowedLine{Server: "a"}.missing(FollowedLine{})
	if missed != (FollowedLine{Server: "a", Missed: 1}) {
		t.Errorf("one of a: %+v", missed)
	}
	if got := (FollowedLine{Server: "a"}).missing(missed); got != (FollowedLine{Server: "a", Missed: 2}) {
		t.Errorf("another of a: %+v", got)
	}
	if got := (FollowedLine{Server: "b"}).missing(missed); got != (FollowedLine{Missed: 2}) {
		t.Errorf("one of b: %+v", got)
	}
}

func TestN5_AnEventIsAsLongAsAllOfItsTexts(t *testing.T) {
	ev := FollowedEvent{Event: model.Event{Text: safe("four"), Error: safe("three"), Stderr: []redact.Safe{safe("a"), safe("bc")}}}
	if got := ev.size(); got != 12 {
		t.Errorf("%d bytes, want 12", got)
	}
}

func TestN5_AFollowersBufferIsBoundedInBytesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lines{tails: map[string]*Tail{}}
		tail := newTail("s", nil)
		l.add(tail)
		f := l.follow("s", 0, 0)
		long := safe(strings.Repeat("x", 8<<10))
		const waits = 4 << 20 / (8 << 10) // lines, of 4 MiB in all
		for range waits + 5 {
			tail.add(time.Time{}, 1, model.LineStderr, long)
		}
		tail.add(time.Time{}, 1, model.LineStderr, redact.Safe{}) // it fits: the gap is before it
		got := readAll(t, f)
		if n := len(got); n != waits+2 || got[n-2].Missed != 5 || got[n-1].Line.Seq != uint64(n+4) {
			t.Errorf("%d lines, at the end %+v", n, got[len(got)-1])
		}
	})
}

func TestN_AFollowerOfAServerThatComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.dial.Line(time.Now(), model.LineStderr, safe("hello of "+r.spec.Name))
			healthy(r)
		}, nil, spec("a"))
		f, every := r.e.Follow("b", 0, 1<<20), r.e.Follow("", 0, 1<<20)
		defer f.Close()
		r.after(time.Second)
		if a, b := r.e.Lines("a", 0, 1<<20), r.e.Lines("b", 0, 1<<20); len(a) != 3 || len(b) != 0 { // starting, hello, connected
			t.Errorf("%d lines of a, %d of b, which is not there", len(a), len(b))
		}
		a, b := model.Entry{Name: "a", Spec: spec("a")}, model.Entry{Name: "b", Spec: spec("b")}
		for range 2 {
			r.e.Configure([]model.Entry{a, b}, true)
			r.after(time.Second)
			r.e.Configure([]model.Entry{a}, true)
			r.after(time.Second)
		}
		if got := strings.Count(texts(readAll(t, f)), "hello of b"); got != 2 {
			t.Errorf("b was heard %d times, want 2", got)
		}
		r.e.Stop()
		<-r.ended
		r.ended <- nil
		all := texts(readAll(t, every))
		if strings.Count(all, "hello of a") != 1 || strings.Count(all, "hello of b") != 2 || !strings.Contains(all, "off: rollcall is stopping") {
			t.Errorf("of all: %s", all)
		}
		for range 2 {
			if _, err := every.Next(t.Context()); !errors.Is(err, ErrStopped) {
				t.Errorf("after the end: %v", err)
			}
		}
		late := r.e.Follow("a", 0, 1)
		if batch, err := late.Next(t.Context()); err != nil || len(batch) != 1 {
			t.Errorf("one that comes late gets %v, %v", batch, err)
		}
		if _, err := late.Next(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("then %v", err)
		}
	})
}

func TestN_AClosedFollowerSaysSoAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(time.Second)
		f, events := r.e.Follow("", 0, 1<<20), r.e.FollowEvents(0, 1<<20)
		waits := make(chan error)
		go func() {
			for {
				if _, err := f.Next(context.Background()); err != nil {
					waits <- err
					return
				}
			}
		}()
		synctest.Wait()
		f.Close()
		f.Close()
		events.Close()
		if err := <-waits; !errors.Is(err, ErrClosed) {
			t.Errorf("the one that waits: %v", err)
		}
		if _, err := events.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("the one of events: %v", err)
		}
		u := r.e.byName["s"]
		if n := len(u.tail.followers) + len(r.e.lines.followers) + len(r.e.history.followers); n != 0 {
			t.Errorf("%d places still know them", n)
		}
	})
}

func TestN_EventsAreFollowedFromTheHistoryOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(time.Second)
		seen := r.e.Events("", 0, 1)[0].Seq
		f, all := r.e.FollowEvents(seen, 1<<20), r.e.FollowEvents(0, 1<<20)
		r.after(2 * time.Minute)
		r.e.Stop()
		<-r.ended
		r.ended <- nil
		read := func(f *EventFollower) (seqs []uint64, kinds string) {
			for {
				batch, err := f.Next(t.Context())
				if err != nil {
					return seqs, kinds
				}
				for _, ev := range batch {
					seqs = append(seqs, ev.Event.Seq)
					kinds += ev.Event.Kind.String() + " "
				}
			}
		}
		if seqs, kinds := read(f); kinds != "probe stopping off " || seqs[0] != seen+1 {
			t.Errorf("after %d: %s%v", seen, kinds, seqs)
		}
		if seqs, kinds := read(all); kinds != "starting connected probe stopping off " || seqs[0] != 1 || seqs[4] != 5 {
			t.Errorf("from the beginning: %s%v", kinds, seqs)
		}
		if _, kinds := read(r.e.FollowEvents(0, 1)); kinds != "off " {
			t.Errorf("one that comes late: %s", kinds)
		}
	})
}

func TestN5_AStuckFollowerOfEventsIsToldWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory()
		f := h.follow(0, 0)
		const waits = 8_192 // events, for one follower
		for range waits + 5 {
			h.add(model.Event{Kind: model.EvConfig})
		}
		batch, err := f.Next(t.Context())
		if n := len(batch); err != nil || n != waits+1 || batch[n-1].Missed != 5 {
			t.Errorf("%d events, %v", n, err)
		}
	})
}

func TestN_AFollowerThatWaitsWakesForEachLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lines{tails: map[string]*Tail{}}
		tail := newTail("s", nil)
		l.add(tail)
		f := l.follow("s", 0, 0)
		defer f.Close()
		for i := range 3 {
			time.AfterFunc(time.Second, func() { tail.add(time.Time{}, 1, model.LineStderr, numbered(i)) })
			began := time.Now()
			batch, err := f.Next(t.Context())
			if err != nil || texts(batch) != fmt.Sprint(i) || time.Since(began) != time.Second {
				t.Fatalf("line %d: %q, %v, after %s", i, texts(batch), err, time.Since(began))
			}
		}
	})
}

func TestN_AFollowerInAFloodReadsInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lines{tails: map[string]*Tail{}}
		tail := newTail("s", nil)
		l.add(tail)
		f := l.follow("s", 0, 0)
		defer f.Close()
		done := make(chan int)
		go func() {
			batches := 0
			for got := 0; got < 10_000; batches++ {
				batch, err := f.Next(t.Context())
				if err != nil {
					t.Error(err)
					break
				}
				got += len(batch)
			}
			done <- batches
		}()
		for i := range 10_000 { // 10,000 lines in a second
			tail.add(time.Time{}, 1, model.LineStderr, numbered(i))
			time.Sleep(100 * time.Microsecond) // virtual
		}
		if batches := <-done; batches > 110 {
			t.Errorf("%d batches in a second", batches)
		}
	})
}

// BenchmarkFollow is what a line costs that one follower reads.
func BenchmarkFollow(b *testing.B) {
	l := lines{tails: map[string]*Tail{}}
	tail := newTail("s", nil)
	l.add(tail)
	f := l.follow("", 0, 0)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			if _, err := f.Next(context.Background()); err != nil {
				return
			}
		}
	}()
	text := safe("2026-11-29T20:51:04Z GET /mcp 200 12 ms")
	b.ReportAllocs()
	for b.Loop() {
		tail.add(time.Time{}, 1, model.LineStderr, text)
	}
	f.Close()
	<-read
}
