package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
	"rollcall/redact"
)

// twoRuns is the log of a server that came back.
func twoRuns() []model.Line {
	line := func(seq, run uint64, s string) model.Line {
		return model.Line{Seq: seq, At: noon, Run: run, Text: text("%s", s)}
	}
	return []model.Line{line(1, 13, "of the first"), line(2, 13, "its last word"), line(3, 14, "of the second")}
}

func failed(seq, run uint64) model.Event {
	return model.Event{Seq: seq, At: noon, Server: "github", Run: run, Kind: model.EvAttemptFailed, Attempt: model.Some(4), ExitCode: model.Some(1),
		Life: model.Some(model.Millis(12 * time.Second)), Stderr: []redact.Safe{text("Error: no")},
		Text: text("reconnect failed: connected, then closed after 12 s (exit code 1)"), Error: text("connected, then closed after 12 s (exit code 1)")}
}

func TestD5_ARulePartsTwoIncarnations(t *testing.T) {
	p := newPane()
	p.show("github")
	p.addLines(twoRuns())
	texts := func() string {
		var all []string
		for _, e := range p.log {
			all = append(all, e.text)
		}
		return strings.Join(all, "\n")
	}
	const rule = "of the first\nits last word\n— exit code 1 after 12 s, attempt 4 —\nof the second"
	if got, want := texts(), strings.Replace(rule, "exit code 1 after 12 s, attempt 4", "end of run 13", 1); got != want {
		t.Errorf("before its end is known:\n%s\nwant:\n%s", got, want)
	}
	p.addEvents([]model.Event{{Seq: 1, Run: 13, Kind: model.EvStopping, Text: text("stopping: restart, by anna")}})
	if got := texts(); !strings.Contains(got, "— stopping: restart, by anna —") {
		t.Errorf("a stop that was asked for is not told:\n%s", got)
	}
	p.addEvents([]model.Event{failed(2, 13), {Seq: 3, Run: 13, Kind: model.EvStopping, Text: text("stopping")}})
	if got := texts(); got != rule {
		t.Errorf("with its end:\n%s\nwant:\n%s", got, rule)
	}
	q := newPane() // events first
	q.show("github")
	q.addEvents([]model.Event{failed(2, 13)})
	q.addLines(twoRuns())
	if got := q.log[2].text; got != "— exit code 1 after 12 s, attempt 4 —" {
		t.Errorf("the rule is %q", got)
	}
}

func TestD5_TheLogReadsHowRunsEnded(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.engine.lines["github"], b.engine.events = twoRuns(), []model.Event{failed(2, 13)}
	b.press("j", "j", "j")
	if !strings.Contains(b.body(), "— exit code 1 after 12 s, attempt 4 —") {
		t.Errorf("no rule in\n%s", b.body())
	}
}

// TestAFloodReadsNoEvents: that lines came says nothing of events.
func TestAFloodReadsNoEvents(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "j", "j")
	before := b.engine.histories
	for range 9 {
		b.says("github", 30)
	}
	if n := b.engine.histories - before; n != 0 {
		t.Errorf("events were read %d times for lines", n)
	}
	b.send(fleetMsg{with(b.app.fleet, "github", func(r *model.Row) { r.Run++ })})
	if n := b.engine.histories - before; n != 1 {
		t.Errorf("events were read %d times for a new run", n)
	}
}

func TestD5_ALongLineDoesNotFillTheFailures(t *testing.T) {
	long := "Error: " + strings.Repeat("日本", 1500)
	e := failed(1, 1)
	e.Stderr = []redact.Safe{text("%s", long), text("short")}
	got := failureEntries(e)
	if len(got) != 3 || got[2].text != "short" {
		t.Fatalf("%d entries", len(got))
	}
	if n := len(got[1].text); n > maxFailure+60 {
		t.Errorf("the line takes %d bytes", n)
	}
	if cut := got[1].text; !strings.HasSuffix(cut, "… (8529 bytes more: 1 shows all)") || !strings.HasPrefix(long, cut[:maxFailure-3]) || strings.ContainsRune(cut, '\uFFFD') {
		t.Errorf("it ends with %q", cut[len(cut)-50:])
	}
}

