package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rollcall/model"
)

// with is a fleet in which one server's row was replaced by a changed copy.
func with(f model.Fleet, server string, change func(r *model.Row)) model.Fleet {
	f.Seq++
	f.Rows = slices.Clone(f.Rows)
	for i, r := range f.Rows {
		if r.Server == server {
			c := *r
			change(&c)
			f.Rows[i] = &c
		}
	}
	return f
}

func TestD1_ProblemsComeFirst(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	var names []string
	for _, r := range b.app.table.shown {
		names = append(names, r.Server)
	}
	got := strings.Join(names, " ")
	want := "notes legacy-index ledger github images docs translate search mail crm-sync billing old-crm"
	if got != want {
		t.Errorf("sorted %s\nwant   %s", got, want)
	}
}

func TestD1_SelectionStaysOnItsServer(t *testing.T) {
	f := tenPhases()
	b := newBench(t, f, 120, 40, Options{})
	b.press("G", "k") // billing, up, near the end
	f = with(f, "billing", func(r *model.Row) { r.Phase = model.Halted })
	b.send(fleetMsg{f})
	if r := b.app.table.row(); r.Server != "billing" || b.app.table.at > 1 {
		t.Errorf("selected is %s at %d", r.Server, b.app.table.at)
	}
	f.Rows = slices.DeleteFunc(slices.Clone(f.Rows), func(r *model.Row) bool { return r.Server == "billing" })
	b.send(fleetMsg{f})
	if r := b.app.table.row(); r == nil || r.Server == "billing" {
		t.Errorf("after the selected server went, selected is %v", r)
	}
}

func TestD1_SelectedRowIsVisible(t *testing.T) {
	b := newBench(t, busyFleet(500), 80, 24, Options{})
	for _, k := range []string{"G", "k", "pgup", "pgup", "g", "pgdown", "j", "G"} {
		b.press(k)
		if r := b.app.table.row(); !strings.Contains(b.screen(), "▸  "+r.Server[:6]) {
			t.Errorf("after %s %s is not on the screen:\n%s", k, r.Server, b.screen())
		}
	}
}

func TestD1_ColumnsGoInOrder(t *testing.T) {
	stay := []column{colName, colPhase, colAttempt, colNext, colFailure}
	drop := []column{colTags, colVia, colStarts, colProbe, colFor}
	has := func(l layout, c column) bool {
		return slices.ContainsFunc(l.fields, func(f field) bool { return f.col == c })
	}
	for width := 40; width <= 260; width++ {
		l := layoutFor(width, longest{name: 20, tags: 12, lasting: 3})
		for _, c := range stay {
			if !has(l, c) {
				t.Errorf("at %d columns column %d is missing", width, c)
			}
		}
		for i := 1; i < len(drop); i++ {
			if has(l, drop[i-1]) && !has(l, drop[i]) {
				t.Errorf("at %d columns column %d is there, and %d, which goes later, is not", width, drop[i-1], drop[i])
			}
		}
		failure := l.fields[len(l.fields)-1]
		if l.rest(l.fields, width) != failure.width || failure.width < 5 {
			t.Errorf("at %d columns the last failure has %d", width, failure.width)
		}
	}
	if l := layoutFor(200, longest{name: 20, tags: 12, lasting: 3}); len(l.fields) != 10 {
		t.Errorf("at 200 columns there are %d fields, want all 10", len(l.fields))
	}
}

