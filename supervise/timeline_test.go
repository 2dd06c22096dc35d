package supervise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

// total is all that a moment's time was spent with.
func total(m model.Moment) time.Duration { return m.Up + m.Settling + m.Trying + m.Down + m.Off }

// lastSlots are the newest n slots of a timeline.
func lastSlots(t model.Timeline, n int) []model.Moment { return t.Slots[len(t.Slots)-n:] }

func TestD6_TheTimelineSplitsAPhaseAtTheSlotsBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(25 * time.Minute) // handshake at once, up after 5 minutes
		tl := r.e.Timeline("s")
		if len(tl.Slots) != 144 || tl.Slot != 10*time.Minute {
			t.Fatalf("%d slots of %s", len(tl.Slots), tl.Slot)
		}
		if began := tl.Start.Add(141 * tl.Slot); !began.Equal(r.e.start) {
			t.Errorf("the third slot from the end begins at %s, want the engine's start %s", began, r.e.start)
		}
		for i, want := range []model.Moment{
			{},
			{Up: 5 * time.Minute, Settling: 5 * time.Minute, Latency: time.Millisecond},
			{Up: 10 * time.Minute, Latency: time.Millisecond},
			{Up: 5 * time.Minute, Latency: time.Millisecond},
		} {
			if got := lastSlots(tl, 4)[i]; got != want {
				t.Errorf("slot %d: %+v, want %+v", i, got, want)
			}
		}
	})
}

func TestD6_TheTimelineCountsFailuresAndTellsDownFromTrying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, dead, nil, spec("s"))
		r.after(20 * time.Minute) // down from attempt 5 on, or after 15 minutes
		failed := len(r.events(model.EvAttemptFailed))
		down := r.events(model.EvDown)[0].At.Sub(r.e.start)
		var sum model.Moment
		for _, m := range r.e.Timeline("s").Slots {
			sum.Failures += m.Failures
			sum.Trying += m.Trying
			sum.Down += m.Down
			sum.Off += m.Off
		}
		if want := (model.Moment{Failures: failed, Trying: down, Down: 20*time.Minute - down}); !near(sum, want) {
			t.Errorf("%+v, want %+v", sum, want)
		}
		r.order(model.Disconnect, "d", "s")
		r.after(10 * time.Minute)
		if got := lastSlots(r.e.Timeline("s"), 2)[0]; got.Off != 10*time.Minute {
			t.Errorf("after the disconnect: %+v, want 10 minutes off", got)
		}
	})
}

// near reports whether two moments are the same but for what is below 1 µs.
func near(a, b model.Moment) bool {
	round := func(m model.Moment) model.Moment {
		for _, d := range []*time.Duration{&m.Up, &m.Settling, &m.Trying, &m.Down, &m.Off} {
			*d = d.Round(10 * time.Microsecond)
		}
		return m
	}
	return round(a) == round(b)
}

func TestD6_TheTimelineCountsProbesThatWereNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			outcomes := []model.Probed{
				{Outcome: model.TimedOut, Elapsed: 8 * time.Second},
				{Outcome: model.ProbeError, Elapsed: time.Second},
				{Outcome: model.Alive, Elapsed: 70 * time.Millisecond},
				{Outcome: model.Alive, Elapsed: 41 * time.Millisecond},
			}
			r.probe = func(context.Context) model.Probed {
				p := outcomes[0]
				outcomes = append(outcomes[1:], model.Probed{Outcome: model.Alive, Elapsed: time.Millisecond})
				return p
			}
			healthy(r)
		}, nil, spec("s"))
		r.after(9 * time.Minute)
		if got := lastSlots(r.e.Timeline("s"), 1)[0]; got.Timeouts != 2 || got.Latency != 70*time.Millisecond || got.Failures != 0 {
			t.Errorf("%+v, want 2 time-outs, 70 ms", got)
		}
	})
}

