package ui

import (
	"strconv"
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
	maxLines  = 1000 // the tail's own bound (T3)
	maxEvents = 5000
)

// pane tells of the selected server: its lines, failures, details or history.
type pane struct {
	server  string
	view    view
	zoomed  bool // on the whole screen
	share   int  // of the body, in thousandths; 0 is what the table leaves
	wrap    bool
	search  string
	scrolls [views]scroll

	log       []entry
	lastLine  uint64 // the newest line that is here
	history   []entry
	failures  []entry
	latencies []time.Duration // of probes that were answered
	lastEvent uint64          // the newest event that is here
	latest    *model.Row      // the row when events were last read

	fetching bool // a command is under way; the next one waits for it
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

// show turns to a server, and forgets the one before.
func (p *pane) show(server string) {
	if p.server == server {
		return
	}
	p.server, p.log, p.lastLine = server, nil, 0
	p.history, p.failures, p.latencies, p.lastEvent, p.latest = nil, nil, nil, 0, nil
	p.follow()
}

// addLines appends lines of the tail. A gap says how many were dropped.
func (p *pane) addLines(lines []model.Line) {
	for _, l := range lines {
		if l.Seq <= p.lastLine {
			continue
		}
		if missing := l.Seq - p.lastLine - 1; missing > 0 {
			p.log = append(p.log, entry{seq: l.Seq - 1, head: "           ", tone: dim,
				text: "(" + several(int(missing), "earlier line") + " no longer kept)"})
		}
		p.lastLine = l.Seq
		p.log = append(p.log, lineEntry(l))
	}
	if extra := len(p.log) - maxLines; extra > 0 {
		p.log = append(p.log[:0:0], p.log[extra:]...)
	}
}

// lineEntry sets rollcall's own lines apart from what the server said, and
// failures from both, by a sign and by colour.
func lineEntry(l model.Line) entry {
	e := entry{seq: l.Seq, head: l.At.Local().Format(time.TimeOnly), text: l.Text.String()}
	switch l.Kind {
	case model.LineStderr:
		e.head += " | "
	case model.LineNoise:
		e.head, e.tone = e.head+" # ", dim
	case model.LineEvent:
		e.head, e.tone = e.head+"   ", active
	case model.LineFailure:
		e.head, e.tone = e.head+" ! ", bad
	}
	return e
}

// addEvents appends events of the server. Probes that were answered are not
// listed: the sparkline tells of these.
func (p *pane) addEvents(events []model.Event) {
	for _, e := range events {
		if e.Seq <= p.lastEvent {
			continue
		}
		p.lastEvent = e.Seq
		if e.Kind.Failure() {
			p.failures = append(p.failures, failureEntries(e)...)
		}
		if e.Kind == model.EvProbe && e.Outcome.String() == model.Alive.String() {
			if e.Elapsed.Ok {
				p.latencies = append(p.latencies, time.Duration(e.Elapsed.V))
			}
			continue
		}
		p.history = append(p.history, historyEntry(e))
	}
	p.history, p.failures, p.latencies = newest(p.history), newest(p.failures), newest(p.latencies)
}

// newest keeps the last maxEvents.
func newest[T any](all []T) []T {
	if extra := len(all) - maxEvents; extra > 0 {
		return append([]T(nil), all[extra:]...)
	}
	return all
}

// page lays out the entries of the present view on so many lines.
func (p *pane) page(l *look, row *model.Row, width, height int, now time.Time) *page {
	pg := &page{look: l, height: height, wrap: p.wrap}
	switch p.view {
	case logView:
		pg.entries = p.log
	case failureView:
		pg.entries = p.failures
	case detailView:
		pg.entries = details(row, now)
	case historyView:
		pg.entries = p.history
	}
	head := 0
	if len(pg.entries) > 0 {
		head = l.width(pg.entries[0].head)
	}
	pg.width = width - 1 - head
	if pg.width < 10 {
		pg.wrap = false
	}
	return pg
}

// draw writes the divider and the pane below it, height lines in all.
func (p *pane) draw(c *canvas, row *model.Row, height int, focused bool, now time.Time) {
	if height < 1 {
		return
	}
	end := c.lines + height
	height-- // the divider
	spark := ""
	if p.view == historyView && height > 2 {
		spark = sparkline(c.look, p.latencies, c.width-2)
	}
	if spark != "" {
		height--
	}
	pg := p.page(c.look, row, c.width, height, now)
	v := &p.scrolls[p.view]
	v.settle(pg)
	p.drawDivider(c, p.state(pg), focused)
	if spark != "" {
		c.put(dim, " "+spark)
		c.end()
	}
	if len(pg.entries) == 0 && height > 0 {
		c.put(dim, " "+p.emptyText(row))
		c.end()
	}
	v.draw(c, pg, focused)
	c.until(end)
}

// state says where the pane stands: following, or how much is new below.
func (p *pane) state(pg *page) string {
	v := &p.scrolls[p.view]
	switch n := v.unseen(pg); {
	case p.view == detailView || len(pg.entries) == 0:
		return ""
	case v.follow:
		return "following"
	case n > 0:
		return strconv.Itoa(n) + " new: f follows"
	}
	return "held: f follows"
}

// drawDivider names the server and the views, and how the pane stands.
func (p *pane) drawDivider(c *canvas, state string, focused bool) {
	l := c.look
	c.put(head, l.signs.rule+" ")
	c.put(strong, p.server)
	c.put(head, " "+l.signs.rule+l.signs.rule)
	for i, name := range viewNames {
		label := strconv.Itoa(i+1) + " " + name
		switch {
		case view(i) == p.view && focused:
			c.put(note, "["+label+"]")
		case view(i) == p.view:
			c.put(strong, "["+label+"]")
		default:
			c.put(dim, " "+label+" ")
		}
	}
	tail := ""
	if state != "" {
		tail = " " + state + " "
	}
	for c.left > l.width(tail)+1 {
		c.put(head, l.signs.rule)
	}
	c.put(dim, tail)
	c.put(head, l.signs.rule)
	c.end()
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
