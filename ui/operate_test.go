package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// ackedIn is a fleet in which one open episode was acknowledged.
func ackedIn(f model.Fleet, server string) model.Fleet {
	return with(f, server, func(r *model.Row) {
		r.DownSince = noon.Add(-13 * time.Minute)
		r.AckedBy, r.AckedSince = text("anna (pts/3)"), noon.Add(-5*time.Minute)
	})
}

func TestAnAcknowledgedEpisodeIsQuiet(t *testing.T) {
	f := with(ackedIn(tenPhases(), "github"), "notes", func(r *model.Row) { r.DownSince = noon.Add(-time.Hour) })
	b := newBench(t, f, 200, 50, Options{})
	if got, want := b.line(1), " 1 down: notes for 1 h   1 acknowledged"; got != want {
		t.Errorf("the notice is %q, want %q", got, want)
	}
	var names []string
	for _, r := range b.app.table.shown {
		names = append(names, r.Server)
	}
	if got, want := strings.Join(names, " "), "notes legacy-index ledger images docs translate search mail crm-sync billing github old-crm"; got != want {
		t.Errorf("sorted %s\nwant   %s", got, want)
	}
	if !strings.Contains(b.screen(), "acknowledged by anna (pts/3) 5 min ago · exit code 1") {
		t.Errorf("the row does not say who:\n%s", b.screen())
	}
	b.press("p")
	if place := indexOf(b.app.table.shown, "github"); place >= 0 {
		t.Error("it is still among the problems")
	}
	b.send(fleetMsg{with(f, "github", func(r *model.Row) { r.AckedBy, r.AckedSince = redact.Safe{}, time.Time{} })})
	if place := indexOf(b.app.table.shown, "github"); place < 0 {
		t.Error("it got worse, and is not among the problems")
	}
}

func TestAcknowledgingGivesAnOrder(t *testing.T) {
	f := with(tenPhases(), "notes", func(r *model.Row) { r.DownSince = noon.Add(-time.Hour) })
	b := newBench(t, f, 120, 40, Options{})
	b.press("a")
	given := b.engine.orders()
	if len(given) != 1 || given[0].Verb != model.Acknowledge || given[0].Server != "notes" {
		t.Fatalf("a gave %+v", given)
	}
	b.press("G", "a")
	if got := b.footer(); len(b.engine.orders()) != 1 || !strings.HasPrefix(got, "nothing to acknowledge") {
		t.Errorf("on a server that is not down: %d orders, the footer is %q", len(b.engine.orders()), got)
	}
	b.press("*", "a")
	if got, want := b.footer(), "acknowledge 2 servers: github, notes? y/n"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
	b.press("y")
	if n := len(b.engine.orders()); n != 3 {
		t.Errorf("%d orders, want 3", n)
	}
}

// TestAcknowledgingGoesOnToTheNextProblem: the row sinks, and the table must not
// follow it to its end.
func TestAcknowledgingGoesOnToTheNextProblem(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"j j j a", "images"},
		{"s k k k k k a", "github"}, // sorted by name no row sinks
		{"space a", "legacy-index"},
	} {
		f := with(tenPhases(), "notes", func(r *model.Row) { r.DownSince = noon.Add(-time.Hour) })
		b := newBench(t, f, 120, 40, Options{})
		b.press(strings.Fields(c.keys)...)
		if got := b.app.table.selected; got != c.want {
			t.Errorf("after %q the selection is on %s, want %s", c.keys, got, c.want)
		}
	}
	f := quietFleet(60)
	f = with(f, "server-040", func(r *model.Row) { r.Phase, r.DownSince = model.Waiting, noon })
	b := newBench(t, f, 80, 24, Options{})
	b.press("a")
	if got := b.app.table.selected; got != "server-040" {
		t.Errorf("the last problem is acknowledged, and the selection is on %s", got)
	}
}

func TestO5_TheRowSaysWhoDisconnectedIt(t *testing.T) {
	f := with(tenPhases(), "notes", func(r *model.Row) { r.HeldBy, r.HeldSince = text("bert"), noon.Add(-time.Minute) })
	for _, width := range []int{120, 200} {
		screen := newBench(t, f, width, 40, Options{}).screen()
		for _, want := range []string{"off, by anna (pts/3) 9 d ago", "disconnected by bert 1 min"} {
			if !strings.Contains(screen, want) {
				t.Errorf("at %d columns %q is not on\n%s", width, want, screen)
			}
		}
	}
}