func TestD6_TheTimelineCountsALostConnectionAndNoOrderedEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			if r.dial.Run == 1 {
				lives(400 * time.Second)(r) // lost: it had lasted
				return
			}
			r.handshake()
			<-r.stopped
			r.close(model.End{Cause: model.ClosedByHost})
			r.reap(4711) // halted, and no attempt failed
		}, nil, spec("s"))
		r.after(450 * time.Second)
		if got := lastSlots(r.e.Timeline("s"), 1)[0]; got.Failures != 1 || got.Up != 100*time.Second {
			t.Errorf("lost: %+v, want 1 failure, 100 s up", got)
		}
		r.order(model.Disconnect, "d", "s")
		r.after(time.Second)
		if got := lastSlots(r.e.Timeline("s"), 1)[0]; got.Failures != 1 || got.Down != time.Second {
			t.Errorf("halted by a disconnect: %+v, want 1 failure, 1 s down", got)
		}
	})
}

func TestD6_TheFleetsTimelineIsTheSumOfItsServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		off := spec("off")
		off.Enabled = false
		r := newRig(t, healthy, nil, spec("a"), spec("b"), off)
		r.after(10 * time.Minute)
		want := model.Moment{Up: 10 * time.Minute, Settling: 10 * time.Minute, Off: 10 * time.Minute, Latency: time.Millisecond}
		if got := lastSlots(r.e.Timeline(""), 2)[0]; !near(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got := r.e.Timeline("nobody"); len(got.Slots) != 0 {
			t.Errorf("a server that is not there has %d slots", len(got.Slots))
		}
	})
}

func TestD6_ATimelineHolds24HoursAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := spec("s")
		s.Timings.ProbeInterval.D = model.Forever // nothing happens in between
		r := newRig(t, healthy, nil, s)
		r.after(100*time.Hour + 3*time.Minute)
		r.order(model.Disconnect, "d", "s")
		r.after(time.Minute)
		tl := r.e.Timeline("s")
		for i, m := range tl.Slots[:143] {
			if m != (model.Moment{Up: 10 * time.Minute}) {
				t.Fatalf("slot %d: %+v, want it up", i, m)
			}
		}
		if got, want := tl.Slots[143], (model.Moment{Up: 3 * time.Minute, Off: time.Minute}); got != want {
			t.Errorf("the last slot: %+v, want %+v", got, want)
		}
		if got, want := time.Since(tl.Start), 24*time.Hour-6*time.Minute; got != want {
			t.Errorf("it begins %s ago, want %s", got, want)
		}
	})
}

// TestATimelineOfWhatGoesOnForDays: nothing was written since; the whole day is
// asked for all the same.
func TestATimelineOfWhatGoesOnForDays(t *testing.T) {
	d := &day{on: spentUp}
	d.turns(spentDown, time.Hour)
	now := 100*time.Hour + 3*time.Minute
	got := make([]model.Moment, daySlots)
	d.addTo(got, int(now/slotLength)-daySlots+1, now)
	for i, m := range got {
		want := model.Moment{Down: slotLength}
		if i == daySlots-1 {
			want.Down = 3 * time.Minute
		}
		if m != want {
			t.Errorf("slot %d: %+v, want %+v", i, m, want)
		}
	}
}

// TestATimelineIsAskedForWhileANewSlotBegins: the time was read before the slot
// began, and the day after it was written there. What is newest lies where the
// oldest was.
func TestATimelineIsAskedForWhileANewSlotBegins(t *testing.T) {
	d := &day{on: spentUp}
	d.turns(spentDown, 48*time.Hour)
	d.failed(48*time.Hour + 5*time.Minute)
	now := 48*time.Hour - time.Second
	got := make([]model.Moment, daySlots)
	d.addTo(got, int(now/slotLength)-daySlots+1, now)
	for i, m := range got {
		want := model.Moment{Up: slotLength}
		if i == 0 {
			want = model.Moment{} // overwritten
		}
		if m != want {
			t.Errorf("slot %d: %+v, want %+v", i, m, want)
		}
	}
}

func TestD6_EachPhaseIsOneOfATimelinesKinds(t *testing.T) {
	want := map[model.Phase]spent{model.Off: spentOff, model.Ended: spentOff, model.Up: spentUp, model.Settling: spentSettling,
		model.Queued: spentTrying, model.Starting: spentTrying, model.Waiting: spentTrying, model.Stopping: spentTrying,
		model.Halted: spentDown, model.Refused: spentDown}
	for p := range model.Phases {
		phase := model.Phase(p)
		s := state{phase: phase}
		if got := s.spends(); got != want[phase] {
			t.Errorf("%s: %d, want %d", phase, got, want[phase])
		}
		s.episode.open = true
		open := spentDown
		if phase == model.Settling { // it is there, and has not lasted yet
			open = spentSettling
		}
		if got := s.spends(); got != open {
			t.Errorf("%s, with an open episode: %d, want %d", phase, got, open)
		}
	}
}

