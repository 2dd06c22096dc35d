package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rollcall/model"
)

// manyFleet is n servers of which the last ones in the file have failed for good.
func manyFleet(n, wrong int) model.Fleet {
	f := quietFleet(n)
	f.At = noon
	for i, r := range f.Rows {
		r.Since, r.Connected = noon.Add(-time.Hour), noon.Add(-time.Hour)
		if i >= n-wrong {
			r.Phase, r.LastFailure, r.LastFailureAt = model.Halted, text("npx not found"), noon.Add(-time.Minute)
		}
	}
	return f
}

// divided is the line between table and pane, empty where there is none.
func (b *bench) divided() string {
	if b.app.pane.zoomed {
		return ""
	}
	return b.line(b.app.places.pane)
}

// visible are the servers whose rows are on the screen.
func (b *bench) visible() (names []string) {
	p := b.app.places
	for _, line := range strings.Split(b.screen(), "\n")[p.table+1 : p.table+p.tableHeight] {
		if f := strings.Fields(strings.TrimLeft(line, "▸◆> ")); len(f) > 0 {
			names = append(names, f[0])
		}
	}
	return names
}

// TestWhatLiesOutsideTheTableIsSaid holds what is said against the rows that
// are on the screen, wherever one is in the table.
func TestWhatLiesOutsideTheTableIsSaid(t *testing.T) {
	for _, keys := range []string{"", "G", "jjjjjjjjjjjjjjjjjjjj", "Gkkkkkkkkkkkkkkkkkkkkk", "s", "sG", "S"} {
		b := newBench(t, manyFleet(60, 3), 160, 24, Options{})
		for _, k := range keys {
			b.press(string(k))
		}
		shown := b.visible()
		if len(shown) < 5 {
			t.Fatalf("after %q only %d rows are on the screen:\n%s", keys, len(shown), b.screen())
		}
		var sides [2][2]int // above and below: all, wrong
		first := indexOf(b.app.table.shown, shown[0])
		for i, r := range b.app.table.shown {
			if slices.Contains(shown, r.Server) {
				continue
			}
			side := &sides[boolInt(i > first)]
			side[0]++
			side[1] += boolInt(r.Phase == model.Halted)
		}
		var want []string
		for i, word := range []string{"above", "below"} {
			if sides[i][0] == 0 {
				continue
			}
			text := fmt.Sprint(sides[i][0], " ", word)
			if sides[i][1] > 0 {
				text += fmt.Sprint(", ", sides[i][1], " wrong")
			}
			want = append(want, text)
		}
		if got := b.divided(); !strings.HasSuffix(got, "─ "+strings.Join(want, " · ")+" ─") {
			t.Errorf("after %q the divider is %q, want %q", keys, got, want)
		}
	}
}

// TestWhatLiesOutsideIsCountedAsProblemsAre: an acknowledged server is none, one
// that is being retried is.
func TestWhatLiesOutsideIsCountedAsProblemsAre(t *testing.T) {
	f := manyFleet(60, 0)
	for i, r := range f.Rows[50:] {
		switch r.LastFailure = text("exit code 1"); i % 3 {
		case 0:
			r.Phase = model.Waiting
		case 1:
			r.Phase, r.AckedSince = model.Waiting, noon
		}
	}
	b := newBench(t, f, 120, 24, Options{})
	b.press("s", "g") // by name
	if got := b.divided(); !strings.Contains(got, " below, 4 wrong ─") {
		t.Errorf("the divider is %q", got)
	}
}

func TestWhatLiesOutsideOfAFilterIsOfItsRows(t *testing.T) {
	b := newBench(t, manyFleet(60, 3), 120, 24, Options{})
	b.press("/")
	for _, k := range "phase:halted" {
		b.press(string(k))
	}
	b.press("enter")
	if got := b.divided(); strings.Contains(got, "below") {
		t.Errorf("all rows of the filter are on the screen, and the divider is %q", got)
	}
	b.press("esc", "/", "5", "enter", "s", "g")
	want := fmt.Sprintf(" %d below", len(b.app.table.shown)-len(b.visible()))
	if got := b.divided(); len(b.app.table.shown) == 60 || !strings.Contains(got, want) {
		t.Errorf("of %d shown the divider is %q, want%s", len(b.app.table.shown), got, want)
	}
}

func TestNothingIsSaidWhereAllRowsAreOnTheScreen(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	for _, k := range []string{"j", "G", "z", "z", "tab"} {
		b.press(k)
		for _, line := range []string{b.divided(), b.footer()} {
			if strings.Contains(line, "below") || strings.Contains(line, "above") || strings.Contains(line, " more") {
				t.Errorf("after %s: %s", k, line)
			}
		}
	}
}

