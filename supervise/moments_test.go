package supervise

import (
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

// TestO5_SinceWhenStaysWhereTheHostSleeps: what was held, down and acknowledged
// before the host slept for an hour is so since when it was, in the row and in the
// state file.
func TestO5_SinceWhenStaysWhereTheHostSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ago := func(d time.Duration) time.Time { return time.Now().Add(-d).Round(0) }
		was := map[string]Saved{
			"held": {HeldBy: safe("anna"), HeldSince: ago(time.Hour)},
			"down": {DownSince: ago(2 * time.Hour), AckedBy: safe("anna"), AckedSince: ago(time.Minute)},
		}
		store := &memory{saved: was}
		e := New(Options{Store: store, Read: func(string) (*model.Spec, *model.Refusal) { return nil, nil }},
			[]model.Entry{{Name: "held", Spec: spec("held")}, {Name: "down", Spec: spec("down")}})
		e.start = e.start.Add(time.Hour) // the monotonic clock stood still for so long
		for _, u := range e.units {
			row, want := e.rowOf(u), was[u.name]
			if !row.HeldSince.Equal(want.HeldSince) || !row.DownSince.Equal(want.DownSince) || !row.AckedSince.Equal(want.AckedSince) {
				t.Errorf("%s: held since %v, down since %v, acknowledged since %v, want %+v", u.name, row.HeldSince, row.DownSince, row.AckedSince, want)
			}
		}
		e.saver.dirty = true
		e.saveChanged()
		synctest.Wait()
		for name, got := range store.saved {
			if want := was[name]; !got.HeldSince.Equal(want.HeldSince) || !got.DownSince.Equal(want.DownSince) || !got.AckedSince.Equal(want.AckedSince) {
				t.Errorf("%s: saved %+v, want %+v", name, got, want)
			}
		}
		e.saver.close()
	})
}
