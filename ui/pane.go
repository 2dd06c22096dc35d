package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// view is what the pane shows.
type view uint8

const (
	logView view = iota
	failureView
	detailView
	historyView
	views
)

var viewNames = [views]string{"log", "failures", "details", "history"}

// Bounds of what the pane keeps of one server.
const (
	maxLines     = 1000 // the tail's own bound (T3)
	maxEvents    = 5000
	maxHeld      = 3000 // lines, while it is scrolled up
	maxHeldBytes = 1 << 20
)

// pane tells of the selected server: its lines, failures, details or history.
type pane struct {
	server  string
	view    view
	zoomed  bool // on the whole screen
	narrow  bool // the divider has no room for all views' names
	silent  bool // nor for what lies outside the table
	share   int  // of the body, in thousandths; 0 is what the table leaves
	wrap    bool
	search  string
	scrolls [views]scroll

	log       []entry
	lastLine  uint64  // the newest line that is here
	lastRun   uint64  // the newest run that has a line here
	ends      []ended // how the runs before it ended, by run
	history   []entry
	failures  []entry
	latencies []time.Duration // of probes that were answered
	lastEvent uint64          // the newest event that is here
	latest    *model.Row      // the row when events were last read
	day       timeline
	usage     usage
	stopping  bool // rollcall is

	resting                       bool // its log is not read for now
	fetchingLines, fetchingEvents bool // a command is under way; the next one waits for it
}

func newPane() pane {
	p := pane{wrap: true}
	p.follow()
	return p
}

// follow starts every view at its natural end.
func (p *pane) follow() {
	p.scrolls = [views]scroll{logView: {follow: true}, failureView: {follow: true}, historyView: {follow: true}}
}

// turn goes to another view. A search was for the one before.
func (p *pane) turn(v view) {
	if p.view != v {
		p.view, p.search = v, ""
	}
}

// show turns to a server, and forgets the one before, and what was searched for
// in it.
func (p *pane) show(server string) {
	if p.server == server {
		return
	}
	*p = pane{server: server, view: p.view, zoomed: p.zoomed, share: p.share, wrap: p.wrap, stopping: p.stopping,
		fetchingLines: p.fetchingLines, fetchingEvents: p.fetchingEvents}
	p.follow()
}

// page lays out the entries of the present view on so many lines.
func (p *pane) page(l *look, row *model.Row, width, height int, now time.Time) *page {
	pg := &page{look: l, height: height, wrap: p.wrap, query: strings.ToLower(p.search), bare: p.zoomed}
	switch p.view {
	case logView:
		pg.entries = p.log
	case failureView:
		pg.entries = p.failures
	case detailView:
		pg.entries = details(row, &p.usage, p.stopping, now)
	case historyView:
		pg.entries = p.history
	}
	head := 0
	if len(pg.entries) > 0 {
		head = l.width(pg.entries[0].head)
	}
	pg.width = width - head
	if !pg.bare {
		pg.width-- // the cursor
	}
	if pg.width < 10 {
		pg.wrap = false
	}
	return pg
}

// listHeight is what is left of so many lines below the divider for entries.
func (p *pane) listHeight(height int) int {
	if p.view == historyView {
		height -= p.summaryHeight(height)
	}
	return max(height, 0)
}

// draw writes the divider, which says what lies outside the table, and the pane
// below it, height lines in all. On the whole screen there is no divider: a
// selection with the terminal's own mouse copies text alone.
func (p *pane) draw(c *canvas, row *model.Row, out outside, height int, focused bool, now time.Time) {
	p.silent = true
	if height < 1 {
		return
	}
	end := c.lines + height
	if !p.zoomed {
		height--
	}
	pg := p.page(c.look, row, c.width, p.listHeight(height), now)
	v := &p.scrolls[p.view]
	v.settle(pg)
	if !p.zoomed {
		p.drawDivider(c, p.state(row, pg), out, focused)
	}
	if p.view == historyView {
		p.drawSummary(c, p.summaryHeight(height))
	}
	if len(pg.entries) == 0 && c.lines < end {
		c.put(dim, " "+p.emptyText(row))
		c.end()
	}
	v.draw(c, pg, focused)
	c.until(end)
}

