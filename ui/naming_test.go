package ui

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// longNames is a fleet of six with names as they are in use; one is off.
func longNames() model.Fleet {
	f := quietFleet(6)
	f.At = noon
	for i, name := range []string{"production-filesystem", "production-github-mcp", "production-postgres-replica", "staging-browser-automation", "search", "production-slack-notifications"} {
		r := *f.Rows[i]
		r.Server = name
		if f.Rows[i] = &r; name == "search" {
			r.Phase = model.Off
		}
	}
	return f
}

// TestD4_TheQuestionsCountsAreNeverCut: how many, how many of these are not done
// or not seen, and which keys answer.
func TestD4_TheQuestionsCountsAreNeverCut(t *testing.T) {
	for _, c := range []struct {
		width      int
		keys, want string
	}{
		{200, "* r", "restart 6 servers: production-filesystem, production-github-mcp, production-postgres-replica and 3 more (1 off, skipped)? y/n"},
		{90, "* d", "disconnect 6 servers: …filesystem, …github-mcp, …postgre…replica and 3 more? y/n"},
		{80, "* d", "disconnect 6 servers: …filesystem, …github-mcp and 4 more? y/n"},
		{80, "* r", "restart 6 servers: …filesystem, …github-mcp and 4 more (1 off, skipped)? y/n"},
		{80, "* / s t a g enter r", "restart 6 servers: …filesystem and 5 more (1 off, skipped) (5 not shown)? y/n"},
		{40, "* d", "disconnect 6 servers? y/n"},
		{40, "* r", "restart 6 servers (1 off, skipped)? y/n"},
		{40, "* / s t a g enter r", "restart 6 (1 off, 5 not shown)? y/n"},
	} {
		b := newBench(t, longNames(), c.width, 24, Options{})
		b.press(strings.Fields(c.keys)...)
		if got := b.footer(); got != c.want {
			t.Errorf("%d columns, %s: %q\nwant %q", c.width, c.keys, got, c.want)
		}
	}
}

// TestD4_AQuestionFollowsTheScreensWidth: a terminal may be made larger or
// smaller while it is asked.
func TestD4_AQuestionFollowsTheScreensWidth(t *testing.T) {
	b := newBench(t, longNames(), 40, 24, Options{})
	b.press("*", "r")
	b.send(sized(200, 24))
	if got := b.footer(); !strings.Contains(got, "production-postgres-replica and 3 more") {
		t.Errorf("the question is %q", got)
	}
}

// TestC8_WhoIsRefusedTakesNoneOfWhatSaysWhy at 80 and 40 columns.
func TestC8_WhoIsRefusedTakesNoneOfWhatSaysWhy(t *testing.T) {
	for width, want := range map[int]string{
		120: "nothing to reload: refused, so what is in force stays: …filesystem, …github-mcp and 4 more; rollcall check says why",
		80:  "nothing to reload; refused: …filesystem and 5 more; rollcall check says why",
		40:  "6 refused; rollcall check says why",
	} {
		b := newBench(t, longNames(), width, 24, Options{})
		b.engine.pending = model.Reload{Before: 6}
		for _, r := range longNames().Rows {
			b.engine.pending.Refused = append(b.engine.pending.Refused, r.Server)
		}
		if b.press("R"); b.footer() != want {
			t.Errorf("at %d columns the footer says %q, want %q", width, b.footer(), want)
		}
	}
}

// TestX2_AStopSaysHowManyItWaitsFor, however they are called.
func TestX2_AStopSaysHowManyItWaitsFor(t *testing.T) {
	var s stopper
	f := longNames()
	for i, r := range f.Rows {
		c := *r
		c.Phase, c.Stage, c.StageAt = model.Stopping, model.TermSent, noon.Add(-2*time.Second)
		f.Rows[i] = &c
	}
	f.Stopping = true
	for _, c := range []struct {
		width      int
		stop, kill string
	}{
		{200, "stopping 6 servers: production-filesystem (TERM sent, 2 s), production-github-mcp (TERM sent, 2 s), production-postgres-replica (TERM sent, 2 s) and 3 more; press q again to kill",
			"killing 6 servers: production-filesystem (TERM sent, 2 s), production-github-mcp (TERM sent, 2 s), production-postgres-replica (TERM sent, 2 s) and 3 more"},
		{80, "stopping 6 servers: …fil…tem (TERM sent, 2 s) and 5 more; press q again to kill",
			"killing 6 servers: production-filesystem (TERM sent, 2 s) and 5 more"},
		{40, "stopping 6; press q again to kill", "killing 6 servers: …file…tem and 5 more"},
	} {
		b := newBench(t, f, c.width, 24, s.options())
		b.app.Update(stopMsg{})
		for _, want := range []string{c.stop, c.kill} {
			if !strings.Contains(b.screen(), "\n "+want+"\n") {
				t.Errorf("at %d columns want %q in\n%s", c.width, want, b.screen())
			}
			b.app.Update(stopMsg{})
			b.app.stale = true
		}
	}
}

// TestD11_ALostEngineSaysWhatToDoFirst: the path is last.
func TestD11_ALostEngineSaysWhatToDoFirst(t *testing.T) {
	for _, width := range []int{40, 80} {
		b := newBench(t, tenPhases(), width, 24, Options{Redact: func(s string) string { return s }})
		b.send(lostMsg{errTest{}})
		if got := b.line(2); !strings.HasPrefix(got, " engine lost 0 s ago (q quits), trying") {
			t.Errorf("at %d columns it says %q", width, got)
		}
	}
}