// TestNothingSpills draws every view on every small screen, and on some large
// ones, with texts full of wide characters.
func TestNothingSpills(t *testing.T) {
	f := with(tenPhases(), "notes", func(r *model.Row) {
		r.LastFailure = text("日本語のエラーメッセージ👩‍👩‍👧‍👦が出ました é́ %s", strings.Repeat("界", 200))
		r.DownSince = noon.Add(-time.Hour)
	})
	b := newBench(t, f, 80, 24, Options{HoldsEngine: true})
	check := func(w, h int, what string) {
		t.Helper()
		lines := strings.Split(b.app.View().Content, "\n")
		if len(lines) > h {
			t.Fatalf("%s on %d×%d: %d lines", what, w, h, len(lines))
		}
		for i, line := range lines {
			if n := ansi.WcWidth.StringWidth(line); n > w {
				t.Fatalf("%s on %d×%d: line %d has %d cells: %q", what, w, h, i, n, ansi.Strip(line))
			}
		}
	}
	keys := []string{"G", "g", "j", "j", "j", "tab", "w", "k", "2", "3", "4", "z", "w", "z", "?", "x", "/", "c", "esc", "*", "r", "n", "esc", "q", "n", "1", "p", "p"}
	for _, h := range []int{1, 2, 3, 5, 8, 13, 24, 50} {
		for _, w := range []int{1, 2, 5, 9, 17, 40, 41, 60, 80, 119, 200, 300} {
			b.send(tea.WindowSizeMsg{Width: w, Height: h})
			check(w, h, "at first")
			for _, k := range keys {
				b.press(k)
				check(w, h, "after "+k)
			}
		}
	}
}

func TestD9_GlyphsAreDistinctAndOfOneCell(t *testing.T) {
	for _, glyphs := range [][model.Phases]string{phaseGlyphs, phaseASCII} {
		seen := map[string]bool{}
		for p, g := range glyphs {
			if ansi.StringWidth(g) != 1 || ansi.StringWidthWc(g) != 1 {
				t.Errorf("%s's glyph %q is not of one cell", model.Phase(p), g)
			}
			if seen[g] {
				t.Errorf("%q stands for two phases", g)
			}
			seen[g] = true
		}
	}
}

func TestD9_ASCIIIsASCII(t *testing.T) {
	f := tenPhases()
	for i, r := range f.Rows { // texts are the servers' own
		c := *r
		c.LastFailure, c.Shown, c.Note = text("exit code 1"), nil, text("")
		f.Rows[i] = &c
	}
	f.Host = text("edge-7")
	b := newBench(t, f, 120, 40, Options{ASCII: true})
	for _, k := range []string{"j", "space", "s", "4", "2", "3", "z", "z", "?", "x", "*", "r"} {
		b.press(k)
		for line := range strings.Lines(b.screen()) {
			for _, r := range line {
				if r > '~' && !strings.Contains(line, "github") {
					t.Fatalf("after %s: %q in %s", k, r, line)
				}
			}
		}
	}
}

func TestD9_ColourIsNeverTheOnlySign(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	screen := b.screen() // without any style
	for p := range model.Phases {
		if !strings.Contains(screen, phaseGlyphs[p]+" "+p.String()) {
			t.Errorf("%s has no glyph and word on the screen", p)
		}
	}
	if !strings.Contains(screen, "▸  notes") {
		t.Error("the selected row has no sign")
	}
}

func TestCountdownFollowsTheEnginesClock(t *testing.T) {
	for _, off := range []time.Duration{0, 300 * time.Millisecond, time.Hour, -time.Hour, -25 * time.Hour} {
		f := tenPhases()
		b := newBench(t, f, 120, 40, Options{})
		b.app.now = func() time.Time { return noon.Add(off) }
		b.app.frame, b.app.stale = "", true
		b.send(fleetMsg{f})
		if !strings.Contains(b.screen(), "4:12") {
			t.Errorf("with a clock that is off by %v:\n%s", off, b.screen())
		}
	}
}

func TestAFrameIsBuiltOnlyWhereSomethingChanged(t *testing.T) {
	f := tenPhases()
	b := newBench(t, f, 120, 40, Options{})
	b.app.frame = "unchanged"
	f.Seq++
	f.At = f.At.Add(time.Second / 15)
	b.send(fleetMsg{f}, tea.EnvMsg(nil), tea.KeyReleaseMsg{Code: 'j'}, linesMsg{server: "notes"}, answersMsg{})
	if got := b.app.View().Content; got != "unchanged" {
		t.Error("the frame was built anew, and nothing had changed")
	}
	b.app.Update(fleetMsg{with(f, "docs", func(r *model.Row) { r.Starts++ })})
	if got := b.app.View().Content; got == "unchanged" {
		t.Error("the frame was not built anew, and a row had changed")
	}
}

