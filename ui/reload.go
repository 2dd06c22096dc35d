package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// pendingMsg is what a reload would do: it was asked for.
type pendingMsg struct{ reload model.Reload }

// reloadedMsg is what a reload did; where it did not, what it would do now.
type reloadedMsg struct {
	reload model.Reload
	ok     bool
}

// askReload has the file read, to show what a reload would do (C8).
func (a *app) askReload() tea.Cmd {
	a.said, a.awaits = "R: reading the file", true
	e := a.engine
	return func() tea.Msg { return pendingMsg{e.Pending()} }
}

// reload applies what was shown.
func (a *app) reload(shown model.Reload) tea.Cmd {
	a.said, a.awaits = "reload: given, not answered yet", true
	e := a.engine
	return func() tea.Msg {
		did, ok := e.Reload(shown)
		return reloadedMsg{did, ok}
	}
}

// takePending asks whether to reload, unless the operator has gone on to something else.
func (a *app) takePending(r model.Reload) {
	a.stale = true
	switch {
	case !r.Problem.IsZero():
		a.said = "not reloaded: " + r.Problem.String()
	case r.IsZero() && len(r.Refused)+len(r.Later) == 0:
		a.said = "nothing to reload: what is in force is as the file has it"
	case r.IsZero() && len(r.Refused) == 0:
		a.said = "nothing to reload now: " + r.LaterLine().String()
	case r.IsZero():
		a.said = a.refusedText(r.Refused)
	case !a.awaits || a.mode != browsing:
		a.said = "R shows what a reload would do: " + reloadCount(r)
	default:
		a.said = ""
		a.mode, a.question = asking, question{text: reloadText(r), reload: &r}
	}
}

// refusedText says whose entries are refused while nothing else changed; what says
// why stands longest.
func (a *app) refusedText(servers []string) string {
	const head, tail = "nothing to reload", "; rollcall check says why"
	for _, joint := range []string{": refused, so what is in force stays: ", "; refused: "} {
		if text, ok := a.look.naming(head+joint, unsaid(servers), tail, a.table.alike, a.width-1); ok {
			return text
		}
	}
	return strconv.Itoa(len(servers)) + " refused" + tail
}

// reloadText is the question: a line that names what will happen to how many.
func reloadText(r model.Reload) string {
	text := "reload: "
	if r.Drastic() {
		text = "reload removes most of them: "
	}
	text += reloadCount(r)
	if r.Before > 0 {
		text += " of " + several(r.Before, "server")
	}
	return text + "? y/n"
}

// reloadCount is how many servers it adds, restarts, stops and removes. What
// changed of one that does not run is in force already (C8): the others run.
func reloadCount(r model.Reload) string {
	stops := 0
	for _, c := range r.Changed {
		stops += boolInt(c.Stops)
	}
	var parts []string
	for _, p := range []struct {
		verb string
		n    int
		what string
	}{{"add ", len(r.Added), ""}, {"restart ", len(r.Changed) - stops, " changed"}, {"stop ", stops, " disabled"}, {"remove ", len(r.Removed), ""}} {
		if p.n > 0 {
			parts = append(parts, p.verb+strconv.Itoa(p.n)+p.what)
		}
	}
	return strings.Join(parts, ", ")
}

// takeReloaded says what a reload did. Where the file was changed since it was
// shown nothing was done, and it is shown anew.
func (a *app) takeReloaded(msg reloadedMsg) {
	a.stale = true
	if msg.ok {
		a.said = "reloaded: " + msg.reload.Count().String()
		if later := msg.reload.LaterLine(); !later.IsZero() {
			a.said += "; " + later.String()
		}
		return
	}
	a.takePending(msg.reload)
	if a.question.reload != nil && a.mode == asking {
		a.question.text = "the file changed meanwhile; " + a.question.text
	}
}

// drawReload writes what a reload would do, a line a server, height lines in
// all.
func (a *app) drawReload(c *canvas, r model.Reload, height int) {
	end := c.lines + height
	lines := r.Lines()
	for i, line := range lines {
		if c.lines == end-1 && i < len(lines)-1 {
			c.put(dim, " … and "+several(len(lines)-i, "more line"))
			c.end()
			break
		}
		if c.lines == end {
			break
		}
		t := plain
		switch text := line.String(); {
		case strings.HasPrefix(text, "remove"):
			t = bad
		case strings.HasPrefix(text, "change"):
			t = warn
		case strings.HasPrefix(text, "refused"), strings.HasPrefix(text, "later"):
			t = dim
		}
		c.put(t, " "+line.String())
		c.end()
	}
	c.until(end)
}
