package ui

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// stopping is how far the end has come, of an engine that the dashboard holds.
type stopping uint8

const (
	goingOn    stopping = iota
	isStopping          // each server in its own time (H2)
	isKilling           // at once
)

// stopMsg says that a signal asks to stop; a further one kills.
type stopMsg struct{}

// leaveMsg says that a signal asks to leave the engine serving.
type leaveMsg struct{}

// stoppedMsg says that nothing is left to stop.
type stoppedMsg struct{}

// leftMsg says whether the engine serves on by itself.
type leftMsg struct{ err error }

// quit ends the dashboard. Where that stops running servers it asks first, and
// a second time of asking is a yes; while they are stopped it kills them.
func (a *app) quit() tea.Cmd {
	n := running(a.fleet.Rows)
	again := a.mode == asking && a.question.quits()
	switch {
	case !a.opts.HoldsEngine || n == 0 && a.stop == goingOn && a.opts.Stop == nil:
		return tea.Quit
	case a.stop != goingOn || n == 0 || again || a.fleet.Stopping:
		return a.beginStop()
	}
	a.mode, a.question = asking, quitQuestion(n)
	return nil
}

// beginStop stops the servers and keeps the screen until they are stopped; the
// second time it kills what is left.
func (a *app) beginStop() tea.Cmd {
	a.stale = true
	if a.mode != helping {
		a.mode = browsing
	}
	switch {
	case !a.opts.HoldsEngine || a.opts.Stop == nil:
		return tea.Quit
	case a.stop == goingOn:
		a.stop = isStopping
		stop := a.opts.Stop
		return func() tea.Msg { stop(); return stoppedMsg{} }
	case a.stop == isStopping && a.opts.Kill != nil:
		a.stop = isKilling
		kill := a.opts.Kill
		return func() tea.Msg { kill(); return nil }
	}
	return nil
}

// leaveServing ends the dashboard, and no server with it.
func (a *app) leaveServing() tea.Cmd {
	switch {
	case !a.opts.HoldsEngine:
		return tea.Quit
	case a.stop != goingOn:
		a.said = "the servers are being stopped: it is too late to leave them"
		return nil
	case a.opts.Leave == nil:
		a.said = "this dashboard holds the engine, which ends with it: " + a.keys.label(doQuit) + " stops the servers"
		return nil
	}
	a.said = "leaving the engine serving"
	leave := a.opts.Leave
	return func() tea.Msg { return leftMsg{leave()} }
}

// takeLeft ends the dashboard where the engine serves on.
func (a *app) takeLeft(err error) tea.Cmd {
	if err == nil {
		return tea.Quit
	}
	a.said, a.stale = "not left: "+oneLine(a.opts.redact(err.Error())), true
	return nil
}

// stopText says in room cells what a stop still waits for: `stopping 3 servers:
// github (TERM sent, 2 s), …`, and how it is made shorter. How many it waits for,
// and that key, stand longest.
func (a *app) stopText(now time.Time, room int) string {
	var who []named
	for _, r := range a.fleet.Rows {
		if r.Phase.Runs() {
			who = append(who, named{r.Server, stageText(r, now)})
		}
	}
	verb, end := "stopping ", ""
	switch a.stop {
	case isKilling:
		verb = "killing "
	case isStopping:
		end = "; press " + a.keys.label(doQuit) + " again to kill"
	}
	if len(who) == 0 {
		return verb + "the engine" + end
	}
	head := verb + several(len(who), "server")
	if text, ok := a.look.naming(head+": ", who, end, a.table.alike, room); ok {
		return text
	}
	if text := head + end; a.look.width(text) <= room {
		return text
	}
	return verb + strconv.Itoa(len(who)) + end
}

// stageText is how far a server's stop has come, by the engine's word.
func stageText(r *model.Row, now time.Time) string {
	if r.Phase != model.Stopping {
		return ""
	}
	since := r.StageAt
	if since.IsZero() {
		since = r.Since
	}
	return " (" + strings.Join([]string{r.Stage.String(), long(now.Sub(since))}, ", ") + ")"
}
