package ui

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// TestD2_TheClockHasSecondsWhileSomebodyIsThere: nobody touches a key for a
// minute, and the screen stays as it is; then somebody does.
func TestD2_TheClockHasSecondsWhileSomebodyIsThere(t *testing.T) {
	b := newBench(t, model.Fleet{Rows: []*model.Row{{Server: "docs", Phase: model.Up, Since: noon.Add(-time.Hour)}}}, 80, 24, Options{})
	at := noon
	b.app.now = func() time.Time { return at }
	second := func() string {
		at = at.Add(time.Second)
		_, _ = b.app.Update(tickMsg{})
		return b.screen()
	}
	if s := second(); !strings.Contains(s, "14:05:10") {
		t.Errorf("no seconds at first:\n%s", s)
	}
	at = noon.Add(attention)
	first := second()
	if !strings.Contains(first, "   14:06") || strings.Contains(first, "14:06:") {
		t.Errorf("after a minute without a key the clock is not the minute alone:\n%s", first)
	}
	if second() != first {
		t.Error("a screen on which nothing counts was drawn anew")
	}
	b.press("j")
	if s := b.screen(); !strings.Contains(s, "14:06:11") {
		t.Errorf("no seconds after a key:\n%s", s)
	}
}

// TestWhatCanWaitIsDrawnWithTheNextSecond: a latency waits, for it is no news;
// whatever else the engine says is drawn at once.
func TestWhatCanWaitIsDrawnWithTheNextSecond(t *testing.T) {
	f := tenPhases()
	b := newBench(t, f, 120, 40, Options{})
	for name, c := range map[string]struct {
		server string
		change func(*model.Row)
		drawn  bool
	}{
		"a latency":              {"billing", func(r *model.Row) { r.Probe.Latency += 70 * time.Millisecond }, false},
		"lines of another":       {"billing", func(r *model.Row) { r.Lines++; r.StderrLines++; r.StderrBytes += 9 }, false},
		"lines of the selected":  {b.app.table.selected, func(r *model.Row) { r.Lines++ }, true},
		"a probe that timed out": {"billing", func(r *model.Row) { r.Probe.Timeouts++ }, true},
		"a phase":                {"billing", func(r *model.Row) { r.Phase = model.Settling }, true},
	} {
		b.send(fleetMsg{f})
		_, _ = b.app.Update(fleetMsg{with(f, c.server, c.change)})
		if b.app.stale != c.drawn {
			t.Errorf("%s: to be drawn %t, want %t", name, b.app.stale, c.drawn)
		}
		b.app.View()
	}
}