// TestWhatLiesOutsideGivesWayFirst: name and views stay as they are without it,
// and so does what the pane says of itself, but for that it follows, which is
// what it does else. What has no room there is in the footer.
func TestWhatLiesOutsideGivesWayFirst(t *testing.T) {
	for width := 40; width <= 160; width++ {
		few, many := newBench(t, manyFleet(5, 0), width, 24, Options{}), newBench(t, manyFleet(60, 3), width, 24, Options{})
		for _, b := range []*bench{few, many} {
			b.press("s", "g", "tab", "tab") // by name: the same server is selected
			b.says("server-000", 30)
		}
		for _, keys := range []string{"", "tab k tab"} {
			for _, b := range []*bench{few, many} {
				b.press(strings.Fields(keys)...)
			}
			tabs := few.app.pane.tabsEnd(few.app.look, few.app.pane.narrow)
			state := ""
			if keys != "" {
				state = "held: f follows ─"
			}
			without, got := few.divided(), many.divided()
			if begin(without, tabs) != begin(got, tabs) || strings.HasSuffix(without, state) != strings.HasSuffix(got, state) {
				t.Errorf("at %d columns the divider is\n%s\nwithout rows outside it is\n%s", width, got, without)
			}
			if !strings.Contains(got, "3 wrong") && !strings.Contains(got, "3 more wrong") &&
				!strings.Contains(many.footer(), "3 wrong") && !strings.Contains(many.footer(), "3 more wrong") {
				t.Errorf("at %d columns nothing says that 3 are wrong:\n%s", width, many.screen())
			}
			if strings.Contains(got, "wrong") && strings.Contains(many.footer(), "wrong") {
				t.Errorf("at %d columns it is said twice:\n%s", width, many.screen())
			}
		}
	}
}

func begin(line string, cells int) string { return ansi.Truncate(line, cells, "") }

// TestTroubleOutsideHasItsColour, unless it may be no more.
func TestTroubleOutsideHasItsColour(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}} {
		b := newBench(t, manyFleet(60, 3), size[0], size[1], Options{Redact: func(s string) string { return s }})
		b.press("s", "g", "tab", "tab") // the order's words are in the footer until a key
		red := b.app.look.sets[0][bad].on + "3 wrong"
		if !strings.Contains(b.app.View().Content, red) {
			t.Errorf("at %v trouble has no colour:\n%s", size, b.screen())
		}
		b.send(lostMsg{errTest{}})
		if s := b.app.View().Content; strings.Contains(s, red) || !strings.Contains(b.screen(), "3 wrong") {
			t.Errorf("at %v nobody knows whether it is still so:\n%s", size, b.screen())
		}
	}
}

// TestTheDividerIsDraggedByWhatItSays: a click on any of it begins that, but for
// the views' names.
func TestTheDividerIsDraggedByWhatItSays(t *testing.T) {
	b := newBench(t, manyFleet(60, 3), 80, 24, Options{})
	b.press("s", "g")
	line := b.divided()
	y := b.app.places.pane
	for _, word := range []string{"below", "wrong"} {
		x := ansi.StringWidth(line[:strings.Index(line, word)])
		b.send(tea.MouseClickMsg{X: x, Y: b.app.places.pane, Button: tea.MouseLeft})
		y -= 2
		b.send(tea.MouseMotionMsg{X: x, Y: y}, tea.MouseReleaseMsg{})
		if b.app.places.pane != y || b.app.pane.view != logView {
			t.Errorf("dragged by %q to line %d the divider is on %d", word, y, b.app.places.pane)
		}
	}
}

// TestWhereThePaneIsAloneNothingIsOutside: no row is on the screen that another
// could lie below of.
func TestWhereThePaneIsAloneNothingIsOutside(t *testing.T) {
	for _, c := range []struct {
		width, height int
		key           string
	}{{80, 24, "z"}, {40, 10, "tab"}} {
		b := newBench(t, manyFleet(60, 3), c.width, c.height, Options{})
		b.press("G", c.key)
		if s := b.screen(); strings.Contains(s, "above") || strings.Contains(s, "wrong") {
			t.Errorf("%d×%d:\n%s", c.width, c.height, s)
		}
	}
}

func TestOutsideScreens(t *testing.T) {
	for _, c := range []struct {
		name          string
		width, height int
		fleet         model.Fleet
		opts          Options
		keys          string
	}{
		{"outside-80x24", 80, 24, busyFleet(60), Options{}, ""},
		{"outside-middle-80x24", 80, 24, busyFleet(60), Options{}, "G k k k k k k k k k k k k"},
		{"outside-held-80x24", 80, 24, manyFleet(60, 3), Options{}, "s g tab k"},
		{"outside-ascii-80x24", 80, 24, busyFleet(60), Options{ASCII: true}, "G k k k k k k k k k k k k"},
		{"outside-40x10", 40, 10, busyFleet(60), Options{}, "j j j j j j j j"},
		{"outside-ascii-40x10", 40, 10, busyFleet(60), Options{ASCII: true}, "j j j j j j j j"},
		{"outside-200x50", 200, 50, busyFleet(200), Options{}, "G k k k k k k k k k k k k k k k k k k k k k k k k k k k k"},
		{"outside-filter-80x24", 80, 24, manyFleet(200, 12), Options{}, "/ 1 enter s g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.fleet, c.width, c.height, c.opts)
			if strings.Contains(c.name, "held") {
				b.says("server-000", 30)
			}
			b.press(strings.Fields(c.keys)...)
			golden(t, c.name, b.screen())
		})
	}
}
