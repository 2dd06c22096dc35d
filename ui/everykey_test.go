package ui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// situation is what is before the operator as a key comes.
type situation struct {
	name          string
	width, height int
	keys          string // by which one gets there
	change        func(b *bench)
}

var situations = []situation{
	{"table", 80, 24, "j j j", nil},
	{"table, marked", 80, 24, "j j j space", nil},
	{"table, filtered", 80, 24, "/ c r enter", nil},
	{"table, problems only", 80, 24, "p j", nil},
	{"table, nothing shown", 80, 24, "/ z z z enter", nil},
	{"table, no server", 80, 24, "", func(b *bench) { b.send(fleetMsg{model.Fleet{Seq: 9, At: noon}}) }},
	{"table, no room for the pane", 40, 10, "j j j", nil},
	{"table, read only", 80, 24, "j j j", func(b *bench) { b.app.opts.ReadOnly = true }},
	{"table, attached", 80, 24, "j j j", func(b *bench) { b.app.opts.HoldsEngine = false }},
	{"log", 80, 24, "j j j tab k k", nil},
	{"failures", 80, 24, "j j j 2 tab", nil},
	{"details", 80, 24, "j j j 3 tab", nil},
	{"history", 80, 24, "j j j 4 tab k", nil},
	{"pane, searched", 80, 24, "j j j tab / c o n n e c t enter", nil},
	{"pane, lines cut", 80, 24, "j j j tab w > < <", nil},
	{"pane, zoomed", 80, 24, "j j j z", nil},
	{"pane, no room for the table", 40, 10, "j j j tab", nil},
	{"a filter is typed", 80, 24, "/ c r", nil},
	{"a search is typed", 80, 24, "j j j tab / g", nil},
	{"a question on an order", 80, 24, "space space r", nil},
	{"a question on a reload", 80, 24, "R", nil},
	{"a question on quitting", 80, 24, "q", nil},
	{"help", 80, 24, "?", nil},
	{"help, too long", 40, 10, "? j", nil},
}

// fact is something of the dashboard that a key may change.
type fact struct{ name, value string }

// given is what the engine was asked to do.
func (b *bench) given() string {
	var given []string
	for _, o := range b.engine.orders() {
		given = append(given, o.Verb.String()+" "+o.Server)
	}
	for _, r := range b.engine.reloads {
		given = append(given, "reload "+reloadCount(r))
	}
	return strings.Join(given, ", ")
}

// written is the files in the working directory.
func (b *bench) written() []string {
	found, err := os.ReadDir(".")
	if err != nil {
		b.t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}

// facts are all that a key may change, of the model and of what the engine and
// the world outside got.
func (b *bench) facts() []fact {
	a, t, p := b.app, &b.app.table, &b.app.pane
	var marks []string
	for _, r := range t.all {
		if t.marks[r.Server] {
			marks = append(marks, r.Server)
		}
	}
	row := "none"
	if pg, v := a.page(), p.scrolls[p.view]; len(pg.entries) > 0 {
		v.settle(pg)
		row = fmt.Sprintf("%d.%d of %d", pg.index(v.cur)+1, v.cur.sub+1, len(pg.entries))
	}
	question := ""
	if a.mode == asking {
		question = a.question.text
	}
	return []fact{
		{"mode", [...]string{"browsing", "filtering", "searching", "asking", "helping"}[a.mode]},
		{"asks", question},
		{"given", b.given()},
		{"selected", t.selected},
		{"marked", strings.Join(marks, " ")},
		{"filter", t.filter},
		{"shown", fmt.Sprint(len(t.shown))},
		{"sorted", strings.TrimSpace(orderNames[t.by] + map[bool]string{true: " reversed"}[t.reverse])},
		{"problems only", fmt.Sprint(t.only)},
		{"focus", map[place]string{inTable: "table", inPane: "pane"}[a.focus]},
		{"view", viewNames[p.view]},
		{"row", row},
		{"follows", fmt.Sprint(p.scrolls[p.view].follow)},
		{"wraps", fmt.Sprint(p.wrap)},
		{"zoomed", fmt.Sprint(p.zoomed)},
		{"search", p.search},
		{"share", fmt.Sprint(p.share)},
		{"typed", map[bool]string{true: a.input.text}[a.mode == filtering || a.mode == searching]},
		{"help from", fmt.Sprint(a.helpTop)},
		{"files", strings.Join(b.written(), " ")},
		{"stopping", [...]string{"no", "yes", "killing"}[a.stop]},
		{"quit", fmt.Sprint(b.quit)},
		{"says", a.said},
	}
}

// effect presses a key and tells what it changed, `nothing` where it was nothing.
func (b *bench) effect(key string) string {
	before := b.facts()
	var outside []string
	var run func(cmd tea.Cmd)
	run = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch m := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range m {
				run(c)
			}
		case tea.QuitMsg:
			b.quit = true
		default:
			switch fmt.Sprintf("%T", m) { // what Bubble Tea alone sees
			case "tea.setClipboardMsg":
				outside = append(outside, fmt.Sprintf("clipboard %q", m))
			case "tea.execMsg":
				outside = append(outside, "suspends")
			default:
				_, next := b.app.Update(m)
				run(next)
			}
		}
	}
	_, cmd := b.app.Update(keyMsg(key))
	run(cmd)
	b.app.View()
	var changed []string
	for i, f := range b.facts() {
		switch {
		case f == before[i]:
		case f.name == "says" && strings.HasPrefix(f.value, "no shell waits"): // nor does one where tests run
			outside = append(outside, "suspends")
		case f.value == "":
			changed = append(changed, "no "+f.name)
		default:
			changed = append(changed, f.name+" "+f.value)
		}
	}
	if changed = append(changed, outside...); len(changed) == 0 {
		return "nothing"
	}
	return strings.Join(changed, " · ")
}

