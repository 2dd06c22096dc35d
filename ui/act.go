package ui

import (
	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// key gives a key to whom it belongs.
func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if rest, escaped := a.escaped(msg); escaped {
		return rest
	}
	a.awaits, a.table.touched = false, true
	switch {
	case name == "ctrl+c":
		return a.quit()
	case a.mode == filtering || a.mode == searching:
		return a.typing(name, msg.Text)
	case a.mode == asking:
		return a.answered(name)
	case a.mode == helping:
		a.helpKey(a.keys.lookup(name, inTable))
		return nil
	}
	a.said = ""
	if offers := a.ledger.offer(); len(offers) > 0 && name == "y" {
		return a.do(a.ledger.again(offers))
	}
	if len(a.ledger.waiting) == 0 {
		a.ledger.clear()
	}
	do := a.keys.lookup(name, a.focus)
	if do == nothing && a.keys.lookup(name, a.focus^anywhere) != nothing {
		a.said = a.elsewhere(name)
	}
	return a.act(do)
}

// elsewhere says where a key works that does nothing here.
func (a *app) elsewhere(name string) string {
	where := "table"
	if a.focus == inTable {
		where = "pane"
	}
	return lastField(a.keys.label(switchFocus)) + " first: " + labelOf([]string{name}) + " works in the " + where
}

// act does what a key asks for. What concerns the selected server reads its
// pane anew.
func (a *app) act(do action) tea.Cmd {
	if a.move(do) || a.arrangeTable(do) || a.arrangePane(do) {
		return a.fetch()
	}
	if a.opts.ReadOnly && ordering(do) {
		a.said = "this dashboard only reads: attach without --read-only gives orders"
		return nil
	}
	switch do {
	case doRestart:
		return a.order(model.Restart)
	case doDisconnect:
		return a.order(model.Disconnect)
	case doConnect:
		return a.order(model.Connect)
	case doAcknowledge:
		return a.order(model.Acknowledge)
	case doReload:
		return a.askReload()
	case openFilter:
		a.mode, a.input.text = filtering, a.table.filter
	case openSearch:
		a.mode, a.input.text = searching, ""
	case leave:
		a.leave()
		return a.fetch()
	case copyLine:
		return a.copy()
	case savePane:
		return a.save()
	case openHelp:
		a.mode = helping
	case doSuspend:
		return a.suspend()
	case doLeave:
		return a.leaveServing()
	case doQuit:
		return a.quit()
	}
	return nil
}

// ordering reports whether an action changes something in the engine.
func ordering(do action) bool {
	switch do {
	case doRestart, doDisconnect, doConnect, doAcknowledge, doReload:
		return true
	}
	return false
}

// move moves the selection, or the pane's current row.
func (a *app) move(do action) bool {
	rows := max(a.places.tableHeight-1, 1)
	if a.focus == inPane {
		rows = max(a.places.paneHeight-1, 1)
	}
	far := len(a.table.shown)
	if a.focus == inPane {
		far = 1 << 30
	}
	n, ok := map[action]int{moveUp: -1, moveDown: 1, pageUp: -rows, pageDown: rows, toFirst: -far, toLast: far}[do]
	if !ok {
		return false
	}
	if a.focus == inPane {
		a.scrollPane(n)
	} else {
		a.table.selectAt(a.table.at + n)
	}
	return true
}

// scrollPane moves the pane's current row by n rows.
func (a *app) scrollPane(n int) {
	v := &a.pane.scrolls[a.pane.view]
	p := a.page()
	switch {
	case n > 1<<20:
		v.to(p, p.last(), true)
	case n < -1<<20:
		v.to(p, p.step(spot{}, 0), false)
	default:
		v.move(p, n)
	}
}

// page is the pane's present page.
func (a *app) page() *page {
	return a.pane.page(a.look, a.table.row(), a.width, a.pane.listHeight(a.places.paneHeight-1), a.engineNow())
}

