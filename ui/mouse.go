package ui

import tea "charm.land/bubbletea/v2"

// wheelRows is how far a notch of the wheel goes.
const wheelRows = 3

// mouse: a click selects or names a view, the wheel scrolls what is under it,
// the divider can be dragged (D3).
func (a *app) mouse(msg tea.MouseMsg) tea.Cmd {
	if a.mode != browsing {
		return nil
	}
	a.table.touched = true
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return a.click(m.X, m.Y)
		}
	case tea.MouseWheelMsg:
		n := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelRows, tea.MouseWheelDown: wheelRows}[m.Button]
		if n == 0 {
			return nil
		}
		a.stale = true
		if m.Y >= a.places.pane && a.places.paneHeight > 0 {
			a.scrollPane(n)
			return nil
		}
		a.table.selectAt(a.table.at + n)
		return a.fetch()
	case tea.MouseMotionMsg:
		if a.dragging {
			a.drag(m.Y)
		}
	case tea.MouseReleaseMsg:
		a.dragging = false
	}
	return nil
}

func (a *app) click(x, y int) tea.Cmd {
	a.stale = true
	p := a.places
	switch {
	case p.paneHeight > 0 && y == p.pane:
		if v, ok := a.pane.viewAt(a.look, x); ok {
			a.pane.turn(v)
			return a.fetch()
		}
		a.dragging = !a.pane.zoomed
	case p.paneHeight > 0 && y > p.pane && y < p.pane+p.paneHeight:
		a.focus = inPane
		a.clickRow(y - p.pane - 1)
	case p.tableHeight > 0 && y == p.table:
		return a.clickHead(x)
	case y > p.table && y < p.table+p.tableHeight:
		if i := a.table.top + y - p.table - 1; i < len(a.table.shown) {
			a.focus = inTable
			a.table.selectAt(i)
			return a.fetch()
		}
	}
	return nil
}

// clickRow goes to a row of the pane, counted from below its divider.
func (a *app) clickRow(n int) {
	v, pg := &a.pane.scrolls[a.pane.view], a.page()
	if n -= a.places.paneHeight - 1 - pg.height; n >= 0 && len(pg.entries) > 0 {
		v.to(pg, pg.step(v.top, n), true)
	}
}

// clickHead sorts by the column whose head stands at x, and the other way
// round where it is sorted by it already.
func (a *app) clickHead(x int) tea.Cmd {
	t := &a.table
	f, ok := t.layout.headAt(x)
	switch {
	case !ok:
		return nil
	case t.by == f.order:
		return a.act(reverseSort)
	}
	t.by, t.reverse = f.order, false
	t.refresh()
	a.said = t.sortText(a.look)
	return a.fetch()
}

// headAt is the column at a cell of the table's heads.
func (l layout) headAt(x int) (field, bool) {
	at := l.gutter
	for _, f := range l.fields {
		if x >= at && x < at+f.width {
			return f, true
		}
		at += f.width + l.gap
	}
	return field{}, false
}

// drag moves the divider to a line.
func (a *app) drag(y int) {
	p := a.places
	body := p.tableHeight + p.paneHeight
	if body < 1 {
		return
	}
	if share := clamp((p.table+body-y)*1000/body, 1, 999); share != a.pane.share {
		a.pane.share, a.stale = share, true
	}
}

// viewAt is the view whose name stands at column x of the divider.
func (p *pane) viewAt(l *look, x int) (view, bool) {
	at := p.tabsStart(l)
	for v := range views {
		end := at + len(p.tab(v, p.narrow)) + 2
		if x >= at && x < end {
			return v, true
		}
		at = end
	}
	return 0, false
}
