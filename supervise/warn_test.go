package supervise

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// configTexts are the texts of the config events so far.
func configTexts(r *rig) []string {
	var out []string
	for _, ev := range r.events(model.EvConfig) {
		out = append(out, ev.Text.String())
	}
	return out
}

func warningsOf(t *testing.T, e *Engine) string {
	f, err := e.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(f.Warnings)
}

func TestA4_AWarningIsShownUntilItIsTakenAwayAndToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.e.Warn("webhook", safe("the webhook does not answer"))
		r.e.Warn("log", safe("failures.log cannot be written"))
		r.e.Warn("log", safe("failures.log cannot be written; 2 lines lost"))
		r.e.Warn("none", redact.Safe{})
		r.after(time.Second)
		if got, want := warningsOf(t, r.e), "[failures.log cannot be written; 2 lines lost the webhook does not answer]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		r.e.Warn("log", redact.Safe{})
		r.e.Warn("log", redact.Safe{})
		r.after(time.Second)
		if got, want := warningsOf(t, r.e), "[the webhook does not answer]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		want := []string{"the webhook does not answer", "failures.log cannot be written", "no longer: failures.log cannot be written; 2 lines lost"}
		if got := configTexts(r); !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

func TestA4_AWarningThatFlickersIsToldOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		flicker := func() {
			r.e.Warn("log", safe("failures.log cannot be written"))
			r.e.Warn("log", redact.Safe{})
			r.after(time.Second)
		}
		for range 30 {
			flicker()
		}
		if got := len(configTexts(r)); got != 2 {
			t.Errorf("told %d times within half a minute, want that it came and went", got)
		}
		r.e.Warn("log", safe("failures.log cannot be written"))
		r.after(time.Second)
		if got := warningsOf(t, r.e); got != "[failures.log cannot be written]" {
			t.Errorf("the header says %s: it must, told or not", got)
		}
		r.after(29 * time.Second) // a minute since it was told
		r.e.Warn("log", safe("failures.log cannot be written; 2 lines lost"))
		r.after(time.Second)
		if got := len(configTexts(r)); got != 3 {
			t.Errorf("told %d times, want it told once the minute was over", got)
		}
	})
}

// TestL5_AListenerMayWarnOfEachEvent: what it says is an event too, and must
// neither block it nor come round for ever.
func TestL5_AListenerMayWarnOfEachEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e atomic.Pointer[Engine]
		calls := 0
		r := newRig(t, healthy, func(o *Options) {
			o.Listeners = append(o.Listeners, func(model.Event, uint64) {
				if e := e.Load(); e != nil && calls < 1000 { // it would come round for ever
					calls++
					e.Warn("log", redact.Sprintf("failures.log cannot be written; %d lines lost", redact.Int(calls)))
					if calls%2 == 0 { // a disk that fills and is emptied
						e.Warn("log", redact.Safe{})
					}
				}
			})
		}, spec("s"))
		e.Store(r.e)
		r.after(90 * time.Second) // synctest.Wait returns: it has come to rest
		if got := len(configTexts(r)); got < 1 || got > 4 {
			t.Errorf("told %d times, want once when it came and once when it was gone, each minute", got)
		}
	})
}

func TestWarnAfterTheEndDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.e.Stop()
		<-r.ended
		r.ended <- nil
		r.e.Warn("log", safe("late"))
	})
}