// state says where the pane stands: which match, following, or how much is new
// below.
func (p *pane) state(row *model.Row, pg *page) string {
	v := &p.scrolls[p.view]
	found := pg.found(v.cur)
	if found != "" {
		found += " "
	}
	n := v.unseen(pg)
	if p.view == logView && row != nil && row.Lines > p.lastLine && p.full() {
		n += int(row.Lines - p.lastLine)
	}
	switch {
	case p.view == detailView || len(pg.entries) == 0:
		return strings.TrimSpace(found)
	case v.follow:
		return found + following
	case n > 0:
		return found + strconv.Itoa(n) + " new: f follows"
	}
	return found + "held: f follows"
}

// following is the state that a log is in for most of the time.
const following = "following"

// title is server, view and state in a line, for a pane without a divider.
func (p *pane) title(row *model.Row, pg *page) string {
	return strings.TrimSpace(p.server + " " + viewNames[p.view] + " " + p.state(row, pg))
}

// drawDivider names the server and the views, and says what lies outside the
// table, and how the pane stands.
func (p *pane) drawDivider(c *canvas, state string, out outside, focused bool) {
	l := c.look
	tail := ""
	if state != "" {
		tail = " " + state + " "
	}
	p.narrow = p.tabsEnd(l, false)+l.width(tail)+1 > c.width
	told, tail := p.tell(l, out, tail, c.width)
	p.silent = told == nil
	c.put(head, l.signs.rule+" ")
	c.put(strong, p.server)
	c.put(head, " "+l.signs.rule+l.signs.rule)
	for v := range views {
		switch label := p.tab(v, p.narrow); {
		case v == p.view && focused:
			c.put(note, "["+label+"]")
		case v == p.view:
			c.put(strong, "["+label+"]")
		default:
			c.put(dim, " "+label+" ")
		}
	}
	c.put(head, strings.Repeat(l.signs.rule, max(c.left-l.widthOf(told)-l.width(tail)-1, 0)))
	putAll(c, told)
	c.put(dim, tail)
	c.put(head, l.signs.rule)
	c.end()
}

// tell is what the divider says of the rows outside the table, and the tail that
// is left beside it: names come first, and what the pane says of itself, unless
// that is what it says nearly always. It is nil where there is no room.
func (p *pane) tell(l *look, out outside, tail string, width int) (told []piece, left string) {
	room := width - p.tabsEnd(l, p.narrow) - len("-") - len("-") // a rule before it, and the last one
	for _, form := range out.wordings(l) {
		w := l.widthOf(form) + len("  ")
		switch {
		case tail != "" && w+len("-")+l.width(tail) <= room:
			return slices.Concat([]piece{{dim, " "}}, form, []piece{{dim, " "}, {head, l.signs.rule}}), tail
		case (tail == "" || strings.TrimSpace(tail) == following) && w <= room:
			return slices.Concat([]piece{{dim, " "}}, form, []piece{{dim, " "}}), ""
		}
	}
	return nil, tail
}

// tab is a view's name in the divider; where there is no room for all, the
// present one's alone.
func (p *pane) tab(v view, narrow bool) string {
	n := strconv.Itoa(int(v) + 1)
	if narrow && v != p.view {
		return n
	}
	return n + " " + viewNames[v]
}

// tabsStart and tabsEnd are the cells of the divider between which the views
// are named.
func (p *pane) tabsStart(l *look) int { return 2 + l.width(p.server) + 3 }

func (p *pane) tabsEnd(l *look, narrow bool) int {
	at := p.tabsStart(l)
	for v := range views {
		at += len(p.tab(v, narrow)) + 2
	}
	return at
}

// emptyText says why there is nothing.
func (p *pane) emptyText(row *model.Row) string {
	switch {
	case row == nil:
		return "no server is selected"
	case p.view == failureView:
		return "no failure in the last 24 h"
	case p.view == historyView:
		return "nothing happened in the last 24 h"
	case row.Lines > 0:
		return ""
	case !row.LastFailure.IsZero():
		return "nothing on stderr; last failure: " + row.LastFailure.String()
	}
	return "nothing was written to stderr yet"
}
