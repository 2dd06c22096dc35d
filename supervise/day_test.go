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

// TestAVirtualDayOfTheEngine runs the real loop with 200 servers for a day of
// virtual time, with deaths, hangs, orders, saves and reloads, and looks at it
// from outside alone: the events, the rows, the answers, and what is left when
// it has stopped.
func TestAVirtualDayOfTheEngine(t *testing.T) {
	hours := 24
	if testing.Short() {
		hours = 4
	}
	synctest.Test(t, func(t *testing.T) {
		const servers, seed = 200, 7
		fate := rand.New(rand.NewPCG(seed, 0)) // the operator's; each run has its own
		var specs []*model.Spec
		for i := range servers {
			specs = append(specs, dayEntry(fmt.Sprintf("s%03d", i), fate))
		}
		r := newRig(t, func(r *fakeRun) {
			capricious(r, rand.New(rand.NewPCG(seedOf("run", r.spec.Name), r.dial.Run)))
		}, func(o *Options) { o.Slots = 8 }, specs...)

		given := 0
		for range hours * 60 {
			r.after(time.Minute)
			given += order(r, fate, given, specs)
			if fate.IntN(30) == 0 {
				reload(r, fate, specs)
			}
			if fate.IntN(60) == 0 {
				lookAtRows(t, r)
			}
		}
		r.after(time.Minute) // the last orders are answered
		lookAtTimelines(t, r, specs)
		began := len(r.events(everyKind()...))
		r.e.Stop()
		survivors := <-r.ended
		r.ended <- nil
		lookAtEvents(t, r.events(everyKind()...), began, given)
		if len(survivors) != 0 {
			t.Errorf("survivors %v", survivors)
		}
		r.net.mu.Lock()
		defer r.net.mu.Unlock()
		for name, n := range r.net.live {
			if n != 0 {
				t.Errorf("%s: %d processes are left", name, n)
			}
		}
		if r.net.most != 1 {
			t.Errorf("%d processes of one server at once", r.net.most)
		}
		t.Logf("%d runs, %d events, %d orders", len(r.net.runs), len(r.told), given)
	})
}

// lookAtTimelines: a server's time is spent with one thing at a time, and all of
// it is.
func lookAtTimelines(t *testing.T, r *rig, specs []*model.Spec) {
	for _, s := range specs {
		slots := r.e.Timeline(s.Name).Slots
		if len(slots) == 0 {
			continue // removed
		}
		began := false
		for i, m := range slots[:len(slots)-1] {
			switch spent := total(m); {
			case spent == 0 && !began: // it was not there yet
			case spent != slotLength && began:
				t.Errorf("%s: slot %d holds %s", s.Name, i, spent)
			default:
				began = true
			}
			if min(m.Up, m.Settling, m.Trying, m.Down, m.Off) < 0 {
				t.Errorf("%s: slot %d: %+v", s.Name, i, m)
			}
		}
		if !began && total(slots[len(slots)-1]) == 0 {
			t.Errorf("%s has no timeline", s.Name)
		}
	}
}

// dayEntry is an entry whose probes are few, so that a day is short.
func dayEntry(name string, fate *rand.Rand) *model.Spec {
	s := spec(name)
	s.Reconnect = fate.IntN(10) > 0
	s.Timings.ProbeInterval.D = time.Duration(5+fate.IntN(10)) * time.Minute
	copy(s.Fingerprint[:], fmt.Sprint(s.Reconnect, s.Timings.ProbeInterval.D))
	return s
}

// capricious is a server of which each run has another fate.
func capricious(r *fakeRun, fate *rand.Rand) {
	ms := func(n int) time.Duration { return time.Duration(fate.IntN(n)) * time.Millisecond }
	pause := func(d time.Duration) (stopped bool) {
		select {
		case <-time.After(d):
			return false
		case <-r.stopped:
			return true
		}
	}
	end := exit(1)
	slow := fate.IntN(4) == 0
	r.probe = func(ctx context.Context) model.Probed {
		if slow {
			<-ctx.Done()
			return model.Probed{Outcome: model.TimedOut, Elapsed: 8 * time.Second}
		}
		return model.Probed{Outcome: model.Alive, Elapsed: time.Millisecond}
	}
	stopped := pause(ms(2000))
	if kind := fate.IntN(10); !stopped && kind > 0 {
		r.handshake()
		life := []time.Duration{0, ms(300_000), 300 * time.Second, ms(36_000_000), 1000 * time.Hour}[fate.IntN(5)]
		stopped = pause(life)
		if kind == 1 {
			end = model.End{Cause: model.SessionMissing}
		}
	}
	if stopped {
		end = exit(143)
	}
	r.close(end)
	time.Sleep(ms(5000)) // virtual: the bubble's clock jumps
	r.reap()
}

