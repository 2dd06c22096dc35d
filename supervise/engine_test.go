package supervise

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

func TestB3_NoTimerIsSetBeyondTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := spec("s")
		s.Timings.ReconnectMaxInterval.D = model.Forever
		s.Timings.ReconnectInterval.D = model.Forever
		s.Timings.LastingAfter.D = 90 * 24 * time.Hour
		s.Timings.ProbeInterval.D = 60 * 24 * time.Hour
		n := 0
		r := newRig(t, func(r *fakeRun) {
			if n++; n == 1 {
				dead(r)
				return
			}
			healthy(r)
		}, nil, s)
		r.after(time.Minute)
		if row := r.row("s"); row.Phase != model.Waiting {
			t.Fatalf("phase %s, want waiting", row.Phase)
		}
		r.after(25 * 24 * time.Hour) // 24.855 days is the limit
		if row := r.row("s"); row.Phase != model.Settling || row.Attempt != 1 {
			t.Fatalf("after 25 days: %s, attempt %d, want settling, 1", row.Phase, row.Attempt)
		}
		// A lasting threshold beyond the limit is reached at its own time.
		r.after(89 * 24 * time.Hour)
		if row := r.row("s"); row.Phase != model.Settling {
			t.Fatalf("after 89 days of life: %s, want settling", row.Phase)
		}
		r.after(2 * 24 * time.Hour)
		if row := r.row("s"); row.Phase != model.Up || row.Attempt != 0 {
			t.Fatalf("after 91 days of life: %s, attempt %d, want up, 0", row.Phase, row.Attempt)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, d := range r.armed {
			if d > model.MaxTimer || d < 0 {
				t.Errorf("a timer was set for %s", d)
			}
		}
	})
}

func TestA3_EightFlapsGiveThreeDownAndNoRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := newRig(t, func(r *fakeRun) {
			if n++; n <= 8 {
				lives(time.Second)(r)
				return
			}
			healthy(r)
		}, nil, spec("s"))
		for len(r.events(model.EvAttemptFailed)) < 8 { // 5+10+20+40+80+160+300+300 s, jittered
			r.after(time.Second)
		}
		if got := len(r.events(model.EvDown)); got != 3 {
			t.Errorf("%d down, want 3 (attempts 5, 6, 7)", got)
		}
		if got := len(r.events(model.EvRecovered)); got != 0 {
			t.Errorf("%d recovered before anything lasted", got)
		}
		r.after(10 * time.Minute)
		if got := len(r.events(model.EvRecovered)); got != 1 {
			t.Errorf("%d recovered after 300 s up, want 1", got)
		}
		if got := len(r.events(model.EvAttemptFailed)); got != 8 {
			t.Errorf("%d failed attempts, want 8", got)
		}
	})
}

func TestO1_ARestartStormIsAnsweredOnceEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(time.Second)
		for i := range 1000 {
			r.order(model.Restart, fmt.Sprint(i), "s")
		}
		r.after(time.Minute)
		answers := map[string]int{}
		results := map[string]int{}
		for _, ev := range r.events(model.EvOrder) {
			answers[ev.OrderID]++
			results[ev.Outcome.String()]++
		}
		for i := range 1000 {
			if answers[fmt.Sprint(i)] != 1 {
				t.Fatalf("order %d answered %d times", i, answers[fmt.Sprint(i)])
			}
		}
		if results["done"] < 2 || results["done"]+results["merged"] != 1000 {
			t.Errorf("results %v, want each done or merged, 2 done at least", results)
		}
		if row := r.row("s"); row.Phase != model.Settling {
			t.Errorf("phase %s, want settling", row.Phase)
		}
		if r.net.livingNow("s") != 1 || r.net.most != 1 {
			t.Errorf("%d connections at the end, at most %d at once; want 1, 1", r.net.livingNow("s"), r.net.most)
		}
	})
}

