package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

func TestD3_NoKeyMeansTwoThings(t *testing.T) {
	for _, at := range []place{inTable, inPane} {
		seen := map[string]action{}
		for _, b := range defaultKeys {
			if b.where&at == 0 {
				continue
			}
			for _, k := range b.keys {
				if other, twice := seen[k]; twice {
					t.Errorf("%q means both %d and %d at place %d", k, other, b.do, at)
				}
				seen[k] = b.do
			}
		}
	}
	for do := moveUp; do <= doQuit; do++ {
		found := false
		for _, b := range defaultKeys {
			found = found || b.do == do
		}
		if !found {
			t.Errorf("no key for action %d", do)
		}
	}
}

func TestD3_Keys(t *testing.T) {
	for _, c := range []struct {
		keys string
		says func(a *app) any
		want any
	}{
		{"j j", selected, "ledger"},
		{"down down up", selected, "legacy-index"},
		{"j k k", selected, "notes"},
		{"G", selected, "old-crm"},
		{"G g", selected, "notes"},
		{"pgdown", selected, "old-crm"},
		{"pgdown pgup", selected, "notes"},
		{"s", selected, "notes"}, // the selection stays on its server
		{"s g", selected, "billing"},
		{"s S g", selected, "translate"},
		{"s S p g", selected, "notes"},
		{"p", shownCount, 7},
		{"p p", shownCount, 12},
		{"/ c r m", shownCount, 2},
		{"/ c r m enter", shownCount, 2},
		{"/ c r m enter esc", shownCount, 12},
		{"/ c r m esc", shownCount, 12},
		{"/ c r m backspace backspace backspace", shownCount, 12},
		{"/ h a l t e d", selected, "notes"},
		{"/ g p u", selected, "images"},                 // a tag
		{"/ c r d t l s", selected, "github"},           // one word of the failure: credentials
		{"/ u p space 2 0 0 4", shownCount, 0},          // each word must be found
		{"space space", marked, "legacy-index notes"},   // marking goes on to the next
		{"space space k space", marked, "notes"},        // and is taken back
		{"/ c r m enter *", marked, "crm-sync old-crm"}, // all shown
		{"* esc", marked, ""},
		{"tab", focus, inPane},
		{"enter enter", focus, inTable},
		{"tab esc", focus, inTable},
		{"z", focus, inPane},
		{"z z", focus, inTable},
		{"3", showing, detailView},
		{"2 4", showing, historyView},
		{"w", wraps, false},
		{"> >", share, 900},
		{"<", share, 600},
		{"< < < < < < < < < < <", share, 100},
		{"?", modeOf, helping},
		{"? x", modeOf, browsing},
	} {
		t.Run(c.keys, func(t *testing.T) {
			b := newBench(t, tenPhases(), 120, 50, Options{})
			b.press(strings.Fields(c.keys)...)
			if got := c.says(b.app); got != c.want {
				t.Errorf("got %v, want %v; the screen:\n%s", got, c.want, b.screen())
			}
		})
	}
}

func selected(a *app) any   { return a.table.selected }
func shownCount(a *app) any { return len(a.table.shown) }
func focus(a *app) any      { return a.focus }
func showing(a *app) any    { return a.pane.view }
func wraps(a *app) any      { return a.pane.wrap }
func share(a *app) any      { return a.pane.share }
func modeOf(a *app) any     { return a.mode }

func marked(a *app) any {
	var names []string
	for _, r := range a.table.all {
		if a.table.marks[r.Server] {
			names = append(names, r.Server)
		}
	}
	return strings.Join(names, " ")
}

