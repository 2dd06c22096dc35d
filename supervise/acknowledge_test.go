package supervise

import (
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

func TestO5_WhatWasAcknowledgedOutlivesTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		halts := func(r *fakeRun) {
			r.close(model.End{Cause: model.CommandMissing, Text: safe("npx not found")})
			r.reap()
		}
		store := &memory{}
		keep := func(o *Options) { o.Store = store }
		r := newRig(t, halts, keep, spec("s"))
		r.after(time.Second)
		r.order(model.Acknowledge, "a", "s")
		r.after(time.Minute)
		row := r.row("s")
		if row.AckedBy.String() != "anna" || row.AckedSince.IsZero() || row.Phase != model.Halted || !row.Pending.IsZero() {
			t.Fatalf("%+v", row)
		}
		r.e.Stop()
		<-r.ended
		r.ended <- nil
		synctest.Wait()

		next := newRig(t, halts, keep, spec("s")) // halts again: no worse
		next.after(time.Minute)
		got := next.row("s")
		if got.AckedBy != row.AckedBy || !got.AckedSince.Equal(row.AckedSince) || !got.DownSince.Equal(row.DownSince) || got.Phase != model.Halted {
			t.Errorf("%+v, before: %+v", got, row)
		}
	})
}

func TestO5_WhatWasAcknowledgedAsDownIsNotAsHalted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{saved: map[string]Saved{"s": {DownSince: time.Now().Add(-time.Hour), AckedBy: safe("anna"), AckedSince: time.Now().Add(-time.Minute)}}}
		broken := make(chan model.End, 1)
		r := newRig(t, func(r *fakeRun) {
			r.close(<-broken)
			r.reap()
		}, func(o *Options) { o.Store = store }, spec("s"))
		r.after(time.Second)
		if row := r.row("s"); row.AckedBy.String() != "anna" {
			t.Errorf("restored: %+v", row)
		}
		broken <- model.End{Cause: model.CommandMissing}
		r.after(time.Second)
		if row := r.row("s"); !row.AckedSince.IsZero() || row.DownSince.IsZero() {
			t.Errorf("halted: %+v, want its episode open and not acknowledged", row)
		}
	})
}

func TestH2_TheRowShowsHowFarItsStopHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.handshake()
			<-r.stopped
			r.close(model.End{Cause: model.ClosedByHost})
			for _, stage := range []model.StopStage{model.Closing, model.TermSent, model.KillSent} {
				r.dial.Report(model.Staged{At: time.Now(), Stage: stage})
				time.Sleep(2500 * time.Millisecond) // virtual
			}
			r.reap()
		}, nil, spec("s"))
		r.after(time.Second)
		if row := r.row("s"); row.Stage != model.Closing || !row.StageAt.IsZero() {
			t.Errorf("settling: %s since %s", row.Stage, row.StageAt)
		}
		r.order(model.Disconnect, "d", "s")
		stopped := time.Now()
		for i, want := range []model.StopStage{model.Closing, model.TermSent, model.KillSent} {
			r.after(time.Second)
			if row := r.row("s"); row.Stage != want || row.StageAt.Sub(stopped).Round(time.Millisecond) != time.Duration(i)*2500*time.Millisecond {
				t.Errorf("%s since %s, want %s", row.Stage, row.StageAt, want)
			}
			r.after(time.Duration(i+1)*2500*time.Millisecond - time.Since(stopped))
		}
		r.after(time.Second)
		if row := r.row("s"); row.Phase != model.Off || !row.StageAt.IsZero() {
			t.Errorf("%s, stage since %s", row.Phase, row.StageAt)
		}
	})
}
