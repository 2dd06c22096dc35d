package supervise

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"rollcall/model"
)

func TestL7_ASteppedWallClockIsNotLife(t *testing.T) {
	e := New(Options{}, nil)
	now := time.Now() // outside a bubble: with a monotonic reading
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		stepped := now
		// No clock can be stepped from here: the seconds of the wall clock are in
		// the upper bits of the first word.
		(*struct{ wall uint64 })(unsafe.Pointer(&stepped)).wall += uint64(by/time.Second) << 30
		if d := stepped.Round(0).Sub(now.Round(0)); d != by {
			t.Fatalf("the wall clock was stepped by %s, not by %s", d, by)
		}
		if d := e.stamp(stepped) - e.stamp(now); d != 0 {
			t.Errorf("a wall clock stepped by %s changes an instant by %s", by, d)
		}
	}
	if e.now() < e.stamp(now) {
		t.Error("instants run backwards")
	}
}

func TestL5_TheWaitRunsFromTheEndNotFromTheReap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.handshake()
			time.Sleep(time.Second)
			r.close(exit(1))
			time.Sleep(3 * time.Second)
			r.reap()
		}, nil, spec("s"))
		began := time.Now()
		r.after(2 * time.Second)
		if row := r.row("s"); row.Phase != model.Stopping || len(r.events(model.EvAttemptFailed)) != 0 {
			t.Errorf("before the reap: %s, told %v", row.Phase, r.events(model.EvAttemptFailed))
		}
		r.after(2500 * time.Millisecond)
		told := r.events(model.EvAttemptFailed)
		if len(told) != 1 || !told[0].At.Equal(began.Add(time.Second)) {
			t.Fatalf("told %+v, want one failure, as of the end", told)
		}
		due := told[0].At.Add(time.Duration(told[0].RetryIn.V))
		if row := r.row("s"); row.Phase != model.Waiting || !row.Next.Equal(due) {
			t.Errorf("%s, next try at %s, want waiting, %s", row.Phase, row.Next, due)
		}
		r.after(3 * time.Second)
		if starts := r.net.starts(); len(starts) != 2 || !starts[1].at.Equal(due) {
			t.Errorf("%d starts, want the second at %s", len(starts), due)
		}
		r.after(5 * time.Second)
	})
}

func TestS_AnEndBeforeTheThresholdIsShortThoughItsTimerWasFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen, hold := make(chan time.Time), make(chan struct{})
		r := newRig(t, func(r *fakeRun) {
			if r.dial.Run > 1 {
				healthy(r)
				return
			}
			r.handshake()
			r.dial.Report(model.Closed{At: <-seen, End: exit(1)})
			r.reap()
		}, nil, spec("s"))
		began := time.Now()
		r.after(time.Second)
		r.e.call(func() { <-hold }) // the loop is busy while both come
		r.after(5 * time.Minute)
		seen <- began.Add(299999 * time.Millisecond)
		synctest.Wait()
		close(hold)
		r.after(time.Second)
		if lasted := r.events(model.EvLasted, model.EvLost); len(lasted) != 0 {
			t.Errorf("told %v", lasted)
		}
		if ev := r.events(model.EvAttemptFailed); len(ev) != 1 || ev[0].Life.V != model.Millis(299999*time.Millisecond) {
			t.Errorf("failed attempts %+v, want one after 299.999 s", ev)
		}
	})
}

func TestH4_AMissingCommandIsDialledOnceInADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.close(model.End{Cause: model.CommandMissing, Text: safe("npx not found: install Node.js, then c")})
			r.reap()
		}, nil, spec("s"))
		r.after(24 * time.Hour)
		if n := len(r.net.starts()); n != 1 {
			t.Errorf("%d dials in a day, want 1", n)
		}
		if n := len(r.events(model.EvHalted)); n != 1 {
			t.Errorf("reported %d times, want once", n)
		}
		r.order(model.Connect, "c", "s")
		r.after(time.Second)
		if n := len(r.net.starts()); n != 2 {
			t.Errorf("%d dials after connect, want 2", n)
		}
	})
}