func TestD3_FilterWords(t *testing.T) {
	f := with(tenPhases(), "notes", func(r *model.Row) {
		r.DownSince = noon.Add(-time.Hour)
		r.LastFailure = redact.Word("npx not found: searched /usr/local/zebra/bin:/home/eli/lib:/opt/yarn/current")
	})
	f = with(f, "docs", func(r *model.Row) { r.AckedSince = noon.Add(-time.Minute) })
	for _, c := range []struct{ filter, want string }{
		{"zebra", "notes"},
		{"fund", "notes"}, // letters in order, in one word
		{"zbrlyr", ""},    // but not in a PATH
		{"tag:prod", "billing crm-sync github legacy-index search"},
		{"tag:prod !tag:money", "crm-sync github legacy-index search"},
		{"tag:pr* phase:wait", "github"},
		{"phase:down", "github notes"},
		{"phase:up", "billing docs translate"},
		{"phase:up !docs", "billing translate"},
		{"!PROD !phase:up", "images ledger mail notes old-crm"},
		{"tag:", "billing crm-sync docs github images ledger legacy-index mail notes old-crm search translate"},
		{"!", "billing crm-sync docs github images ledger legacy-index mail notes old-crm search translate"},
		{"tag:none", ""},
		{"tag:pro", ""}, // as on the command line
		{"tag:PROD !tag:mon*", "crm-sync github legacy-index search"},
		{"phase:s", "images mail search"}, // begun
		{"phase:acknowledged", "docs"},
		{"acked !phase:halted", "docs"},
		{"!acked phase:up", "billing translate"},
	} {
		var got []string
		for _, r := range f.Rows {
			if compile(c.filter).matches(r) {
				got = append(got, r.Server)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q shows %q, want %q", c.filter, s, c.want)
		}
	}
}

func TestD1_TheSelectionComesBackAfterAFilter(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j") // github
	for _, away := range []string{"/ b i l l esc", "/ b i l l enter esc", "/ z z z z enter esc", "G k space k k k p p p g p p"} {
		b.press(strings.Fields(away)...)
		if strings.HasPrefix(away, "/") && b.app.table.selected != "github" {
			t.Errorf("after %q the selection is on %s", away, b.app.table.selected)
		}
	}
	b = newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	b.press(strings.Fields("/ b i l l enter r esc")...)
	if got := b.app.table.selected; got != "billing" {
		t.Errorf("after an order among the filtered the selection is on %s", got)
	}
	b = newBench(t, tenPhases(), 120, 40, Options{})
	b.press("G", "p") // old-crm is no problem
	b.press("p")
	if got := b.app.table.selected; got != "old-crm" {
		t.Errorf("after problems only the selection is on %s", got)
	}
}

func TestMarksSurviveAFilter(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press(strings.Fields("/ c r m enter * / b i l l enter")...)
	if got := b.footer(); !strings.HasPrefix(got, "2 marked, 2 not shown") {
		t.Errorf("the footer is %q", got)
	}
	b.press("r")
	if got := b.footer(); !strings.HasPrefix(got, "restart 2 servers: crm-sync, old-crm") {
		t.Errorf("the question is %q", got)
	}
}

func TestManyStartsShowHowFarTheyCame(t *testing.T) {
	f := quietFleet(200)
	f.At = noon
	for i, r := range f.Rows {
		switch {
		case i < 12:
			r.Phase = model.Queued
		case i < 20:
			r.Phase = model.Starting
		case i < 23:
			r.Phase = model.Off
		}
	}
	b := newBench(t, f, 120, 40, Options{})
	if got, want := b.line(1), " starting 177/197 · 12 queued"; got != want {
		t.Errorf("the notice is %q, want %q", got, want)
	}
}

func TestABulkOrderShowsHowFarItCame(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("*", "r", "y")
	given := b.engine.orders()
	for _, o := range given[:3] {
		b.answer(o, model.Done, false, "done")
	}
	b.answer(given[3], model.Declined, false, "github: no")
	if got, want := b.footer(), "restarting 12: 3 done, 1 refused (github: no), waiting for images, ledger, legacy-index and 5 more"; got != want {
		t.Errorf("the footer is %q, want %q", got, want)
	}
}

func TestWarningsStandInTheHeader(t *testing.T) {
	f := tenPhases()
	f.Warnings = []redact.Safe{text("failures.log cannot be written: no space left"), text("the webhook does not answer")}
	b := newBench(t, f, 120, 40, Options{})
	if got, want := b.line(3), " failures.log cannot be written: no space left   the webhook does not answer"; got != want {
		t.Errorf("the fourth line is %q, want %q", got, want)
	}
	b = newBench(t, f, 90, 16, Options{})
	if got := b.line(2); !strings.HasPrefix(got, " 1 down: github for 13 min   failures.log") {
		t.Errorf("on a low screen the notice is %q", got)
	}
	f.Seq++
	f.Warnings = nil
	b.send(fleetMsg{f})
	if strings.Contains(b.screen(), "failures.log") {
		t.Error("it was mended, and still stands there")
	}
}

// TestOthersOrdersAreHeard: what one ordered is counted together for as long as
// it is shown, however late an answer comes.
func TestOthersOrdersAreHeard(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{HoldsEngine: true})
	hear := func(server, by string, at time.Duration, r model.Result) {
		b.engine.change(func(e *fake) {
			n := len(e.events)
			e.events = append(e.events, model.Event{Seq: uint64(1000 + n), At: noon.Add(at), Kind: model.EvOrder, Server: server, OrderID: fmt.Sprint("other", n),
				Order: model.Some(model.Restart), Outcome: redact.Name(r.String()), By: text("%s", by), Text: text("x")})
			e.fleet = with(e.fleet, server, func(r *model.Row) { r.Starts++ })
		})
		b.app.now = func() time.Time { return noon.Add(at + 4*time.Second) }
		f := b.engine.fleet
		f.At = b.app.now()
		b.send(fleetMsg{f})
	}
	for _, c := range []struct {
		server, by string
		at         time.Duration
		result     model.Result
		want       string
	}{
		{"github", "anna", 0, model.Done, "restart github, by anna, 4 s ago"},
		{"docs", "anna", 6 * time.Second, model.Done, "restart 2 servers, by anna, 4 s ago"},
		{"mail", "anna", 15 * time.Second, model.Declined, "restart 3 servers: 2 done, 1 refused, by anna, 4 s ago"},
		{"mail", "anna", 16 * time.Second, model.Done, "restart 3 servers, by anna, 4 s ago"},
		{"notes", "bert", 17 * time.Second, model.Declined, "restart notes refused, by bert, 4 s ago"},
		{"notes", "bert", 40 * time.Second, model.Done, "restart notes, by bert, 4 s ago"},
	} {
		hear(c.server, c.by, c.at, c.result)
		if got := b.footer(); got != c.want {
			t.Errorf("the footer is %q, want %q", got, c.want)
		}
	}
	b.app.now = func() time.Time { return noon.Add(51 * time.Second) }
	b.app.stale, b.app.skew = true, 0
	if got := b.footer(); !strings.HasPrefix(got, "r restart") {
		t.Errorf("11 s later the footer is %q", got)
	}
}

