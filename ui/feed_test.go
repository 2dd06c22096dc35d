package ui

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

// unsent is what is sent to a terminal that there is not.
func unsent() int64 { return 0 }

func TestFeedKeepsTheLatestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e, f := newFake(model.Fleet{Seq: 1}), newFeed(unsent)
		go f.run(ctx, e)
		synctest.Wait()
		for range 5 {
			e.change(func(*fake) {})
			synctest.Wait()
		}
		time.Sleep(2 * idleRest) // virtual: it reads again, and rests
		synctest.Wait()
		if m := f.next().(fleetMsg); m.fleet.Seq != 6 {
			t.Errorf("took snapshot %d, want the latest, 6", m.fleet.Seq)
		}
		cancel()
		if m := f.next(); m != nil {
			t.Errorf("after its end the feed gave %v", m)
		}
	})
}

func TestFeedReadsFourSnapshotsASecondUntilAKeyIsTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		e, f := newFake(model.Fleet{Seq: 1}), newFeed(unsent)
		go f.run(ctx, e)
		reads := func() (n int) { // in a second in which the engine has something new all the time
			for range 100 {
				e.change(func(*fake) {})
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
				select {
				case <-f.latest:
					n++
				default:
				}
			}
			return n
		}
		if n := reads(); n < 3 || n > 5 {
			t.Errorf("%d snapshots in a quiet second, want 4", n)
		}
		f.touched()
		if n := reads(); n < 90 {
			t.Errorf("%d snapshots in the second after a key, want each of 100", n)
		}
	})
}

func TestFeedReadsALostEngineAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		e, f := newFake(model.Fleet{Seq: 7}), newFeed(unsent)
		go f.run(ctx, e)
		if m := f.next().(fleetMsg); m.fleet.Seq != 7 {
			t.Fatalf("took %d", m.fleet.Seq)
		}
		e.fail(errors.New("gone"))
		for range 3 { // the last snapshot, read again, is no sign of life
			if m, ok := f.next().(lostMsg); !ok || m.err.Error() != "gone" {
				t.Fatalf("took %v", m)
			}
		}
		e.fail(nil)
		e.change(func(e *fake) { e.fleet = model.Fleet{Seq: 1} }) // another engine, which counts anew
		for {
			if m, ok := f.next().(fleetMsg); ok {
				if m.fleet.Seq != 2 {
					t.Errorf("took %d", m.fleet.Seq)
				}
				return
			}
		}
	})
}

// reading takes each snapshot that a feed brings, of an engine that has one each
// 70 ms, and draws it: so many bytes.
type reading struct {
	engine  *fake
	feed    *feed
	sent    atomic.Int64
	frame   int64         // bytes
	at      int           // in steps of 10 ms since the start
	last    int           // when a snapshot was drawn
	longest time.Duration // between two
}

func newReading(t *testing.T, frame int64) *reading {
	r := &reading{engine: newFake(model.Fleet{Seq: 1}), frame: frame}
	r.feed = newFeed(r.sent.Load)
	go r.feed.run(t.Context(), r.engine)
	return r
}

// second passes, with a step each 10 ms; keys is whether one is held, which costs
// 40 bytes each 30 ms. It returns the snapshots and the bytes.
func (r *reading) second(keys bool) (snapshots int, bytes int64) {
	before := r.sent.Load()
	for range 100 {
		r.at++
		if r.at%7 == 0 {
			r.engine.change(func(*fake) {})
		}
		if keys && r.at%3 == 0 {
			r.feed.touched()
			r.sent.Add(40)
		}
		time.Sleep(10 * time.Millisecond) // virtual
		synctest.Wait()
		select {
		case <-r.feed.latest:
			snapshots++
			r.sent.Add(r.frame)
			r.longest = max(r.longest, time.Duration(r.at-r.last)*10*time.Millisecond)
			r.last = r.at
		default:
		}
	}
	return snapshots, r.sent.Load() - before
}

// TestATableThatFlapsFitsASlowLink: a screen of servers that change all the time
// costs tableRate in the long run, whoever is there, but one frame a second is
// always drawn; and as soon as it is calm four are again.
func TestATableThatFlapsFitsASlowLink(t *testing.T) {
	for _, frame := range []int64{500, 2000, 4000, 7000, 12_000} {
		for _, keys := range []bool{false, true} {
			t.Run(fmt.Sprintf("frames of %d, keys %t", frame, keys), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newReading(t, frame)
					for range 10 { // what may be sent at once is used up
						r.second(keys)
					}
					var snapshots, sent int64
					for range 20 {
						n, bytes := r.second(keys)
						snapshots, sent = snapshots+int64(n), sent+bytes
					}
					most := max(20*tableRate, 20*frame) + 2*frame
					if keys {
						most += 20 * 34 * 40 // they never wait
					}
					if sent > most || snapshots < 19 {
						t.Errorf("%d bytes in 20 s, at most %d are allowed; %d snapshots", sent, most, snapshots)
					}
					if least := min(20*tableRate*9/10, 4*20*frame*9/10); sent < least {
						t.Errorf("%d bytes in 20 s are less than the %d that a slow link takes", sent, least)
					}
					if r.longest > slowest+100*time.Millisecond {
						t.Errorf("what the table says was %v old", r.longest)
					}
					r.frame = 100
					r.second(false)
					r.second(false)
					if n, _ := r.second(false); !keys && n < 3 {
						t.Errorf("2 s after it got calm there are %d snapshots a second", n)
					}
				})
			})
		}
	}
}

// TestACalmTableIsReadAsBefore: what a quiet screen sends delays nothing.
func TestACalmTableIsReadAsBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t, 500)
		for range 20 {
			if n, _ := r.second(false); n < 3 || n > 5 {
				t.Fatalf("%d snapshots in a second, want 4", n)
			}
		}
		r.feed.touched()
		r.second(false)
		if n, _ := r.second(false); n < 12 {
			t.Errorf("%d snapshots in the second after a key, want each of 14", n)
		}
	})
}

// TestTheFeedsDebtIsForgotten: a flood of an hour does not slow the table down
// for longer than one of a second.
func TestTheFeedsDebtIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReading(t, 100)
		r.second(false)
		r.sent.Add(100 << 20)
		r.second(false)
		r.second(false)
		if n, _ := r.second(false); n < 3 {
			t.Errorf("%d snapshots a second, 2 s after the flood", n)
		}
	})
}

// TestAnIdleFeedDoesNothing: where the engine has nothing new nobody wakes.
func TestAnIdleFeedDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		e := newFake(model.Fleet{Seq: 1})
		f := newFeed(func() int64 { asked.Add(1); return 0 })
		go f.run(t.Context(), e)
		time.Sleep(time.Hour) // virtual
		synctest.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("in an hour without news the budget was asked %d times, want once, after the first snapshot", n)
		}
	})
}
