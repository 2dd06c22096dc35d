package supervise

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// startsForever is a start that takes the whole of its timeout, and fails.
func startsForever(r *fakeRun) {
	select {
	case <-time.After(r.dial.Timeout):
		r.close(model.End{Cause: model.StartTimedOut, Text: safe("no handshake in time")})
	case <-r.stopped:
		r.close(model.End{Cause: model.ClosedByHost})
	}
	r.reap()
}

func TestT9_AStartThatHangsHoldsItsSlotUntilItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, startsForever, func(o *Options) { o.Slots = 1 }, spec("a"), spec("b"), spec("c"))
		began := time.Now()
		r.after(65 * time.Second)
		var got []string
		for _, run := range r.net.starts() {
			got = append(got, fmt.Sprintf("%s at %s, within %s", run.spec.Name, run.at.Sub(began), run.dial.Timeout))
		}
		// Each one's timeout runs from its slot, however long it was queued.
		want := []string{"a at 0s, within 30s", "b at 30s, within 30s", "c at 1m0s, within 30s"}
		if !slices.Equal(got, want) {
			t.Errorf("starts %q, want %q", got, want)
		}
	})
}

func TestT9_AnOperatorsOrderComesFirstInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, startsForever, func(o *Options) { o.Slots = 1 }, spec("a"), spec("b"), spec("c"), spec("d"), spec("e"))
		r.after(time.Second)
		r.order(model.Restart, "1", "e")
		r.after(time.Millisecond) // entries are read side by side: one after the other
		r.order(model.Restart, "2", "d")
		r.order(model.Disconnect, "3", "b")
		r.after(95 * time.Second)
		var got []string
		for _, run := range r.net.starts() {
			got = append(got, run.spec.Name)
		}
		if want := []string{"a", "e", "d", "c"}; !slices.Equal(got, want) {
			t.Errorf("started %q, want %q: orders first, who left the queue not at all", got, want)
		}
	})
}

func TestO1_ARestartStormOverManyServers(t *testing.T) {
	const servers, orders, slots = 400, 3, 8
	synctest.Test(t, func(t *testing.T) {
		serve := func(r *fakeRun) {
			select {
			case <-time.After(time.Second):
				healthy(r)
			case <-r.stopped:
				r.close(model.End{Cause: model.ClosedByHost})
				r.reap()
			}
		}
		var specs []*model.Spec
		for i := range servers {
			specs = append(specs, spec(fmt.Sprint(i)))
		}
		r := newRig(t, serve, func(o *Options) { o.Slots = slots }, specs...)
		r.after(2 * time.Minute)
		for n := range orders {
			for i := range servers {
				r.order(model.Restart, fmt.Sprint(i, n), fmt.Sprint(i))
			}
		}
		for range 200 {
			r.after(time.Second)
			starting := 0
			for _, row := range r.fleet().Rows {
				if row.Phase == model.Starting {
					starting++
				}
			}
			if starting > slots {
				t.Fatalf("%d attempts in flight, want at most %d", starting, slots)
			}
		}
		r.after(5 * time.Minute)
		answers := map[string]int{}
		for _, ev := range r.events(model.EvOrder) {
			answers[ev.OrderID]++
		}
		for i := range servers {
			for n := range orders {
				if got := answers[fmt.Sprint(i, n)]; got != 1 {
					t.Fatalf("order %d for server %d was answered %d times", n, i, got)
				}
			}
			if n := r.net.livingNow(fmt.Sprint(i)); n != 1 {
				t.Fatalf("%d connections of server %d", n, i)
			}
		}
		if r.net.most != 1 {
			t.Errorf("%d connections of a server at once", r.net.most)
		}
		for _, row := range r.fleet().Rows {
			if row.Phase != model.Up || row.Attempt != 0 {
				t.Fatalf("%s is %s, attempt %d", row.Server, row.Phase, row.Attempt)
			}
		}
	})
}

// fleet is the newest snapshot.
func (r *rig) fleet() model.Fleet {
	f, err := r.e.Next(context.Background(), 0)
	for err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second/10)
		var newer model.Fleet
		if newer, err = r.e.Next(ctx, f.Seq); err == nil {
			f = newer
		}
		cancel()
	}
	return f
}

func TestX2_KillEndsWhatStopIsWaitingFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.handshake()
			<-r.stopped
			r.close(model.End{Cause: model.ClosedByHost})
			if r.spec.Name == "stubborn" {
				<-r.killed
				r.reap(4711)
				return
			}
			r.reap()
		}, nil, spec("stubborn"), spec("good"))
		r.after(time.Second)
		r.e.Stop()
		r.after(time.Hour)
		select {
		case <-r.ended:
			t.Fatal("it ended with a server that was not reaped")
		default:
		}
		r.e.Kill()
		if s := <-r.ended; len(s) != 1 || s[0] != (Survivor{"stubborn", 4711}) {
			t.Errorf("survivors %v, want stubborn's 4711", s)
		}
		r.ended <- nil
	})
}