func TestP5_ASlowProbeDelaysNoOtherAndIsNotCaughtUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slow, quick []time.Time
		serve := func(r *fakeRun) {
			r.probe = func(ctx context.Context) model.Probed {
				if r.spec.Name == "quick" {
					quick = append(quick, time.Now())
					return model.Probed{Outcome: model.Alive}
				}
				slow = append(slow, time.Now())
				select { // whatever its window is
				case <-time.After(20 * time.Minute):
				case <-r.stopped:
				}
				return model.Probed{Outcome: model.Alive}
			}
			healthy(r)
		}
		r := newRig(t, serve, nil, spec("slow"), spec("quick"))
		r.after(time.Hour)
		if n := len(quick); n < 58 || n > 60 {
			t.Errorf("the quick one was probed %d times in an hour, want 59", n)
		}
		for i := 1; i < len(quick); i++ {
			if d := quick[i].Sub(quick[i-1]); d != time.Minute {
				t.Errorf("probes of the quick one are %s apart", d)
			}
		}
		if p := r.row("quick").Probe; p.Outcome != model.Alive || p.Timeouts != 0 || time.Since(p.At) > time.Minute+time.Second {
			t.Errorf("the quick one's row says %+v", p)
		}
		if len(slow) != 3 {
			t.Fatalf("the slow one was probed %d times in an hour, want 3", len(slow))
		}
		for i := 1; i < len(slow); i++ {
			if d := slow[i].Sub(slow[i-1]); d != 21*time.Minute {
				t.Errorf("probes of the slow one are %s apart, want 21 m: an interval from the end of the last", d)
			}
		}
	})
}

// TestP5_TheFirstProbesOfAFleetAreSpread: over six seconds, and within these by
// a few at once.
func TestP5_TheFirstProbesOfAFleetAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seconds, instants := map[time.Duration]int{}, map[time.Duration]int{}
		began := time.Now()
		serve := func(r *fakeRun) {
			first := true
			r.probe = func(context.Context) model.Probed {
				mu.Lock()
				defer mu.Unlock()
				if first {
					at := time.Since(began)
					seconds[(at-1).Truncate(time.Second)]++
					instants[at]++
				}
				first = false
				return model.Probed{Outcome: model.Alive}
			}
			healthy(r)
		}
		var specs []*model.Spec
		for i := range 600 {
			specs = append(specs, spec(fmt.Sprint(i)))
		}
		r := newRig(t, serve, nil, specs...)
		r.after(70 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		all := 0
		for second, n := range seconds {
			all += n
			if second < 60*time.Second || second >= 66*time.Second || n > 150 {
				t.Errorf("%d first probes %s after the handshake, want about 100 a second from 60 to 66 s", n, second)
			}
		}
		if all != 600 {
			t.Errorf("%d servers were probed, want 600", all)
		}
		if len(instants) > 6*4 {
			t.Errorf("they came at %d instants, want 4 a second", len(instants))
		}
	})
}

func TestP7_ALateOutcomeOfAnOldRunIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serve := func(r *fakeRun) {
			if r.dial.Run > 1 {
				healthy(r)
				return
			}
			r.probe = func(context.Context) model.Probed {
				time.Sleep(time.Minute) // the run is long gone by then
				return model.Probed{Outcome: model.Broken, End: model.End{Cause: model.TransportBroken, Text: safe("broken pipe")}}
			}
			lives(70 * time.Second)(r)
		}
		r := newRig(t, serve, nil, spec("s"))
		r.after(110 * time.Second)
		if row := r.row("s"); row.Run != 2 || row.Phase != model.Settling {
			t.Fatalf("run %d is %s, want the second to be settling", row.Run, row.Phase)
		}
		r.after(30 * time.Second)
		if row := r.row("s"); row.Run != 2 || row.Phase != model.Settling || len(r.net.starts()) != 2 {
			t.Errorf("after the old run's outcome: run %d is %s", row.Run, row.Phase)
		}
	})
}

