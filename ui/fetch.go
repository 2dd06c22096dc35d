package ui

import (
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

// fetch reads what the pane shows and does not have yet, in a command: the
// engine may be elsewhere. One is under way at a time; what came meanwhile is
// read by the next.
func (a *app) fetch() tea.Cmd {
	row := a.table.row()
	if row == nil {
		a.pane.show("")
		return nil
	}
	a.pane.show(row.Server)
	if a.pane.fetching {
		return nil
	}
	e, server, after := a.engine, row.Server, a.pane.lastLine
	switch a.pane.view {
	case logView:
		if row.Lines <= after {
			return nil
		}
		a.pane.fetching = true
		return func() tea.Msg { return linesMsg{server, e.Lines(server, after, maxLines)} }
	case failureView, historyView:
		if a.pane.latest == row {
			return nil
		}
		a.pane.fetching, after = true, a.pane.lastEvent
		return func() tea.Msg { return historyMsg{server, row, e.Events(server, after, maxEvents)} }
	}
	return nil
}

// fetchAnswers looks for answers while orders wait for them. The first look,
// before any order, learns where the stream of events stands.
func (a *app) fetchAnswers() tea.Cmd {
	l := &a.ledger
	if l.fetching || l.ready && len(l.waiting) == 0 {
		return nil
	}
	limit := maxAnswers
	if !l.ready && len(l.waiting) == 0 {
		limit = 1
	}
	l.fetching, l.ready = true, true
	e, after := a.engine, l.after
	return func() tea.Msg { return answersMsg{e.Events("", after, limit)} }
}

// takeFetched takes what a command read, and reads on where there is more.
func (a *app) takeFetched(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case linesMsg:
		a.pane.fetching = false
		if msg.server == a.pane.server && len(msg.lines) > 0 {
			a.pane.addLines(msg.lines)
			a.stale = true
		}
	case historyMsg:
		a.pane.fetching = false
		if msg.server == a.pane.server {
			a.pane.latest = msg.row
			a.pane.addEvents(msg.events)
			a.stale = true
		}
	case answersMsg:
		a.ledger.fetching = false
		if a.ledger.read(msg.events) {
			a.stale = true
		}
		return nil
	}
	return a.fetch()
}
