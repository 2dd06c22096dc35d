package ui

import "strings"

// Heights, in lines, below which something has no room.
const (
	minTable = 4 // heads and three rows
	minPane  = 3 // the divider and two lines
	minBoth  = 9 // below it only one of them is shown
)

// draw builds the whole frame: exactly a.height lines, none wider than
// a.width.
func (a *app) draw() string {
	if a.width < 1 || a.height < 1 {
		return ""
	}
	c := newCanvas(a.look, a.width)
	footer := min(1, a.height-1)
	a.drawHeader(c, a.headerRoom())
	body := max(a.height-footer-c.lines, 0)
	switch {
	case a.mode == helping:
		a.drawHelp(c, body)
	case a.mode == asking && a.question.reload != nil:
		a.drawReload(c, *a.question.reload, body)
	default:
		a.drawBody(c, body)
	}
	c.until(a.height - footer)
	if footer > 0 {
		a.drawFooter(c)
	}
	return firstLines(c.b.String(), a.height)
}

// headerRoom is how many lines the header may take.
func (a *app) headerRoom() int {
	switch {
	case a.height < 3:
		return 0
	case a.height < 8:
		return 1
	case a.height < 14:
		return 2
	}
	return 3
}

// drawBody divides the lines between table and pane.
func (a *app) drawBody(c *canvas, height int) {
	now := a.engineNow()
	table, pane := a.divide(height)
	a.places = places{table: c.lines, tableHeight: table, pane: c.lines + table, paneHeight: pane}
	if table > 0 {
		if len(a.table.shown) == 0 {
			a.drawEmpty(c, table)
		} else {
			a.table.draw(c, table, a.focus == inTable, now)
		}
	}
	a.pane.draw(c, a.table.row(), pane, a.focus == inPane, now)
}

// divide shares the body out: all to the pane where it is zoomed, all to one
// of them where there is no room for both.
func (a *app) divide(height int) (table, pane int) {
	switch {
	case len(a.table.all) == 0:
		return height, 0
	case a.pane.zoomed:
		return 0, height
	case height < minBoth && a.focus == inPane:
		return 0, height
	case height < minBoth:
		return height, 0
	}
	table = min(height*6/10, len(a.table.all)+2) // no more than it needs
	if a.pane.share > 0 {
		table = height - (height*a.pane.share+500)/1000
	}
	table = clamp(table, minTable, height-minPane)
	return table, height - table
}

func (a *app) drawEmpty(c *canvas, height int) {
	end := c.lines + height
	if height > 3 {
		c.end()
	}
	for i, line := range a.emptyLines() {
		if c.lines == end {
			break
		}
		t := plain
		if i == 0 {
			t = strong
		}
		c.fill(a.table.layout.gutter)
		c.put(t, line)
		c.end()
	}
	c.until(end)
}

// firstLines is at most n lines of s, without the last line's end.
func firstLines(s string, n int) string {
	at := 0
	for range n {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
	}
	return s[:max(at-1, 0)]
}