func TestB6_AWaitThatManyWereAskedForIsSpread(t *testing.T) {
	waits := map[time.Duration]bool{}
	for i := range 100 {
		s := newState(fmt.Sprint(i), seedOf("host", fmt.Sprint(i)))
		s.run = 1
		w := s.atLeast(10 * time.Minute)
		if w < 10*time.Minute || w > 750*time.Second {
			t.Errorf("server %d waits %s, want 600 to 750 s", i, w)
		}
		waits[w.Round(time.Second)] = true
	}
	if len(waits) < 50 {
		t.Errorf("100 servers have %d different waits", len(waits))
	}
}

// fullDisk is a Store that cannot be written until it is mended.
type fullDisk struct {
	mu     sync.Mutex
	mended bool
	saved  map[string]Saved
}

func (d *fullDisk) Load() (map[string]Saved, error) { return nil, nil }

func (d *fullDisk) Save(s map[string]Saved) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.mended {
		return errors.New("no space left on device")
	}
	d.saved = s
	return nil
}

func TestO5_AStateFileThatCannotBeWrittenIsSaidAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &fullDisk{}
		r := newRig(t, healthy, func(o *Options) { o.Store = disk }, spec("s"))
		r.after(time.Second)
		r.order(model.Disconnect, "d", "s")
		r.after(10 * time.Minute)
		if told := r.events(model.EvConfig); len(told) != 1 || !strings.Contains(told[0].Text.String(), "no space left") {
			t.Fatalf("told %v, want the failure once", told)
		}
		r.row("s") // reads until nothing newer comes
		if f, err := r.e.Next(t.Context(), 0); err != nil || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].String(), "state file cannot be written") {
			t.Errorf("the header says %q, %v", f.Warnings, err)
		}
		disk.mu.Lock()
		disk.mended = true
		disk.mu.Unlock()
		r.after(time.Minute)
		disk.mu.Lock()
		defer disk.mu.Unlock()
		if disk.saved["s"].HeldSince.IsZero() {
			t.Error("the hold was not saved once the disk was mended")
		}
		if told := r.events(model.EvConfig); len(told) != 2 {
			t.Errorf("told %d events, want that it is written again", len(told))
		}
	})
}

func TestX2_ListenersAndAStoreThatHangHoldUpTheEndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		defer close(hang)
		stuck := func(model.Event, uint64) { <-hang }
		r := newRig(t, healthy, func(o *Options) {
			o.Listeners = append(o.Listeners, stuck, stuck)
			o.Store = stuckStore(hang)
		}, spec("s"))
		r.after(time.Second)
		r.order(model.Disconnect, "d", "s")
		r.after(time.Second)
		began := time.Now()
		r.e.Stop()
		<-r.ended
		if took := time.Since(began); took > windLimit {
			t.Errorf("the end took %s, want %s at most", took, windLimit)
		}
		r.ended <- nil
	})
}

type stuckStore chan struct{}

func (s stuckStore) Load() (map[string]Saved, error) { return nil, nil }
func (s stuckStore) Save(map[string]Saved) error     { <-s; return nil }

func TestD6_ProbesDoNotPushOutTheFailureOfTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := newRig(t, func(r *fakeRun) {
			if n++; n == 1 {
				dead(r)
				return
			}
			healthy(r)
		}, nil, spec("s"))
		r.after(20 * time.Hour)
		failures, probes := 0, 0
		for _, ev := range r.e.Events("s", 0, 5000) {
			switch ev.Kind {
			case model.EvAttemptFailed:
				failures++
			case model.EvProbe:
				if probes++; ev.Text.String() != "probe alive after 1.0 ms" {
					t.Fatalf("a probe's text is %q", ev.Text)
				}
			}
		}
		if failures != 1 || probes < historyProbes {
			t.Errorf("%d failures and %d probes after 20 h, want the one failure, and %d probes at least", failures, probes, historyProbes)
		}
	})
}