// TestATimelineAddsUp writes at random instants, stamps of before among them,
// and compares with what was spent.
func TestATimelineAddsUp(t *testing.T) {
	for seed := range uint64(50) {
		fate := rand.New(rand.NewPCG(seed, 0))
		d := &day{on: spentOff}
		var want [spents][daySlots * 5]time.Duration
		on, until := spentOff, instant(0)
		spend := func(to instant) {
			for ; until < to; until += time.Second {
				want[on][until/slotLength] += time.Second
			}
		}
		end := 2 * 24 * time.Hour
		for until < end {
			at := until + time.Duration(fate.IntN(3*3600))*time.Second
			if fate.IntN(20) == 0 {
				at += 25 * time.Hour
			}
			spend(at)
			on = spent(fate.IntN(int(spents)))
			d.turns(on, at)
			if fate.IntN(3) == 0 {
				d.failed(at - time.Minute) // seen before: it counts as now
			}
		}
		now := until + 17*time.Minute
		spend(now)
		first := int(now/slotLength) - daySlots + 1
		got := make([]model.Moment, daySlots)
		d.addTo(got, first, now)
		for i, m := range got {
			k := i + first
			if w := (model.Moment{Up: want[spentUp][k], Settling: want[spentSettling][k], Trying: want[spentTrying][k],
				Down: want[spentDown][k], Off: want[spentOff][k], Failures: m.Failures}); m != w {
				t.Fatalf("seed %d, slot %d: %+v, want %+v", seed, i, m, w)
			}
			if i < daySlots-1 && total(m) != slotLength {
				t.Fatalf("seed %d, slot %d holds %s", seed, i, total(m))
			}
		}
	}
}

func TestATimelineNeverCountsMoreThanItCan(t *testing.T) {
	d := &day{}
	for range 70_000 {
		d.failed(0)
		d.probed(model.TimedOut, 0, 0)
	}
	d.probed(model.Alive, 100*time.Hour, 0)
	got := make([]model.Moment, 1)
	d.addTo(got, 0, time.Second)
	if m := got[0]; m.Failures != 65_535 || m.Timeouts != 65_535 || m.Latency != slotLength {
		t.Errorf("%+v", m)
	}
}

// TestATimelineIsReadWhileItIsWritten is for the race detector.
func TestATimelineIsReadWhileItIsWritten(t *testing.T) {
	var entries []model.Entry
	for i := range 50 {
		s := spec(fmt.Sprint(i))
		entries = append(entries, model.Entry{Name: s.Name, Spec: s})
	}
	e := New(Options{Slots: 50, Start: (&fakeNet{serve: dead}).start}, entries)
	ended := make(chan []Survivor, 1)
	go func() { ended <- e.Run() }()
	for range 100 {
		for _, m := range e.Timeline("").Slots {
			if total(m) < 0 {
				t.Fatalf("%+v", m)
			}
		}
	}
	e.Stop()
	<-ended
}

// BenchmarkTimeline/probe is what a probe's outcome adds to its step;
// BenchmarkTimeline/fleet is the sum over 10,000 servers with a full day.
func BenchmarkTimeline(b *testing.B) {
	b.Run("probe", func(b *testing.B) {
		d := &day{}
		at := instant(0)
		b.ReportAllocs()
		for b.Loop() {
			at += time.Minute
			d.probed(model.Alive, 41*time.Millisecond, at)
		}
	})
	b.Run("fleet", func(b *testing.B) {
		all := make([]*day, 10_000)
		for i := range all {
			all[i] = &day{}
			all[i].failed(24 * time.Hour)
		}
		for b.Loop() {
			sum := make([]model.Moment, daySlots)
			for _, d := range all {
				d.addTo(sum, 1, 24*time.Hour)
			}
		}
	})
}
