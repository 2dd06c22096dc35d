package ui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// says adds lines to a server's tail, and tells of it.
func (b *bench) says(server string, n int) {
	f := with(b.app.fleet, server, func(r *model.Row) {
		b.engine.change(func(e *fake) {
			for range n {
				r.Lines++
				r.StderrLines++
				r.StderrBytes += 100
				e.lines[server] = append(e.lines[server], model.Line{Seq: r.Lines, At: noon, Text: text("line %d %s", r.Lines, strings.Repeat("long ", 20))})
			}
		})
	})
	b.send(fleetMsg{f})
}

// body is the pane below its divider.
func (b *bench) body() string {
	p := b.app.places
	return strings.Join(strings.Split(b.screen(), "\n")[p.pane+1:p.pane+p.paneHeight], "\n")
}

func TestD5_FollowsWhatArrives(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	b.says("github", 50)
	if !strings.Contains(b.body(), "line 59") || !strings.Contains(b.line(b.app.places.pane), "following") {
		t.Errorf("the newest line is not there:\n%s", b.screen())
	}
	b.says("github", 1)
	if !strings.Contains(b.body(), "line 60") {
		t.Errorf("the newest line is not there:\n%s", b.screen())
	}
}

func TestD5_ScrolledUpItStaysWhereItIs(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j", "tab")
	b.says("github", 50)
	b.press("pgup", "k", "k")
	before := b.body()
	b.says("github", 7)
	if got := b.body(); got != before {
		t.Errorf("it moved:\n%s\nbefore:\n%s", got, before)
	}
	if got := b.line(b.app.places.pane); !strings.Contains(got, "7 new: f follows") {
		t.Errorf("the divider says %q", got)
	}
	for range 9 { // more than the pane holds
		b.says("github", 900)
	}
	if got := b.body(); got != before {
		t.Errorf("a flood moved it:\n%s\nbefore:\n%s", got, before)
	}
	if got := b.line(b.app.places.pane); !strings.Contains(got, "8107 new: f follows") || len(b.app.pane.log) > maxHeld+maxLines {
		t.Errorf("the divider says %q, the pane holds %d", got, len(b.app.pane.log))
	}
	b.press("f")
	if !strings.Contains(b.body(), "line 8166") || strings.Contains(b.line(b.app.places.pane), "new") {
		t.Errorf("f does not follow:\n%s", b.screen())
	}
}

func TestD5_GoingBackToTheEndFollowsAgain(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j", "tab", "k")
	if b.app.pane.scrolls[logView].follow {
		t.Error("it still follows after k")
	}
	b.press("j")
	if !b.app.pane.scrolls[logView].follow {
		t.Error("it does not follow at the end")
	}
}

func TestD5_ALineLongerThanThePaneCanBeRead(t *testing.T) {
	b := newBench(t, tenPhases(), 80, 24, Options{})
	words := make([]string, 800)
	for i := range words {
		words[i] = "word" + strconv.Itoa(i)
	}
	b.engine.lines["github"] = []model.Line{{Seq: 9, At: noon, Text: text("%s", strings.Join(words, " "))}}
	b.press("j", "j", "j", "tab", "g")
	seen := map[string]bool{}
	for range 400 {
		for _, w := range strings.Fields(b.body()) {
			seen[w] = true
		}
		b.press("j")
	}
	for _, w := range words {
		if !seen[w] {
			t.Fatalf("%s was never on the screen", w)
		}
	}
}

func TestD5_DroppedLinesAreCounted(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	if !strings.Contains(b.body(), "(2 earlier lines no longer kept)") {
		t.Errorf("lines 1 and 2 are gone without a word:\n%s", b.body())
	}
}

func TestD5_FailureLinesAreSetOff(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	for _, want := range []string{"14:04:21 ! reconnect failed", "14:04:21 | Error", "14:04:20 # > github-mcp", "14:04:20   starting"} {
		if !strings.Contains(b.body(), want) {
			t.Errorf("%q is not in\n%s", want, b.body())
		}
	}
}

func TestThePaneBelongsToTheSelectedServer(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	if !strings.Contains(b.body(), "Bad credentials") {
		t.Fatalf("github's lines are not there:\n%s", b.body())
	}
	b.press("j")
	if strings.Contains(b.body(), "Bad credentials") {
		t.Errorf("github's lines are still there:\n%s", b.body())
	}
	b.send(linesMsg{"github", githubLog()}) // read before the selection moved
	if strings.Contains(b.body(), "Bad credentials") {
		t.Errorf("late lines of another server are shown:\n%s", b.body())
	}
}

func TestD6_HistoryTellsOfProbesInOneLine(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.engine.noDay = true
	b.press("j", "j", "j", "4")
	body := b.body()
	if !strings.Contains(body, "probes ▁▁▁▂▃█▂▁ 4 ms to 30 ms") || strings.Contains(body, "alive") {
		t.Errorf("the history is\n%s", body)
	}
	b.engine.change(func(e *fake) {
		e.events = append(e.events, model.Event{Seq: 90, At: noon, Kind: model.EvConnected, Server: "github", Text: text("connected again"),
			Life: model.Some(model.Millis(90 * time.Minute))})
	})
	b.send(fleetMsg{with(b.app.fleet, "github", func(r *model.Row) { r.Run++ })})
	if body := b.body(); !strings.Contains(body, "connected again (lived 1h 30m)") || strings.Count(body, "attempt-failed") != 1 {
		t.Errorf("after one more event the history is\n%s", body)
	}
}

// TestD6_HistoryTellsALifeOnce: a text that says it already is not followed by
// the same number; from a minute on the larger unit says more.
func TestD6_HistoryTellsALifeOnce(t *testing.T) {
	for _, c := range []struct {
		text string
		life time.Duration
		want bool
	}{
		{"connected, then closed after 1 s (exit code 1); next try in 42 s", 1900 * time.Millisecond, true},
		{"up: connected for 20 s", 20 * time.Second, true},
		{"closed after 1 s; next try in 42 s", 42 * time.Second, false},
		{"closed after 86412 s", 86412 * time.Second, false},
	} {
		if got := tells(c.text, c.life); got != c.want {
			t.Errorf("tells(%q, %v) is %t", c.text, c.life, got)
		}
	}
}

func TestD3_AViewIsShownWhereThereIsNoRoomBesideTheTable(t *testing.T) {
	b := newBench(t, tenPhases(), 40, 10, Options{})
	b.press("3")
	if !strings.Contains(b.screen(), "[3 details]") {
		t.Errorf("3 shows no details:\n%s", b.screen())
	}
	b.press("esc")
	if !strings.Contains(b.screen(), "SERVER") {
		t.Errorf("esc does not lead back to the table:\n%s", b.screen())
	}
}