func TestO2_ARefusedRestartLeavesTheServerRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(time.Second)
		pid := r.row("s").PID
		r.mu.Lock()
		r.refuse = &model.Refusal{Field: "reconnect_interval", Text: safe("s.reconnect_interval: a boolean")}
		r.mu.Unlock()
		r.order(model.Restart, "x", "s")
		r.after(time.Second)
		row := r.row("s")
		if row.PID != pid || row.Phase != model.Settling || len(r.net.starts()) != 1 {
			t.Errorf("pid %d → %d, %s, %d starts: it was touched", pid, row.PID, row.Phase, len(r.net.starts()))
		}
		if row.Note.String() != "s.reconnect_interval: a boolean" {
			t.Errorf("note %q", row.Note)
		}
		ev := r.events(model.EvOrder)[0]
		if ev.Outcome.String() != "refused" || ev.Field.String() != "reconnect_interval" {
			t.Errorf("answer %+v", ev)
		}
	})
}

func TestO2_AHungReadRefusesAndBlocksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		r := newRig(t, healthy, func(o *Options) {
			o.Read = func(string) (*model.Spec, *model.Refusal) { <-hang; return nil, nil }
		}, spec("s"))
		defer close(hang)
		r.after(time.Second)
		r.order(model.Restart, "x", "s")
		r.after(11 * time.Second)
		ev := r.events(model.EvOrder)
		if len(ev) != 1 || ev[0].Outcome.String() != "refused" || !ev[0].Elsewhere {
			t.Errorf("answers %+v, want one refusal with the offer of O2", ev)
		}
	})
}

func TestL5_AListenerThatPanicsOrBlocksDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		r := newRig(t, dead, func(o *Options) {
			o.Listeners = append(o.Listeners,
				func(model.Event, uint64) { panic("listener") },
				func(model.Event, uint64) { <-block })
		}, spec("s"))
		defer close(block)
		r.after(40 * time.Second)
		starts := r.net.starts()
		if len(starts) < 3 {
			t.Fatalf("%d starts in 40 s, want at least 3", len(starts))
		}
		if wait := starts[1].at.Sub(starts[0].at); wait < 3750*time.Millisecond || wait > 6250*time.Millisecond {
			t.Errorf("first wait %s, want 3.75 to 6.25 s", wait)
		}
	})
}

func TestA1_TheReportHoldsTheLastStderrLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, dead, nil, spec("s"))
		r.after(time.Second)
		ev := r.events(model.EvAttemptFailed)[0]
		if len(ev.Stderr) != 1 || ev.Stderr[0].String() != "Error: no such database" {
			t.Errorf("stderr %q", ev.Stderr)
		}
		if got := r.row("s").LastFailure.String(); got != "no handshake (exit code 1) · Error: no such database" {
			t.Errorf("last failure %q", got)
		}
	})
}

// TestA1_WhatAServerSaysToAStopIsNoReason: one that is ended by this host says
// something to SIGTERM; one that ends of itself may say why in the pipe's last
// bytes, which come after its exit was seen.
func TestA1_WhatAServerSaysToAStopIsNoReason(t *testing.T) {
	says := func(r *fakeRun, text string) { r.dial.Line(time.Now(), model.LineStderr, safe(text)) }
	for _, c := range []struct {
		name string
		end  model.End
		want string
	}{
		{"ended by this host", model.End{Cause: model.StartTimedOut, Text: safe("no handshake within 30s")}, "[waits for its database]"},
		{"closed, and lives on", model.End{Cause: model.ClosedByPeer}, "[waits for its database]"},
		{"exited", exit(1), "[waits for its database Error: received SIGTERM]"},
		{"killed", model.End{Cause: model.Signalled, Signal: safe("killed")}, "[waits for its database Error: received SIGTERM]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(r *fakeRun) {
					says(r, "waits for its database")
					r.close(c.end)
					says(r, "Error: received SIGTERM")
					r.reap()
				}, nil, spec("s"))
				r.after(10 * time.Second) // the next run has lines of its own
				for _, ev := range r.events(model.EvAttemptFailed) {
					if got := fmt.Sprint(ev.Stderr); got != c.want {
						t.Errorf("told with %s, want %s", got, c.want)
					}
				}
				if got := len(r.events(model.EvAttemptFailed)); got < 2 {
					t.Errorf("%d failed attempts", got)
				}
			})
		})
	}
}