func TestC5_ABadDefaultsAlertsOnceForAllThatInheritIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("good"))
		r.after(time.Second)
		bad := func(name, text string, inherit ...string) model.Entry {
			return model.Entry{Name: name, Problems: []model.Problem{
				{Warning: true, Text: safe("a warning")}, {Server: name, Text: safe(text), Inherit: inherit}}}
		}
		r.e.Configure([]model.Entry{
			{Name: "good", Spec: spec("good")},
			bad("a", "defaults.stop_grace: a boolean", "a", "b"),
			bad("b", "defaults.stop_grace: a boolean", "a", "b"),
			bad("c", "c.url: not a URL"), bad("d", "c.url: not a URL"),
		}, true)
		r.after(time.Second)
		var alerted []string
		for _, ev := range r.events(model.EvRefused) {
			alerted = append(alerted, ev.Server)
		}
		if want := []string{"a", "c", "d"}; !slices.Equal(alerted, want) {
			t.Errorf("alerted for %q, want %q", alerted, want)
		}
		for _, row := range r.fleet().Rows {
			if refused := row.Phase == model.Refused; refused == (row.Server == "good") {
				t.Errorf("%s is %s", row.Server, row.Phase)
			}
		}
	})
}

// TestC5_ARefusedRowSaysWhatIsKnown: how the server would be reached, and its
// tags, until its entry is in force.
func TestC5_ARefusedRowSaysWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("a"))
		r.after(time.Second)
		known := &model.Known{Transport: model.Some(model.HTTP), Tags: []redact.Safe{safe("prod")}}
		bad := model.Entry{Name: "b", Known: known, Problems: []model.Problem{{Server: "b", Text: safe("b.url: not a URL")}}}
		r.e.Configure([]model.Entry{{Name: "a", Spec: spec("a")}, bad}, true)
		r.after(time.Second)
		if row := r.row("b"); row.Known != known || row.Shown != nil {
			t.Errorf("of the refused entry %+v is known, want %+v", row.Known, known)
		}
		r.e.Configure([]model.Entry{{Name: "a", Spec: spec("a")}, {Name: "b", Spec: spec("b")}}, true)
		r.after(time.Second)
		if row := r.row("b"); row.Known != nil {
			t.Errorf("once it is in force the row still says %+v", row.Known)
		}
	})
}

func TestC6_ARefusedRowSaysHowManyProblemsThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("good"))
		r.e.Configure([]model.Entry{{Name: "bad", Problems: []model.Problem{{Server: "bad", Field: "url", Text: safe("url: not a URL")},
			{Warning: true, Text: safe("a warning")}, {Server: "bad", Field: "cwd", Text: safe("cwd: is no directory")}}}}, true)
		r.after(time.Second)
		const want = "url: not a URL (and 1 more: rollcall check)"
		if ev := r.events(model.EvRefused); len(ev) != 1 || ev[0].Error.String() != want || ev[0].Field.String() != "url" {
			t.Errorf("the events are %+v", ev)
		}
		for _, row := range r.fleet().Rows {
			if row.Server == "bad" && row.LastFailure.String() != want {
				t.Errorf("the row says %q", row.LastFailure)
			}
		}
	})
}

func TestC8_NewAndRemovedEntriesWaitForReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("old"), spec("stays"))
		r.after(time.Second)
		saved := []model.Entry{{Name: "new", Spec: spec("new")}, {Name: "stays", Spec: spec("stays")}}
		names := func() (out []string) {
			for _, row := range r.fleet().Rows {
				out = append(out, row.Server)
			}
			return out
		}
		r.e.Configure(saved, false)
		r.after(time.Second)
		if got := names(); !slices.Equal(got, []string{"old", "stays"}) || r.row("old").Phase != model.Settling {
			t.Errorf("after the save: %q, old is %s", got, r.row("old").Phase)
		}
		r.e.Configure(saved, true)
		r.after(time.Second)
		if got := names(); !slices.Equal(got, []string{"new", "stays"}) {
			t.Errorf("after the reload: %q", got)
		}
		if r.net.livingNow("old") != 0 || r.net.livingNow("new") != 1 || r.row("stays").Run != 1 {
			t.Errorf("old has %d connections, new %d, stays is at run %d", r.net.livingNow("old"), r.net.livingNow("new"), r.row("stays").Run)
		}
	})
}

func TestO1_AnOrderForAnUnknownServerIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.order(model.Restart, "x", "nobody")
		r.after(time.Second)
		if ev := r.events(model.EvOrder); len(ev) != 1 || ev[0].OrderID != "x" || ev[0].Outcome.String() != "refused" {
			t.Errorf("answers %+v", ev)
		}
		if n := len(r.e.history.server); n != 1 {
			t.Errorf("%d histories are kept: orders for made-up names fill the memory", n)
		}
	})
}
