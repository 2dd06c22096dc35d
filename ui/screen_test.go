package ui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rollcall/model"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// bench is an app on a made-up engine at noon, without a terminal.
type bench struct {
	t      testing.TB
	app    *app
	engine *fake
	quit   bool
}

func newBench(t testing.TB, f model.Fleet, width, height int, opts Options) *bench {
	e := newFake(f)
	e.lines["github"], e.events = githubLog(), githubEvents()
	b := &bench{t: t, engine: e}
	b.app = newApp(e, opts, func() tea.Msg { return nil }, func() {})
	b.app.now = func() time.Time { return noon }
	b.app.linesRest = time.Microsecond
	b.send(tea.WindowSizeMsg{Width: width, Height: height}, fleetMsg{f})
	return b
}

// send gives messages to the app and runs the commands that follow, but for
// those that wait for time.
func (b *bench) send(msgs ...tea.Msg) {
	for _, m := range msgs {
		_, cmd := b.app.Update(m)
		b.run(cmd)
	}
	b.app.View()
}

func (b *bench) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			b.run(c)
		}
	case tea.QuitMsg:
		b.quit = true
	default:
		b.send(m)
	}
}

// press gives keys by their names: "j", "enter", "ctrl+c".
func (b *bench) press(keys ...string) {
	for _, k := range keys {
		b.send(keyMsg(k))
	}
}

func keyMsg(name string) tea.KeyPressMsg {
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "tab":
		return tea.KeyPressMsg{Code: tea.KeyTab}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEsc}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "pgup":
		return tea.KeyPressMsg{Code: tea.KeyPgUp}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	case "home":
		return tea.KeyPressMsg{Code: tea.KeyHome}
	case "end":
		return tea.KeyPressMsg{Code: tea.KeyEnd}
	case "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// screen is the plain text of the frame, without spaces at the ends of lines.
func (b *bench) screen() string {
	lines := strings.Split(ansi.Strip(b.app.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (b *bench) line(i int) string { return strings.Split(b.screen(), "\n")[i] }

func (b *bench) footer() string { return strings.TrimSpace(b.line(b.app.height - 1)) }

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

func TestD1_Screens(t *testing.T) {
	empty := model.Fleet{Seq: 1, At: noon, Host: text("edge-7"), Config: text("servers.toml")}
	saved := empty
	saved.Waits = model.Waits{Added: 2}
	broken := empty
	broken.Note = text("servers.toml:7:12: a value is missing after \"=\"")
	for _, c := range []struct {
		name          string
		width, height int
		fleet         model.Fleet
		opts          Options
		keys          []string
	}{
		{"fleet-40x10", 40, 10, tenPhases(), Options{}, nil},
		{"fleet-80x24", 80, 24, tenPhases(), Options{}, nil},
		{"fleet-120x40", 120, 40, tenPhases(), Options{}, nil},
		{"fleet-200x50", 200, 50, tenPhases(), Options{}, nil},
		{"ascii-80x24", 80, 24, tenPhases(), Options{ASCII: true}, nil},
		{"log-80x24", 80, 24, tenPhases(), Options{}, []string{"j", "j", "j", "tab"}},
		{"log-40x10", 40, 10, tenPhases(), Options{}, []string{"j", "j", "j", "tab"}},
		{"log-cut-80x24", 80, 24, tenPhases(), Options{}, []string{"j", "j", "j", "w"}},
		{"log-zoomed-80x24", 80, 24, tenPhases(), Options{}, []string{"j", "j", "j", "z"}},
		{"failures-120x40", 120, 40, tenPhases(), Options{}, []string{"j", "j", "j", "2"}},
		{"details-80x24", 80, 24, tenPhases(), Options{}, []string{"j", "j", "j", "3", "z"}},
		{"details-120x40", 120, 40, tenPhases(), Options{}, []string{"/", "s", "e", "a", "r", "enter", "3", ">", ">", ">"}},
		{"details-refused-80x24", 80, 24, tenPhases(), Options{}, []string{"j", "3"}},
		{"history-120x40", 120, 40, tenPhases(), Options{}, []string{"j", "j", "j", "4"}},
		{"history-40x10", 40, 10, tenPhases(), Options{}, []string{"j", "j", "j", "4", "z"}},
		{"history-80x24", 80, 24, tenPhases(), Options{}, []string{"j", "j", "j", "4"}},
		{"history-ascii-120x40", 120, 40, tenPhases(), Options{ASCII: true}, []string{"j", "j", "j", "4"}},
		{"log-zoomed-40x10", 40, 10, tenPhases(), Options{}, []string{"j", "j", "j", "z"}},
		{"history-200x50", 200, 50, tenPhases(), Options{}, []string{"j", "j", "j", "4"}},
		{"help-80x24", 80, 24, tenPhases(), Options{}, []string{"?"}},
		{"help-120x40", 120, 40, tenPhases(), Options{}, []string{"?"}},
		{"filter-80x24", 80, 24, tenPhases(), Options{}, []string{"/", "c", "r"}},
		{"problems-80x24", 80, 24, tenPhases(), Options{}, []string{"p"}},
		{"confirm-80x24", 80, 24, tenPhases(), Options{}, []string{"*", "r"}},
		{"quit-80x24", 80, 24, tenPhases(), Options{HoldsEngine: true}, []string{"q"}},
		{"empty-80x24", 80, 24, empty, Options{}, nil},
		{"saved-80x24", 80, 24, saved, Options{}, nil},
		{"broken-80x24", 80, 24, broken, Options{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opts.HoldsEngine = !strings.HasPrefix(c.name, "attached")
			b := newBench(t, c.fleet, c.width, c.height, c.opts)
			b.press(c.keys...)
			got := b.screen()
			if n := strings.Count(got, "\n"); n != c.height {
				t.Errorf("%d lines on a screen of %d", n, c.height)
			}
			for line := range strings.Lines(got) {
				if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > c.width {
					t.Errorf("%d cells in a line of %d: %s", w, c.width, line)
				}
			}
			golden(t, c.name, got)
		})
	}
}

func sized(width, height int) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: width, Height: height}
}