func TestT9_AtMostSoManyAttemptsAreInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var specs []*model.Spec
		for i := range 50 {
			specs = append(specs, spec(fmt.Sprintf("s%02d", i)))
		}
		slow := func(r *fakeRun) {
			time.Sleep(time.Second)
			healthy(r)
		}
		r := newRig(t, slow, func(o *Options) { o.Slots = 4 }, specs...)
		r.after(1500 * time.Millisecond)
		if n := len(r.net.starts()); n != 8 {
			t.Errorf("%d starts after 1.5 s, want 8: two rounds of 4", n)
		}
		if row := r.row("s49"); row.Phase != model.Queued {
			t.Errorf("the last is %s, want queued", row.Phase)
		}
		r.after(15 * time.Second)
		if n := len(r.net.starts()); n != 50 {
			t.Errorf("%d starts, want 50", n)
		}
	})
}

func TestL6_StopTellsNoFailureAndLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.handshake()
			<-r.stopped
			r.close(exit(143))
			time.Sleep(3 * time.Second)
			r.reap()
		}, nil, spec("a"), spec("b"))
		r.after(time.Second)
		began := time.Now()
		r.e.Stop()
		if s := <-r.ended; len(s) != 0 {
			t.Errorf("survivors %v", s)
		}
		if took := time.Since(began); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("stopping took %s, want 3 s: side by side", took)
		}
		if bad := r.events(model.EvAttemptFailed, model.EvLost, model.EvDown, model.EvHalted); len(bad) != 0 {
			t.Errorf("told %v", bad)
		}
		if n := len(r.net.starts()); n != 2 {
			t.Errorf("%d starts", n)
		}
		r.ended <- nil
	})
}

// memory is a Store that outlives engines.
type memory struct{ saved map[string]Saved }

func (m *memory) Load() (map[string]Saved, error) { return m.saved, nil }
func (m *memory) Save(s map[string]Saved) error   { m.saved = s; return nil }

func TestO5_ADisconnectHoldsOverARestartOfTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		withStore := func(o *Options) { o.Store = store }
		r := newRig(t, healthy, withStore, spec("s"), spec("other"))
		r.after(time.Second)
		r.order(model.Disconnect, "d", "s")
		r.after(time.Second)
		since := r.row("s").HeldSince
		r.e.Stop()
		<-r.ended
		r.ended <- nil
		time.Sleep(time.Hour)

		r2 := newRig(t, healthy, withStore, spec("s"), spec("other"))
		r2.after(time.Second)
		row := r2.row("s")
		if row.Phase != model.Off || row.HeldBy.String() != "anna" || !row.HeldSince.Equal(since) {
			t.Errorf("after the restart: %s, held by %q since %s, want off, anna, %s", row.Phase, row.HeldBy, row.HeldSince, since)
		}
		if other := r2.row("other"); other.Phase != model.Settling {
			t.Errorf("the other is %s", other.Phase)
		}
		r2.order(model.Connect, "c", "s")
		r2.after(time.Second)
		if row := r2.row("s"); row.Phase != model.Settling || row.Attempt != 0 {
			t.Errorf("after connect: %s, attempt %d", row.Phase, row.Attempt)
		}
	})
}

func TestSnapshotsComeAtMost15ASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.handshake()
			for {
				select {
				case <-time.After(time.Millisecond):
					r.dial.Line(time.Now(), model.LineStderr, safe("tick"))
				case <-r.stopped:
					r.reap()
					return
				}
			}
		}, nil, spec("s"))
		r.after(time.Second)
		seen, n := uint64(0), 0
		end := time.Now().Add(2 * time.Second)
		for time.Now().Before(end) {
			f, err := r.e.Next(t.Context(), seen)
			if err != nil {
				t.Fatal(err)
			}
			seen = f.Seq
			n++
		}
		if n < 25 || n > 33 {
			t.Errorf("%d snapshots in 2 s of a flood, want about 30", n)
		}
	})
}
