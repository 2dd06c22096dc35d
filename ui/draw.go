package ui

import "strings"

// Heights, in lines, below which something has no room.
const (
	minTable = 4  // heads and three rows
	minPane  = 3  // the divider and two lines
	minBoth  = 9  // below it only one of them is shown
	minDay   = 30 // of the screen: below it the header has no day of the fleet
)

// draw builds the whole frame: exactly a.height lines, none wider than
// a.width.
func (a *app) draw() string {
	if a.width < 1 || a.height < 1 {
		return ""
	}
	c := newCanvas(a.look, a.width, len(a.frame)+a.width)
	footer := min(1, a.height-1)
	if !a.bare() {
		a.drawHeader(c, a.headerRoom())
		if a.height >= minDay {
			a.drawFleetDay(c)
		}
	}
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
	return firstLines(c.frame(), a.height)
}

// bare reports whether the pane has the screen for itself, but for the footer:
// not while there is something to read that the header or the body says.
func (a *app) bare() bool {
	return a.pane.zoomed && len(a.table.all) > 0 && a.mode != helping && !(a.mode == asking && a.question.reload != nil) &&
		a.lost == "" && !a.fleet.Stopping
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
	case a.height < 20:
		return 3
	}
	return 4
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
			c.outOfDate(a.lost != "")
			a.table.draw(c, table, a.focus == inTable, now)
			c.outOfDate(false)
		}
	}
	if a.pane.zoomed && pane > 0 { // its divider is beyond the screen's top
		a.places.pane, a.places.paneHeight = a.places.pane-1, pane+1
	}
	a.pane.draw(c, a.table.row(), a.outside(), pane, a.focus == inPane, now)
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
