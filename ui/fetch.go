package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// linesMsg is what a server's tail holds beyond what the pane has.
type linesMsg struct {
	server string
	lines  []model.Line
}

// historyMsg is the events of a server beyond what the pane has.
type historyMsg struct {
	server string
	row    *model.Row // as it was when they were asked for
	events []model.Event
}

// answersMsg is events of all servers, to look for answers in.
type answersMsg struct{ events []model.Event }

// dayMsg is the last 24 h of a server, or of the fleet where server is "".
type dayMsg struct {
	server string
	day    model.Timeline
}

// fetch reads what the screen shows and does not have yet, in commands: the
// engine may be elsewhere. One of a kind is under way at a time; what came
// meanwhile is read by the next.
func (a *app) fetch() tea.Cmd {
	row := a.table.row()
	if row == nil {
		a.pane.show("")
		return a.fetchDay("", &a.day)
	}
	a.pane.show(row.Server)
	cmds := []tea.Cmd{a.fetchDay("", &a.day)}
	switch a.pane.view {
	case logView: // its rules tell how runs ended
		cmds = append(cmds, a.fetchLines(row), a.fetchEvents(row))
	case failureView:
		cmds = append(cmds, a.fetchEvents(row))
	case detailView:
		cmds = append(cmds, a.fetchUsage())
	case historyView:
		cmds = append(cmds, a.fetchEvents(row), a.fetchDay(row.Server, &a.pane.day))
	}
	return tea.Batch(cmds...)
}

func (a *app) fetchLines(row *model.Row) tea.Cmd {
	p := &a.pane
	if p.fetchingLines || p.resting || row.Lines <= p.lastLine || p.full() {
		return nil
	}
	if pause := a.budget.pause(a.now(), a.gate.sent()); pause > 0 {
		return a.rest(pause)
	}
	p.fetchingLines = true
	e, server, after := a.engine, row.Server, p.lastLine
	return func() tea.Msg { return linesMsg{server, e.Lines(server, after, maxLines)} }
}

func (a *app) fetchEvents(row *model.Row) tea.Cmd {
	p := &a.pane
	if p.fetchingEvents || p.latest != nil && sameButLines(p.latest, row) {
		return nil
	}
	p.fetchingEvents = true
	e, server, after := a.engine, row.Server, p.lastEvent
	return func() tea.Msg { return historyMsg{server, row, e.Events(server, after, maxEvents)} }
}

// sameButLines reports whether nothing of a row changed but what its server
// wrote: there is no new event then.
func sameButLines(a, b *model.Row) bool {
	x, y := *a, *b
	x.Lines, x.Noise, x.StderrLines, x.StderrBytes = y.Lines, y.Noise, y.StderrLines, y.StderrBytes
	return x == y
}

// sameAtAGlance reports whether the change of a row can be shown with the next
// full second: what its server wrote is the pane's, and a latency is a number
// among many. Each frame costs more than all else that an idle dashboard does.
func sameAtAGlance(a, b *model.Row) bool {
	if a == b {
		return true
	}
	x := *a
	if x.Probe.Outcome == b.Probe.Outcome && x.Probe.Timeouts == b.Probe.Timeouts {
		x.Probe = b.Probe
	}
	return sameButLines(&x, b)
}

// linesRest is how long a log rests that brought a page or more at once: what
// it costs to draw, and to send over a slow link, is bounded by pages.
const linesRest = 250 * time.Millisecond

// restedMsg says that it has rested.
type restedMsg struct{}

// rest lets the log rest; another server's is read at once, if the budget allows.
func (a *app) rest(pause time.Duration) tea.Cmd {
	a.pane.resting = true
	return tea.Tick(pause, func(time.Time) tea.Msg { return restedMsg{} })
}

// fetchDay reads a timeline where the last one is old.
func (a *app) fetchDay(server string, t *timeline) tea.Cmd {
	if !a.have || !t.due(a.now()) {
		return nil
	}
	t.asked, t.fetching = a.now(), true
	e := a.engine
	return func() tea.Msg { return dayMsg{server, e.Timeline(server)} }
}

// takeDay keeps a timeline where it is still wanted.
func (a *app) takeDay(m dayMsg) {
	t := &a.pane.day
	switch m.server {
	case "":
		t = &a.day
	case a.pane.server:
	default:
		return
	}
	t.day, t.fetching, a.stale = m.day, false, true
}

// fetchAnswers looks for answers while orders wait for them, and for what others
// ordered where rows changed. The first look, before any order, learns where the
// stream of events stands.
func (a *app) fetchAnswers() tea.Cmd {
	l := &a.ledger
	if l.fetching || l.ready && len(l.waiting) == 0 && !a.changed {
		return nil
	}
	limit := maxAnswers
	if !l.ready && len(l.waiting) == 0 {
		limit = 1
	}
	l.fetching, l.ready, a.changed = true, true, false
	e, after := a.engine, l.after
	return func() tea.Msg { return answersMsg{e.Events("", after, limit)} }
}

// takeFetched takes what a command read, and reads on where there is more.
func (a *app) takeFetched(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case linesMsg:
		a.pane.fetchingLines = false
		if msg.server == a.pane.server {
			if len(msg.lines) == 0 {
				return nil // an engine that gives none is asked again with the next snapshot, not at once
			}
			a.pane.addLines(msg.lines)
			a.stale = true
			if len(msg.lines) >= max(a.places.paneHeight, 1) {
				return a.rest(a.linesRest)
			}
		}
	case historyMsg:
		a.pane.fetchingEvents = false
		if msg.server == a.pane.server {
			a.pane.latest = msg.row
			a.pane.addEvents(msg.events)
			a.stale = true
		}
	case restedMsg:
		a.pane.resting = false
	case usageMsg:
		if msg.server == a.pane.server {
			a.pane.usage.take(msg, a.opts.redact)
			a.stale = true
		}
		return nil
	case dayMsg:
		a.takeDay(msg)
		return nil
	case answersMsg:
		a.ledger.fetching = false
		heard := a.heard.listen(msg.events, a.ledger.prefix)
		if a.ledger.read(msg.events) || heard {
			a.stale = true
		}
		return nil
	}
	return a.fetch()
}
