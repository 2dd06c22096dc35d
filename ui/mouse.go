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
			a.pane.view = v
			return a.fetch()
		}
		a.dragging = !a.pane.zoomed
	case p.paneHeight > 0 && y > p.pane && y < p.pane+p.paneHeight:
		a.focus = inPane
	case y > p.table && y < p.table+p.tableHeight:
		if i := a.table.top + y - p.table - 1; i < len(a.table.shown) {
			a.focus = inTable
			a.table.selectAt(i)
			return a.fetch()
		}
	}
	return nil
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
	at := 2 + l.width(p.server) + 3
	for i, name := range viewNames {
		w := len(name) + 4
		if x >= at && x < at+w {
			return view(i), true
		}
		at += w
	}
	return 0, false
}
