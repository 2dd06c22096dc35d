package supervise

import (
	"testing"
	"time"

	"rollcall/model"
)

// TestARowThatDidNotChangeIsEqual on a real clock: its times come out the same
// each time that it is made, until the wall clock is stepped.
func TestARowThatDidNotChangeIsEqual(t *testing.T) {
	e := New(Options{Read: func(string) (*model.Spec, *model.Refusal) { return nil, nil }}, []model.Entry{{Name: "docs", Spec: spec("docs")}})
	u := e.units[0]
	first := *e.rowOf(u)
	if first.Since.IsZero() {
		t.Fatal("the row bears no time")
	}
	for range 1000 {
		e.setEpoch()
		if again := *e.rowOf(u); again != first {
			t.Fatalf("made anew the row differs:\n%+v\n%+v", again, first)
		}
	}
	e.epoch = e.epoch.Add(-time.Hour) // as it is after the clock was set forward
	e.setEpoch()
	if off := e.rowOf(u).Since.Sub(first.Since).Abs(); off > maxEpochError {
		t.Errorf("after a step of the clock the row is off by %s", off)
	}
}