func TestOtherKeysTakeTheirPlace(t *testing.T) {
	opts := Options{HoldsEngine: true, Keys: map[string][]string{"restart": {"x", "ctrl+r"}, "down": {"n"}, "next": {}, "quit": {"f10"}}}
	b := newBench(t, tenPhases(), 120, 40, opts)
	if got := b.footer(); !strings.HasPrefix(got, "ctrl-r restart") || !strings.HasSuffix(got, "f10 quit") {
		t.Errorf("the footer is %q", got)
	}
	b.press("r", "j")
	if n := len(b.engine.orders()); n != 0 || b.app.table.at != 0 {
		t.Errorf("the old keys: %d orders, at %d", n, b.app.table.at)
	}
	b.press("n", "x", "ctrl+r")
	if n := len(b.engine.orders()); n != 2 || b.app.table.at != 1 {
		t.Errorf("the new keys: %d orders, at %d", n, b.app.table.at)
	}
	b.press("?")
	if s := b.screen(); !strings.Contains(s, "x ctrl-r") {
		t.Errorf("the help does not name them:\n%s", s)
	}
}

func TestTheScreenComesBackFromOneCell(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	before := b.screen()
	for _, size := range [][2]int{{1, 1}, {0, 0}, {300, 1}, {1, 80}, {120, 40}} {
		b.send(sized(size[0], size[1]))
	}
	if after := b.screen(); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

// TestD1_ScreensOfEachView has a golden screen of each view at each size, of a
// fleet in which there is every phase.
func TestD1_ScreensOfEachView(t *testing.T) {
	for view, keys := range map[string]string{"viewlog": "j j j", "viewfailures": "j j j 2", "viewdetails": "j j j 3", "viewhistory": "j j j 4", "viewhelp": "?"} {
		for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 50}} {
			name := fmt.Sprintf("%s-%dx%d", view, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				b := newBench(t, tenPhases(), size[0], size[1], Options{HoldsEngine: true})
				b.press(strings.Fields(keys)...)
				golden(t, name, b.screen())
			})
		}
	}
}

func TestTheHelpScrollsWhereItIsTooLong(t *testing.T) {
	b := newBench(t, tenPhases(), 40, 10, Options{})
	b.press("?", "G")
	if s := b.screen(); b.app.mode != helping || !strings.Contains(s, "off: not wanted") {
		t.Errorf("the end of the help is not shown:\n%s", s)
	}
	if b.press("x"); b.app.mode != browsing {
		t.Error("another key does not leave it")
	}
	b = newBench(t, tenPhases(), 120, 40, Options{})
	if b.press("?", "j"); b.app.mode != browsing {
		t.Error("where all of it is shown, a key does not leave it")
	}
}