// at is a dashboard in a situation. It holds an engine that can be left and
// stopped, and a file that waits to be reloaded.
func (s situation) at(t *testing.T) *bench {
	b := newBench(t, tenPhases(), s.width, s.height, Options{HoldsEngine: true, Stop: func() {}, Kill: func() {}, Leave: func() error { return nil },
		Redact: func(s string) string { return s }})
	b.engine.pending = model.Reload{Before: 12, Removed: []string{"old-crm"}}
	b.press(strings.Fields(s.keys)...)
	if s.change != nil {
		s.change(b)
	}
	return b
}

// everyKey is each key of the keymap once, and those that answer a question or
// belong to a line that is typed.
func everyKey() []string {
	var keys []string
	for _, k := range defaultKeys {
		for _, key := range k.keys {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return append(keys, "x", "backspace", "ctrl+u", "ctrl+w", "ctrl+c")
}

// TestD3_EachKeyInEachSituation: what each key does everywhere is a table,
// testdata/keys.golden, by the model and by what the engine was given.
func TestD3_EachKeyInEachSituation(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // W writes there
	var table strings.Builder
	for _, s := range situations {
		fmt.Fprintf(&table, "%s (%s)\n", s.name, strings.TrimSpace(fmt.Sprintf("%d×%d %s", s.width, s.height, s.keys)))
		var effects []string
		of := map[string][]string{}
		for _, key := range everyKey() {
			b := s.at(t)
			e := b.effect(key)
			if of[e] == nil {
				effects = append(effects, e)
			}
			of[e] = append(of[e], key)
			for _, f := range b.written() {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, e := range effects {
			fmt.Fprintf(&table, "  %-14s %s\n", strings.Join(of[e], " "), e)
		}
		table.WriteByte('\n')
	}
	t.Chdir(here)
	golden(t, "keys", table.String())
}

// TestD3_WhoGivesOrders: a key gives its own order, for the server that is
// selected or marked, where there is one and nothing else has the keys; whatever
// the table of TestD3_EachKeyInEachSituation was made to say.
func TestD3_WhoGivesOrders(t *testing.T) {
	t.Chdir(t.TempDir())
	verbs := map[string]string{"r": "restart ", "d": "disconnect ", "c": "connect ", "a": "acknowledge "}
	to := map[string]string{"table": "github", "table, marked": "github", "table, filtered": "github", "table, no room for the pane": "github", "table, attached": "github",
		"log": "github", "failures": "github", "details": "github", "history": "github", "pane, searched": "github", "pane, lines cut": "github", "pane, zoomed": "github",
		"pane, no room for the table": "github", "table, problems only": "legacy-index"}
	yes := map[string]string{"a question on an order": "restart legacy-index, restart notes", "a question on a reload": "reload remove 1"}
	for _, s := range situations {
		for _, key := range everyKey() {
			b := s.at(t)
			b.effect(key)
			want := ""
			switch verb, server := verbs[key], to[s.name]; {
			case verb != "" && server != "" && (key != "a" || server == "github"): // nothing else is down
				want = verb + server
			case key == "y":
				want = yes[s.name]
			}
			if got := b.given(); got != want {
				t.Errorf("%s, %s: the engine was given %q, want %q", s.name, key, got, want)
			}
		}
	}
}
