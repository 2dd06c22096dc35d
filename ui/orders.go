package ui

import (
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// order gives an order for the marked servers, else for the selected one. For
// more than one it asks first (D4), and for one that was marked and is not on the
// screen. Marks go with the order that they were made for.
func (a *app) order(verb model.Verb) tea.Cmd {
	rows := a.table.targets()
	a.table.settle()
	if verb == model.Acknowledge && len(rows) > 0 {
		if rows = slices.DeleteFunc(rows, func(r *model.Row) bool { return !acknowledgeable(r) }); len(rows) == 0 {
			a.said = "nothing to acknowledge: no open episode that nobody knows of"
		}
	}
	switch len(rows) {
	case 0:
		return nil
	case 1:
		if !a.onScreen(rows[0]) {
			break
		}
		to := []string{rows[0].Server}
		if verb == model.Acknowledge && len(a.table.marks) == 0 {
			a.table.nextProblem()
		}
		clear(a.table.marks)
		return a.do(a.ledger.give(a.opts.Order, verb, to))
	}
	a.mode, a.question = asking, orderQuestion(verb, rows, a.hidden(rows))
	return nil
}

// onScreen reports whether a row can be seen: it is selected, and so named by
// the pane, or among the visible ones of the table.
func (a *app) onScreen(r *model.Row) bool {
	t := &a.table
	if r.Server == t.selected {
		return true
	}
	at := indexOf(t.shown, r.Server)
	return at >= t.top && at < t.top+a.places.tableHeight-1
}

// hidden counts the rows that an order means and nobody sees: those that the
// filter hides, or a single one that is scrolled away.
func (a *app) hidden(rows []*model.Row) int {
	n := 0
	for _, r := range rows {
		if len(rows) == 1 && !a.onScreen(r) || indexOf(a.table.shown, r.Server) < 0 {
			n++
		}
	}
	return n
}

// answered takes the key that answers a question. Only y is yes; of another the
// footer says that nothing was done.
func (a *app) answered(name string) tea.Cmd {
	a.mode = browsing
	q := a.question
	switch {
	case q.quits() && (name == "y" || a.keys.lookup(name, a.focus) == doQuit):
		return a.beginStop()
	case q.quits() || name != "y":
		a.said = q.declined()
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

// answer is the footer's line about what was said or ordered last.
func (a *app) answer() (tone, string) {
	if a.said != "" {
		return note, a.said
	}
	if t, text := a.ledger.say(a.look, a.table.alike, a.width-1); text != "" {
		return t, a.shortPlace(text)
	}
	return dim, a.heard.text(a.engineNow())
}

// shortPlace is a text in which a place in the configuration's file is without the
// folder: that takes most cells, and says least.
func (a *app) shortPlace(text string) string {
	file := a.fleet.Config.String()
	if file == "" {
		return text
	}
	return strings.Replace(text, file+":", filepath.Base(file)+":", 1)
}

// acknowledgeable reports whether a server is down and nobody has said so yet.
func acknowledgeable(r *model.Row) bool { return !r.DownSince.IsZero() && r.AckedSince.IsZero() }
