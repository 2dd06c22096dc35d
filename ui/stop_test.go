package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// stopper is what the holder of an engine gives the dashboard.
type stopper struct{ stops, kills int }

func (s *stopper) options() Options {
	return Options{HoldsEngine: true, Stop: func() { s.stops++ }, Kill: func() { s.kills++ }}
}

// pressAlone gives a key, and runs nothing that follows from it: what it starts
// goes on meanwhile.
func (b *bench) pressAlone(key string) (did func()) {
	_, cmd := b.app.Update(keyMsg(key))
	b.app.View()
	return func() { b.run(cmd) }
}

func TestX2_TheScreenStaysWhileItStops(t *testing.T) {
	var s stopper
	f := tenPhases()
	b := newBench(t, f, 120, 40, s.options())
	b.press("q")
	if b.quit || s.stops > 0 {
		t.Fatal("it stopped before the question was answered")
	}
	ended := b.pressAlone("y")
	f = with(f, "docs", func(r *model.Row) {
		r.Phase, r.Stage, r.Since, r.StageAt = model.Stopping, model.TermSent, noon.Add(-5*time.Second), noon.Add(-2*time.Second)
	})
	f.Rows = []*model.Row{row(f, "docs"), row(f, "mail"), row(f, "notes")}
	f.Stopping = true
	b.send(fleetMsg{f})
	if got, want := b.line(2), " stopping 2 servers: docs (TERM sent, 2 s), mail (closing, 1 s); press q again to kill"; got != want {
		t.Errorf("the notice is\n%q, want\n%q", got, want)
	}
	if got := b.footer(); !strings.HasSuffix(got, "q kill") {
		t.Errorf("the footer is %q", got)
	}
	b.press("q")
	if s.kills != 1 || b.quit {
		t.Errorf("a second q: %d kills, quits %t", s.kills, b.quit)
	}
	if got := b.line(2); !strings.HasPrefix(got, " killing 2 servers: docs") || strings.Contains(got, "press") {
		t.Errorf("the notice is %q", got)
	}
	b.press("q")
	b.send(lostMsg{errTest{}}) // the engine has ended
	if strings.Contains(b.screen(), "engine lost") || s.kills != 1 {
		t.Errorf("%d kills; the screen is\n%s", s.kills, b.screen())
	}
	ended()
	if s.stops != 1 || !b.quit {
		t.Errorf("%d stops, quits %t", s.stops, b.quit)
	}
}

func row(f model.Fleet, server string) *model.Row { return f.Rows[indexOf(f.Rows, server)] }

func TestX2_TheNoticeOfAStopKeepsItsKey(t *testing.T) {
	var s stopper
	b := newBench(t, tenPhases(), 80, 24, s.options())
	b.press("q")
	b.pressAlone("y")
	if got := b.line(2); !strings.HasSuffix(got, "; press q again to kill") {
		t.Errorf("the notice is %q", got)
	}
}

func TestX2_ASignalStopsWithoutAsking(t *testing.T) {
	var s stopper
	b := newBench(t, tenPhases(), 120, 40, s.options())
	_, stop := b.app.Update(stopMsg{})
	_, kill := b.app.Update(stopMsg{})
	b.run(kill)
	b.run(stop)
	if s.stops != 1 || s.kills != 1 || !b.quit {
		t.Errorf("%d stops, %d kills, quits %t", s.stops, s.kills, b.quit)
	}
}

func TestN2_QuittingAnAttachedDashboardAsksNothing(t *testing.T) {
	for _, key := range []string{"q", "Q", "ctrl+c"} {
		b := newBench(t, tenPhases(), 120, 40, Options{})
		if got := b.footer(); !strings.HasSuffix(got, "q detach") {
			t.Errorf("the footer is %q", got)
		}
		if b.press(key); !b.quit {
			t.Errorf("%s does not detach", key)
		}
	}
}

func TestN6_LeavingKeepsTheServers(t *testing.T) {
	var s stopper
	opts := s.options()
	b := newBench(t, tenPhases(), 120, 40, opts)
	if b.press("Q"); b.quit || !strings.Contains(b.footer(), "q stops the servers") {
		t.Errorf("without a way to leave: quits %t, the footer is %q", b.quit, b.footer())
	}
	why := errors.New("no socket")
	opts.Leave, opts.Redact = func() error { return why }, func(s string) string { return s }
	b = newBench(t, tenPhases(), 120, 40, opts)
	if b.press("Q"); b.quit || b.footer() != "not left: no socket" {
		t.Errorf("quits %t, the footer is %q", b.quit, b.footer())
	}
	why = nil
	if b.press("Q"); !b.quit || s.stops > 0 {
		t.Errorf("quits %t after %d stops", b.quit, s.stops)
	}
}

// TestX2_WhatWasStoppedIsNotDisabled: while rollcall stops, a row that is off
// says so, and no order is offered that would be refused.
func TestX2_WhatWasStoppedIsNotDisabled(t *testing.T) {
	f := tenPhases()
	for _, r := range f.Rows {
		f = with(f, r.Server, func(r *model.Row) { r.Phase, r.HeldSince, r.Note = model.Off, time.Time{}, text("") })
	}
	f.Stopping = true
	b := newBench(t, f, 120, 50, Options{HoldsEngine: true})
	b.press("3")
	screen := b.screen()
	if strings.Contains(screen, "disabled in the configuration") || !strings.Contains(screen, "off, rollcall is stopping") || strings.Contains(screen, "c connects") {
		t.Errorf("the screen is\n%s", screen)
	}
	for _, keys := range []string{"j", "space"} {
		b.press(keys)
		if got := b.footer(); strings.Contains(got, "restart") || strings.Contains(got, "connect") || !strings.HasSuffix(got, "q quit") {
			t.Errorf("the footer is %q", got)
		}
	}
}