// arrangeTable changes what the table shows.
func (a *app) arrangeTable(do action) bool {
	t := &a.table
	switch do {
	case toggleMark:
		t.toggleMark()
	case markShown:
		t.markShown()
	case cycleSort:
		t.cycleSort()
		a.said = t.sortText(a.look)
	case reverseSort:
		t.reverse = !t.reverse
		t.refresh()
		a.said = t.sortText(a.look)
	case cycleProblems:
		t.cycleProblems()
		a.said = t.sortText(a.look)
	default:
		return false
	}
	return true
}

// arrangePane changes what the pane shows, and how.
func (a *app) arrangePane(do action) bool {
	p := &a.pane
	v := &p.scrolls[p.view]
	switch do {
	case showLog, showFailures, showDetails, showHistory:
		p.turn(view(do - showLog))
		if a.places.paneHeight == 0 && a.table.row() != nil { // there is no room beside the table
			a.focus = inPane
		}
	case switchFocus:
		p.zoomed = false
		a.table.settle()
		a.focus ^= anywhere
	case toggleZoom:
		p.zoomed = !p.zoomed
		a.focus = inPane
		if !p.zoomed {
			a.focus = inTable
		}
	case toggleFollow:
		if v.follow = !v.follow && p.view != detailView; !v.follow {
			v.newest = a.page().last().seq
		}
	case toggleWrap:
		p.wrap = !p.wrap
	case growPane:
		a.sharePane(1)
	case shrinkPane:
		a.sharePane(-1)
	case searchNext, searchPrevious:
		a.find(do == searchPrevious)
	default:
		return false
	}
	return true
}

// sharePane gives the pane n tenths more of the screen.
func (a *app) sharePane(n int) {
	body := max(a.places.tableHeight+a.places.paneHeight, 1)
	tenths := (a.places.paneHeight*10 + body/2) / body
	a.pane.share = clamp(tenths+n, 1, 9) * 100
}

// leave leaves the innermost thing that can be left: a search before all, from
// wherever.
func (a *app) leave() {
	switch {
	case a.pane.search != "":
		a.pane.search = ""
	case a.pane.zoomed:
		a.pane.zoomed, a.focus = false, inTable
	case a.focus == inPane:
		a.focus = inTable
	case len(a.table.marks) > 0:
		clear(a.table.marks)
	case a.table.filter != "":
		a.table.filter = ""
		a.table.refresh()
	}
}

// find goes to the next line that holds what is searched for.
func (a *app) find(back bool) {
	if a.pane.search != "" && !a.pane.scrolls[a.pane.view].find(a.page(), back) {
		a.said = "not found: " + a.pane.search
	}
}

// copy puts the pane's current line into the terminal's clipboard, or what the
// table says of the selected server.
func (a *app) copy() tea.Cmd {
	text := ""
	if a.focus == inPane {
		v, p := &a.pane.scrolls[a.pane.view], a.page()
		if v.settle(p); len(p.entries) > 0 {
			text = p.entries[p.index(v.cur)].text
		}
	} else if r := a.table.row(); r != nil {
		text = r.Server + ": " + r.Phase.String()
		if !r.LastFailure.IsZero() {
			text += ": " + r.LastFailure.String()
		}
	}
	if text == "" {
		return nil
	}
	a.said = "sent to the terminal's clipboard (OSC 52): " + text
	return tea.SetClipboard(text)
}

// typing gives a key to the line that is being typed.
func (a *app) typing(name, text string) tea.Cmd {
	switch name {
	case "enter":
		if a.mode == searching {
			a.pane.search = a.input.text
			a.find(true)
		}
		a.mode = browsing
	case "esc":
		if a.mode == filtering {
			a.table.filter = ""
			a.table.refresh()
		}
		a.mode = browsing
	case "up", "down":
		if a.mode == filtering {
			a.move(a.keys.lookup(name, inTable))
		}
	default:
		if a.input.key(name, text) {
			return a.typed()
		}
	}
	return a.fetch()
}

// typed applies what was typed so far: the table filters at once.
func (a *app) typed() tea.Cmd {
	if a.mode == filtering {
		a.table.filter = a.input.text
		a.table.refresh()
	}
	return a.fetch()
}