func TestD11_ALostEngineSaysSo(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{Redact: func(s string) string { return "‹" + s + "›" }})
	b.send(lostMsg{errTest{}})
	if got := b.line(2); !strings.Contains(got, "engine lost 0 s ago (q quits), trying again: ‹gone›") {
		t.Errorf("the notice is %q", got)
	}
	b.app.now = func() time.Time { return noon.Add(3 * time.Second) }
	b.send(lostMsg{errTest{}})
	if got := b.line(2); !strings.HasPrefix(got, " engine lost 3 s ago (q quits), trying again: ‹gone›") || !strings.Contains(b.screen(), "4:12") {
		t.Errorf("3 s later the notice is %q, or a countdown went on:\n%s", got, b.screen())
	}
	b.send(fleetMsg{tenPhases()})
	if strings.Contains(b.screen(), "engine lost") {
		t.Error("it is back, and still lost")
	}
}

type errTest struct{}

func (errTest) Error() string { return "gone" }

// TestD1_TheWorstIsOnTheScreenBeforeAnyoneComes: rows that come up one after
// another leave problems above what is visible, if the selection held the view.
func TestD1_TheWorstIsOnTheScreenBeforeAnyoneComes(t *testing.T) {
	f := quietFleet(60)
	f.At = noon
	b := newBench(t, f, 80, 24, Options{})
	f = with(f, "server-040", func(r *model.Row) { r.Phase, r.LastFailure = model.Halted, text("npx not found") })
	b.send(fleetMsg{f})
	if !strings.Contains(b.screen(), "server-040") || b.app.table.selected != "server-040" {
		t.Errorf("what is wrong is not on the screen:\n%s", b.screen())
	}
	b.press("j")
	b.send(fleetMsg{with(f, "server-050", func(r *model.Row) { r.Phase = model.Halted })})
	if got := b.app.table.selected; got != "server-000" {
		t.Errorf("the selection was moved to %s while somebody was there", got)
	}
}

func TestD1_TheFirstKeyMeansTheRowThatWasShown(t *testing.T) {
	f := tenPhases()
	b := newBench(t, f, 80, 24, Options{})
	f = with(f, "billing", func(r *model.Row) { r.Phase = model.Halted })
	b.send(fleetMsg{f})
	shown := b.app.table.row().Server
	b.press("2")
	b.send(fleetMsg{with(f, "search", func(r *model.Row) { r.Starts++ })})
	if got := b.app.table.row().Server; got != shown {
		t.Errorf("%s was selected; after a key that selects nothing it is %s", shown, got)
	}
}

// TestD1_ALongNameTakesNoColumnOff: its own cells are bounded, and what is cut
// is its middle.
func TestD1_ALongNameTakesNoColumnOff(t *testing.T) {
	f := tenPhases()
	long := strings.Repeat("slow-probe-", 5)
	f.Rows[0].Server, f.Rows[1].Server = long+"east", long+"west"
	b := newBench(t, f, 120, 40, Options{})
	heads := b.line(b.app.places.table)
	if !strings.Contains(heads, "PROBE") {
		t.Errorf("the heads are %s", heads)
	}
	if s := b.screen(); !strings.Contains(s, "slow-pro…obe-east") || !strings.Contains(s, "slow-pro…obe-west") {
		t.Errorf("the two cannot be told apart:\n%s", s)
	}
	for width := 40; width <= 260; width++ {
		short, long := layoutFor(width, longest{name: 12, tags: 12, lasting: 3}), layoutFor(width, longest{name: 64, tags: 12, lasting: 3})
		if width >= 80 && len(long.fields) < len(short.fields) {
			t.Errorf("at %d columns a long name leaves %d of %d columns", width, len(long.fields), len(short.fields))
		}
	}
}

func TestD1_TheSortsSignLeavesItsHead(t *testing.T) {
	for _, width := range []int{80, 120, 200} {
		b := newBench(t, tenPhases(), width, 40, Options{})
		for range orders - 1 {
			b.press("s")
			heads := b.line(b.app.places.table)
			if i := strings.Index(heads, "▼"); b.app.table.by != byProblem && i < 0 || i > 0 && strings.HasSuffix(heads[:i], "…") {
				t.Errorf("at %d columns the heads are %s", width, heads)
			}
		}
	}
}