// order gives orders to some servers, and says to how many.
func order(r *rig, fate *rand.Rand, given int, specs []*model.Spec) int {
	n := fate.IntN(4)
	for i := range n {
		verb := []model.Verb{model.Connect, model.Connect, model.Disconnect, model.Restart}[fate.IntN(4)]
		r.order(verb, fmt.Sprint(given+i), specs[fate.IntN(len(specs))].Name)
	}
	return n
}

// reload saves a configuration in which some entries changed, and at times one
// is missing; every other time it is reloaded.
func reload(r *rig, fate *rand.Rand, specs []*model.Spec) {
	missing := -1
	if fate.IntN(3) == 0 {
		missing = fate.IntN(len(specs))
	}
	var entries []model.Entry
	r.mu.Lock()
	for i := range specs {
		if fate.IntN(20) == 0 {
			specs[i] = dayEntry(specs[i].Name, fate)
			r.specs[specs[i].Name] = specs[i]
		}
		if i != missing {
			entries = append(entries, model.Entry{Name: specs[i].Name, Spec: specs[i]})
		}
	}
	r.mu.Unlock()
	r.e.Configure(entries, fate.IntN(2) == 0)
}

func everyKind() []model.Kind {
	var all []model.Kind
	for k := range model.EvConfig + 1 {
		all = append(all, k)
	}
	return all
}

// lookAtRows checks that each row is of one piece.
func lookAtRows(t *testing.T, r *rig) {
	t.Helper()
	fleet, err := r.e.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	now := fleet.At
	for _, row := range fleet.Rows {
		connected := row.Phase == model.Settling || row.Phase == model.Up
		switch {
		case row.Phase == model.Up && row.Attempt != 0,
			row.Phase == model.Waiting && row.Next.IsZero(),
			row.Phase != model.Waiting && !row.Next.IsZero(),
			row.Phase == model.Up && now.Sub(row.Connected) < row.Lasting,
			row.Phase == model.Settling && now.Sub(row.Connected) >= row.Lasting,
			connected && row.Handshake == nil,
			!row.HeldSince.IsZero() && connected,
			row.Probe.Timeouts > 2:
			t.Errorf("at %s: %+v", now, row)
		}
	}
}

// lookAtEvents checks the whole stream: numbered without a gap, each order
// answered once, runs that grow, attempts that follow, episodes that open and
// close, and no failure of what the stop ended.
func lookAtEvents(t *testing.T, told []model.Event, began, given int) {
	t.Helper()
	answers := map[string]int{}
	type book struct {
		run     uint64
		attempt int
		open    bool
		lasted  uint64
	}
	books := map[string]*book{}
	for i, ev := range told {
		if i > 0 && ev.Seq <= told[i-1].Seq {
			t.Errorf("event %d follows event %d", ev.Seq, told[i-1].Seq)
		}
		b := books[ev.Server]
		if b == nil {
			b = &book{}
			books[ev.Server] = b
		}
		switch ev.Kind {
		case model.EvOrder:
			answers[ev.OrderID]++
		case model.EvStarting:
			if ev.Run != b.run+1 {
				t.Errorf("%s: run %d follows run %d", ev.Server, ev.Run, b.run)
			}
			b.run, b.attempt = ev.Run, ev.Attempt.V
		case model.EvConnected, model.EvAttemptFailed:
			if ev.Run != b.run || ev.Attempt.V != b.attempt {
				t.Errorf("%s: %s of run %d, attempt %d in run %d, attempt %d", ev.Server, ev.Kind, ev.Run, ev.Attempt.V, b.run, b.attempt)
			}
		case model.EvLasted:
			b.lasted, b.attempt = ev.Run, 0
		case model.EvDown, model.EvHalted, model.EvRefused:
			b.open = true
		case model.EvRecovered, model.EvWithdrawn:
			if !b.open || ev.Kind == model.EvRecovered && b.lasted != ev.Run {
				t.Errorf("%s: %s; open: %t, lasted: run %d of %d", ev.Server, ev.Kind, b.open, b.lasted, ev.Run)
			}
			b.open = false
		case model.EvConfig: // it was removed; one of its name begins anew
			delete(books, ev.Server)
		}
		if retried := ev.WillRetry.V; i >= began && retried {
			t.Errorf("%s: %s will be retried after the stop", ev.Server, ev.Kind)
		}
	}
	for i := range given {
		if n := answers[fmt.Sprint(i)]; n != 1 {
			t.Errorf("order %d was answered %d times", i, n)
		}
	}
}