func TestD3_CopyIsWhatTheCursorIsOn(t *testing.T) {
	b := newBench(t, tenPhases(), 80, 24, Options{})
	b.press("j", "j", "j", "tab", "g", "j", "j", "j", "j")
	cmd := b.app.key(keyMsg("y"))
	if cmd == nil {
		t.Fatal("y did nothing")
	}
	want := "Error: Bad credentials (token ‹GITHUB_TOKEN›)"
	if got := fmt.Sprint(cmd()); got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

func TestD3_SearchInThePane(t *testing.T) {
	b := newBench(t, tenPhases(), 80, 24, Options{})
	line := func() string {
		p := b.app.page()
		return p.entries[p.index(b.app.pane.scrolls[logView].cur)].text
	}
	b.press("j", "j", "j", "tab", "/", "g", "i", "t", "h", "u", "b", "enter")
	if !strings.Contains(line(), "Client.request") {
		t.Errorf("the search went to %q", line())
	}
	b.press("N")
	if !strings.Contains(line(), "github.example") && !strings.Contains(line(), "GITHUB") {
		t.Errorf("N went to %q", line())
	}
	b.press("/", "n", "o", "p", "e", "enter")
	if got := b.footer(); got != "not found: nope" {
		t.Errorf("the footer says %q", got)
	}
}

func TestD3_Mouse(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	p := b.app.places
	b.send(tea.MouseClickMsg{X: 10, Y: p.table + 4, Button: tea.MouseLeft})
	if got := b.app.table.selected; got != "github" {
		t.Errorf("a click on the fourth row selected %q", got)
	}
	b.send(tea.MouseWheelMsg{X: 10, Y: p.table + 2, Button: tea.MouseWheelDown})
	if got := b.app.table.selected; got != "translate" {
		t.Errorf("the wheel went to %q", got)
	}
	b.send(tea.MouseWheelMsg{X: 10, Y: p.table + 2, Button: tea.MouseWheelUp})
	divider := b.line(p.pane)
	x := len([]rune(divider[:strings.Index(divider, "3 details")]))
	b.send(tea.MouseClickMsg{X: x, Y: p.pane, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: x, Y: p.pane})
	if b.app.pane.view != detailView {
		t.Errorf("a click on its name did not show the details, but view %d", b.app.pane.view)
	}
	b.send(tea.MouseClickMsg{X: 100, Y: p.pane, Button: tea.MouseLeft}, tea.MouseMotionMsg{X: 100, Y: 8}, tea.MouseReleaseMsg{})
	if b.app.places.pane != 8 {
		t.Errorf("the divider was dragged to line 8, and is on %d", b.app.places.pane)
	}
	b.send(tea.MouseClickMsg{X: 5, Y: 12, Button: tea.MouseLeft})
	if b.app.focus != inPane {
		t.Error("a click into the pane did not go there")
	}
}

func TestD2_FooterOffersWhatWorks(t *testing.T) {
	holds := Options{HoldsEngine: true}
	b := newBench(t, tenPhases(), 120, 40, holds)
	for _, c := range []struct{ keys, has, hasNot string }{
		{"", "c connect", "esc"},
		{"G", "c connect", "d disconnect"},   // off
		{"G k", "d disconnect", "c connect"}, // up
		{"space", "1 marked", "c nothing"},
		{"space", "esc unmark", "esc show all"},
		{"/ c r enter", "/cr", "c nothing"},
		{"/ c r enter", "esc show all", "esc unmark"},
		{"tab", "tab table", "/ filter"},
	} {
		b := newBench(t, tenPhases(), 120, 40, holds)
		b.press(strings.Fields(c.keys)...)
		if f := b.footer(); !strings.Contains(f, c.has) || strings.Contains(f, c.hasNot) || !strings.HasSuffix(f, "? help  q quit") {
			t.Errorf("after %q the footer is %q", c.keys, f)
		}
	}
	for width := 1; width < 120; width++ {
		b.send(tea.WindowSizeMsg{Width: width, Height: 24})
		if f := b.footer(); width >= 18 && !strings.HasSuffix(f, "? help  q quit") {
			t.Errorf("at %d columns the footer is %q", width, f)
		}
	}
}

func TestD2_HeaderCounts(t *testing.T) {
	for _, width := range []int{80, 120, 200} {
		b := newBench(t, tenPhases(), width, 40, Options{})
		head := b.line(0) + b.line(1)
		for _, want := range []string{"edge-7", "servers.toml", "14:05:09", "● 3", "1 halted", "1 refused", "1 waiting"} {
			if !strings.Contains(head, want) {
				t.Errorf("at %d columns the header does not say %q: %s", width, want, head)
			}
		}
	}
}

// TestD2_SeveralDown: what does not fit is a name, never how many there are.
func TestD2_SeveralDown(t *testing.T) {
	f := tenPhases()
	for i, name := range []string{"search", "images", "docs", "mail"} {
		f = with(f, name, func(r *model.Row) { r.DownSince = noon.Add(-time.Duration(i+1) * time.Minute) })
	}
	known := f
	for _, name := range []string{"billing", "ledger", "notes"} {
		known = with(known, name, func(r *model.Row) { r.DownSince, r.AckedSince = noon, noon })
	}
	for _, c := range []struct {
		fleet model.Fleet
		width int
		want  string
	}{
		{f, 120, " 5 down: github for 13 min, mail for 4 min, docs for 3 min and 2 more"},
		{f, 60, " 5 down: github for 13 min, mail for 4 min and 3 more"},
		{f, 40, " 5 down: github for 13 min and 4 more"},
		{known, 80, " 5 down: github for 13 min, mail for 4 min and 3 more   3 acknowledged"},
		{known, 52, " 5 down: github for 13 … and 4 more   3 acknowledged"},
	} {
		b := newBench(t, c.fleet, c.width, 40, Options{})
		if got := b.line(2); got != c.want {
			t.Errorf("at %d columns the notice is %q, want %q", c.width, got, c.want)
		}
	}
}

// TestD2_TheHeaderDoesNotJump: counts that needed a line of their own keep it for
// a while.
func TestD2_TheHeaderDoesNotJump(t *testing.T) {
	f := tenPhases()
	b := newBench(t, f, 120, 40, Options{})
	few := f
	few.Seq, few.Rows = 2, f.Rows[:1]
	at := noon
	b.app.now = func() time.Time { return at }
	b.send(fleetMsg{few})
	if got := b.line(1); !strings.HasPrefix(got, " ● 1 up") {
		t.Errorf("at once the second line is %q", got)
	}
	at = at.Add(ownLineFor)
	_, _ = b.app.Update(tickMsg{})
	if got := b.line(0); !strings.Contains(got, "● 1 up") {
		t.Errorf("after %v the first line is %q", ownLineFor, got)
	}
}

// TestD3_AKeyOfTheOtherSideSaysSo: nothing is pressed in vain.
func TestD3_AKeyOfTheOtherSideSaysSo(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"tab s", "tab first: s works in the table"},
		{"tab space", "tab first: space works in the table"},
		{"n", "tab first: n works in the pane"},
	} {
		b := newBench(t, tenPhases(), 120, 40, Options{})
		b.press(strings.Fields(c.keys)...)
		if got := b.footer(); got != c.want {
			t.Errorf("after %q the footer is %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestTheHelpSaysWhatIsSo(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{ASCII: true})
	b.press("?")
	for _, want := range []string{"up k down j move", "detach, the servers go on", "has tag x"} {
		if !strings.Contains(b.screen(), want) {
			t.Errorf("%q is not in\n%s", want, b.screen())
		}
	}
}

func TestD3_AClickOnAHeadSorts(t *testing.T) {
	b := newBench(t, tenPhases(), 200, 50, Options{})
	p := b.app.places
	heads := b.line(p.table)
	click := func(head string) {
		x := len([]rune(heads[:strings.Index(heads, head)]))
		b.send(tea.MouseClickMsg{X: x, Y: p.table, Button: tea.MouseLeft})
	}
	click("STARTS")
	if got := b.app.table.shown[0].Server; b.app.table.by != byStarts || got != "github" {
		t.Errorf("sorted by %d, %s first", b.app.table.by, got)
	}
	click("STARTS")
	if !b.app.table.reverse {
		t.Error("a second click does not reverse the order")
	}
	click("SERVER")
	if b.app.table.by != byName || b.app.table.reverse {
		t.Error("a click on another head does not sort by it")
	}
}

func TestD3_AClickInThePaneGoesToItsRow(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	for _, c := range []struct {
		view string
		row  int
		want string
	}{{"1", 4, "Error: Bad credentials"}, {"4", 6, "down           MCP server down (attempt 5)"}} {
		b.press(c.view)
		y := b.app.places.pane + 1 + c.row
		b.send(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft})
		if got := b.line(y); !strings.HasPrefix(got, "▸") || !strings.Contains(got, c.want) {
			t.Errorf("view %s: the row that was clicked is %q", c.view, got)
		}
	}
}
