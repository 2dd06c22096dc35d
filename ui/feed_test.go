package ui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

func TestFeedKeepsTheLatestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e, f := newFake(model.Fleet{Seq: 1}), newFeed()
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
		e, f := newFake(model.Fleet{Seq: 1}), newFeed()
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
		e, f := newFake(model.Fleet{Seq: 7}), newFeed()
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