func TestD3_SearchMarksAndCounts(t *testing.T) {
	b := newBench(t, tenPhases(), 60, 40, Options{})
	b.press("j", "j", "j", "tab", "/", "C", "R", "E", "D", "enter")
	divider := func() string { return b.line(b.app.places.pane) }
	if !strings.Contains(divider(), "1/1") {
		t.Errorf("the divider says %q", divider())
	}
	on, off := b.app.look.sets[1][match].on, b.app.look.sets[1][match].off
	if frame := b.app.View().Content; !strings.Contains(frame, on+"cred"+off) {
		t.Errorf("the match is not marked in %q", frame)
	}
	b.press("/", "_", "t", "o", "k", "e", "n", "enter")
	if !strings.Contains(divider(), "1/2") {
		t.Errorf("the divider says %q", divider())
	}
	b.press("n")
	if !strings.Contains(divider(), "2/2") {
		t.Errorf("after n the divider says %q", divider())
	}
	b.press("G")
	if !strings.Contains(divider(), "2 found following") {
		t.Errorf("off the matches the divider says %q", divider())
	}
	b.press("esc")
	if strings.Contains(divider(), "found") || b.app.focus != inPane {
		t.Errorf("esc does not end the search first: %q", divider())
	}
}

// TestAMatchOverTwoRowsIsMarkedInBoth: a wrapped line hides none.
func TestAMatchOverTwoRowsIsMarkedInBoth(t *testing.T) {
	l := newLook(Options{}, traits{})
	p := &page{look: l, entries: []entry{{seq: 1, text: "aaaa bbbbccccdddd"}}, width: 6, wrap: true, query: "bcccc", height: 9}
	c := newCanvas(l, 20, 0)
	(&scroll{}).draw(c, p, false)
	got := c.frame()
	for _, want := range []string{l.sets[0][match].on + "bcc", l.sets[0][match].on + "cc"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func TestD3_FullScreenIsTextAlone(t *testing.T) {
	b := newBench(t, tenPhases(), 80, 24, Options{})
	b.press("j", "j", "j")
	if b.app.View().MouseMode == tea.MouseModeNone {
		t.Error("the mouse is off beside the table")
	}
	b.press("z")
	if b.app.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is reported: the terminal's own selection does not work")
	}
	if got := b.line(1); got != "14:04:20   starting, attempt 6" {
		t.Errorf("the second line is %q", got)
	}
	if got := b.footer(); !strings.HasPrefix(got, "github log following") {
		t.Errorf("the footer is %q", got)
	}
	b.press("pgup") // a page is the whole screen
	b.says("github", 100)
	b.press("G")
	b.press("pgup")
	if !strings.Contains(b.footer(), "held") {
		t.Errorf("the footer is %q", b.footer())
	}
	b.send(lostMsg{errNobody})
	if !strings.Contains(b.screen(), "engine lost") {
		t.Errorf("full screen hides that the engine is lost:\n%s", b.screen())
	}
	if newBench(t, tenPhases(), 80, 24, Options{NoMouse: true}).app.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is not off")
	}
}

// TestD9_ASCIIIsAllThatIsDrawn has text from outside in every view.
func TestD9_ASCIIIsAllThatIsDrawn(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 45, Options{ASCII: true})
	b.engine.lines["github"] = append(githubLog(), model.Line{Seq: 10, At: noon, Run: 15, Text: text("e\u0301 \xff ‹TOKEN› 日本 👨‍👩‍👧 · — …")})
	b.press("j", "j", "j")
	if want := "e ? <TOKEN> ?? ??? - - ~"; !strings.Contains(b.body(), want) {
		t.Errorf("%q is not in\n%s", want, b.body())
	}
	for _, key := range []string{"1", "2", "3", "4", "?", "x", "z", "z", "s", "/"} {
		b.press(key)
		for _, r := range b.app.View().Content {
			if r >= 0x80 {
				t.Fatalf("after %s there is %q in\n%s", key, r, b.screen())
			}
		}
	}
}

// TestD3_ASearchIsForOneServerAndView: it ends with either, and esc ends it from
// wherever, before anything else.
func TestD3_ASearchIsForOneServerAndView(t *testing.T) {
	search := strings.Fields("j j j tab / e r r enter")
	for _, c := range []struct {
		keys string
		want string
		at   place
	}{
		{"", "err", inPane},
		{"1", "err", inPane},
		{"2", "", inPane},
		{"tab", "err", inTable},
		{"tab j", "", inTable},
		{"tab j k", "", inTable},
		{"esc", "", inPane},
		{"tab esc", "", inTable},
		{"z esc", "", inPane},
	} {
		b := newBench(t, tenPhases(), 120, 40, Options{})
		b.press(search...)
		b.press(strings.Fields(c.keys)...)
		if got := b.app.pane.search; got != c.want || b.app.focus != c.at {
			t.Errorf("after %q it searches for %q, at %d", c.keys, got, b.app.focus)
		}
		if offers := strings.Contains(b.footer(), "esc end search"); offers != (c.want != "") {
			t.Errorf("after %q the footer is %q", c.keys, b.footer())
		}
	}
}
