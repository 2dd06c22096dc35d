package ui

import (
	"strconv"
	"strings"

	"rollcall/model"
)

// drawFooter writes the last line: what is being typed or asked, else what was
// said last, else the keys that work here and now (D2).
func (a *app) drawFooter(c *canvas) {
	switch a.mode {
	case filtering:
		a.drawInput(c, "/", several(len(a.table.shown), "server")+" shown  enter keeps  esc clears")
		return
	case searching:
		a.drawInput(c, "search: ", "enter finds  esc leaves")
		return
	case asking:
		c.put(bad, a.keepEnd(" "+a.question.line(a.look, a.table.alike, a.width-1), "? y/n"))
		return
	case helping:
		other := " any key"
		if a.helpMore > 0 {
			c.put(note, " "+a.look.signs.arrows.Replace(a.keys.label(moveUp)+" "+a.keys.label(moveDown)))
			c.put(plain, " scroll ")
			other = " any other key"
		}
		c.put(note, other)
		c.put(plain, " back")
		return
	}
	if t, text := a.answer(); text != "" {
		c.put(t, a.keepEnd(" "+text, a.ledger.offerText()))
		return
	}
	a.drawKeys(c)
}

func (a *app) drawInput(c *canvas, prompt, tail string) {
	c.put(note, " "+prompt)
	c.put(plain, a.input.text)
	c.put(head, "_")
	if gap := c.left - a.look.width(tail) - 1; gap > 1 {
		c.fill(gap)
		c.put(dim, tail)
	}
}

// keepEnd cuts a text to the line, and not its end, which says which key
// answers (D4, O2).
func (a *app) keepEnd(text, end string) string {
	if end == "" || a.look.width(text) <= a.width || !strings.HasSuffix(text, end) {
		return text
	}
	return a.look.cut(strings.TrimSuffix(text, end), max(a.width-a.look.width(end), 0)) + end
}

// drawKeys writes the keys, as many as fit; help and quit always.
func (a *app) drawKeys(c *canvas) {
	const gap = 2
	c.fill(1)
	if a.bare() { // what the divider says where there is one
		c.put(strong, a.look.cut(a.pane.title(a.table.row(), a.page()), max(a.width/2, 8)))
		c.fill(gap)
	}
	if n := len(a.table.marks); n > 0 {
		text := strconv.Itoa(n) + " marked"
		if hidden := a.table.hiddenMarks(); hidden > 0 {
			text += ", " + strconv.Itoa(hidden) + " not shown"
		}
		c.put(strong, text)
		c.fill(gap)
	}
	if a.table.filter != "" {
		c.put(strong, a.look.cut("/"+a.table.filter, max(a.width/3, 8)))
		c.fill(gap)
	}
	var keys, last []piece
	room := c.left
	for i := range a.keys {
		b := &a.keys[i]
		if b.footer == "" || b.where&a.focus == 0 || !a.offered(b.do) {
			continue
		}
		word := " " + a.footerWord(b)
		label := a.look.signs.arrows.Replace(lastField(b.label))
		p := []piece{{note, label}, {plain, word}}
		if b.do == openHelp || b.do == doQuit {
			last = append(last, p...)
			room -= a.look.width(label+word) + gap
			continue
		}
		keys = append(keys, p...)
	}
	if a.pane.silent { // what the divider has no room for, either
		for _, form := range a.outside().wordings(a.look) {
			if w := a.look.widthOf(form); w <= min(room-gap, a.width/2) {
				putAll(c, form)
				c.fill(gap)
				room -= w + gap
				break
			}
		}
	}
	for i := 0; i < len(keys); i += 2 {
		w := a.look.width(keys[i].text+keys[i+1].text) + gap
		if room -= w; room < 0 {
			break
		}
		putAll(c, keys[i:i+2])
		c.fill(gap)
	}
	for i := 0; i < len(last); i += 2 {
		putAll(c, last[i:i+2])
		c.fill(gap)
	}
}

// footerWord is what a key does here.
func (a *app) footerWord(b *binding) string {
	switch {
	case b.do == switchFocus && a.focus == inPane:
		return "table"
	case b.do == leave && a.pane.search != "":
		return "end search"
	case b.do == leave && a.focus == inTable && len(a.table.marks) > 0:
		return "unmark"
	case b.do == leave && a.focus == inTable:
		return "show all"
	case b.do == doQuit && a.stop != goingOn:
		return "kill"
	case b.do == doQuit && !a.opts.HoldsEngine:
		return "detach"
	}
	return b.footer
}

// lastField is one of a binding's keys: there is no room for all.
func lastField(label string) string {
	return label[strings.LastIndexByte(label, ' ')+1:]
}

// offered reports whether an action does something here and now.
func (a *app) offered(do action) bool {
	row := a.table.row()
	many := len(a.table.marks) > 0
	if ordering(do) && (a.opts.ReadOnly || a.fleet.Stopping || a.stop != goingOn) {
		return false // all of them would be refused
	}
	switch do {
	case openFilter, cycleSort, cycleProblems:
		return len(a.table.all) > 0
	case doRestart:
		return many || row != nil
	case doDisconnect:
		return many || row != nil && row.Phase != model.Off
	case doConnect:
		return many || row != nil && connectable(row.Phase)
	case doAcknowledge:
		return many && len(a.census.down) > 0 || row != nil && acknowledgeable(row)
	case doLeave:
		return a.opts.HoldsEngine && a.opts.Leave != nil && a.stop == goingOn
	case doReload:
		return a.fleet.Waits != (model.Waits{})
	case leave:
		return many || a.table.filter != "" || a.pane.zoomed || a.pane.search != ""
	case toggleFollow:
		return a.focus == inPane && !a.pane.scrolls[a.pane.view].follow && a.pane.view != detailView
	case toggleWrap, copyLine, toggleZoom:
		return a.focus == inPane
	case searchNext:
		return a.pane.search != ""
	case switchFocus:
		return !a.pane.zoomed && len(a.table.all) > 0
	}
	return true
}

// connectable reports whether connect is not refused at once (O4).
func connectable(p model.Phase) bool {
	switch p {
	case model.Queued, model.Starting, model.Settling, model.Up:
		return false
	}
	return true
}
