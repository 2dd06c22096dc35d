package ui

import (
	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"rollcall/model"
)

// order gives an order for the marked servers, else for the selected one. For
// more than one it asks first (D4).
func (a *app) order(verb model.Verb) tea.Cmd {
	rows := a.table.targets()
	switch len(rows) {
	case 0:
		return nil
	case 1:
		return a.do(a.ledger.give(a.opts.Order, verb, []string{rows[0].Server}))
	}
	a.mode, a.question = asking, orderQuestion(verb, rows)
	return nil
}

// answered takes the key that answers a question. Only y is yes.
func (a *app) answered(name string) tea.Cmd {
	a.mode = browsing
	q := a.question
	switch {
	case q.quits() && (name == "y" || name == "q"):
		return tea.Quit
	case q.quits() || name != "y":
		return nil
	case q.reload != nil:
		return a.reload(*q.reload)
	}
	clear(a.table.marks)
	return a.do(a.ledger.give(a.opts.Order, q.verb, q.to))
}

// do hands orders to the engine, and waits for the answers. No row changes
// here (D8).
func (a *app) do(orders []model.Order) tea.Cmd {
	for _, o := range orders {
		a.engine.Do(o)
	}
	return a.fetchAnswers()
}

// quit ends the dashboard; where that stops running servers it asks first, and
// a second time of asking is a yes.
func (a *app) quit() tea.Cmd {
	n := running(a.fleet.Rows)
	again := a.mode == asking && a.question.quits()
	if !a.opts.HoldsEngine || n == 0 || again || a.fleet.Stopping {
		return tea.Quit
	}
	a.mode, a.question = asking, quitQuestion(n)
	return nil
}

// suspend gives the terminal back to the shell. Where there is no shell, as in
// a tmux window of its own, nobody could wake what was stopped.
func (a *app) suspend() tea.Cmd {
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		a.said = "ctrl-z: no shell waits in this terminal, nothing was suspended"
		return nil
	}
	return tea.Suspend
}

// answer is the footer's line about what was said or ordered last.
func (a *app) answer() (tone, string) {
	if a.said != "" {
		return note, a.said
	}
	return a.ledger.say()
}
