package ui

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// phaseOrder is the order of the header's counts: what is well first.
var phaseOrder = [...]model.Phase{model.Up, model.Settling, model.Starting, model.Queued, model.Waiting, model.Stopping,
	model.Ended, model.Halted, model.Refused, model.Off}

// census is what the header counts.
type census struct {
	phases   [model.Phases]int
	down     []*model.Row // with an open episode that nobody acknowledged, the longest first
	known    int          // that somebody acknowledged
	wanted   int          // that are to run: neither off, ended, halted nor refused
	starting int          // in their first attempt
	queued   int          // of these, without a start slot
}

func count(rows []*model.Row) census {
	var c census
	for _, r := range rows {
		c.phases[r.Phase]++
		switch {
		case !r.AckedSince.IsZero():
			c.known++
		case !r.DownSince.IsZero():
			c.down = append(c.down, r)
		}
		switch r.Phase {
		case model.Off, model.Ended, model.Halted, model.Refused:
			continue
		case model.Queued, model.Starting:
			c.firstStart(r)
		}
		c.wanted++
	}
	slices.SortStableFunc(c.down, func(a, b *model.Row) int { return a.DownSince.Compare(b.DownSince) })
	return c
}

// firstStart counts a server that comes up: its attempt is the first since the
// count started afresh.
func (c *census) firstStart(r *model.Row) {
	if r.Attempt > 0 {
		return
	}
	c.starting++
	if r.Phase == model.Queued {
		c.queued++
	}
}

// manyStarts is from how many servers on their coming up is worth a line.
const manyStarts = 5

// startText says how far many servers have come up: `starting 34/200 · 12
// queued`: of 200 that are to run 34 have had an outcome, or are no longer new.
func (c census) startText(l *look) string {
	if c.starting < manyStarts {
		return ""
	}
	text := "starting " + strconv.Itoa(c.wanted-c.starting) + "/" + strconv.Itoa(c.wanted)
	if c.queued > 0 {
		text += " " + l.signs.dot + " " + strconv.Itoa(c.queued) + " queued"
	}
	return text
}

// downText names who is down, and since when: `5 down: github for 13 min, search
// for 40 s and 3 more`. It names as many as fit into room cells, but one at least,
// and never leaves out how many more there are.
func (c census) downText(l *look, now time.Time, room int) string {
	names := make([]string, len(c.down))
	for i, r := range c.down {
		names[i] = r.Server + " for " + long(now.Sub(r.DownSince))
	}
	head := strconv.Itoa(len(names)) + " down: "
	for n := 3; n > 1; n-- {
		if text := head + firstOf(names, n); l.width(text) <= room {
			return text
		}
	}
	if len(names) == 1 {
		return l.cut(head+names[0], room)
	}
	more := " and " + strconv.Itoa(len(names)-1) + " more"
	return l.cut(head+names[0], max(room-l.width(more), 0)) + more
}

// words says which phases' counts bear their word beside the glyph.
type words uint8

const (
	allWords words = iota
	problemWords
	noWords
	tight // nor much room between them
)

// counts writes how many servers are in each phase, and how wide that is.
func (c census) counts(l *look, w words) (pieces []piece, width int) {
	for _, p := range phaseOrder {
		if c.phases[p] == 0 {
			continue
		}
		text := l.phases[p] + " " + strconv.Itoa(c.phases[p])
		if problem := phaseTones[p] == bad || phaseTones[p] == warn; w == allWords || w == problemWords && problem {
			text += " " + p.String()
		}
		switch {
		case width > 0 && w == tight:
			text = " " + text
		case width > 0:
			text = "  " + text
		}
		pieces = append(pieces, piece{phaseTones[p], text})
		width += l.width(text)
	}
	return pieces, width
}

// fit chooses the counts with the most words that fit beside the title (room
// cells), or on a line of their own (line cells).
func (c census) fit(l *look, room, line int) (pieces []piece, width int, own bool) {
	if pieces, width = c.counts(l, allWords); width <= room {
		return pieces, width, false
	}
	for w := allWords; ; w++ {
		if pieces, width = c.counts(l, w); width <= line || w == tight {
			return pieces, width, true
		}
	}
}

// piece is a text and what it means.
type piece struct {
	tone tone
	text string
}

// ownLineFor is how long counts that needed a line of their own keep it: what is
// below the header must not jump as counts come and go.
const ownLineFor = 30 * time.Second

// drawHeader writes the header: two lines where the counts need one of their
// own, and one more for what an operator must know. At most limit lines.
func (a *app) drawHeader(c *canvas, limit int) {
	if limit < 1 {
		return
	}
	clock := a.clockText()
	title := a.fleet.Host.String()
	if file := a.fleet.Config.String(); file != "" {
		title += " " + a.look.signs.dot + " " + filepath.Base(file)
	}
	room := a.width - a.look.width(" rollcall  "+title) - len(clock) - 6
	if a.clock().Before(a.ownLine) {
		room = 0
	}
	pieces, width, own := a.census.fit(a.look, room, a.width-1)
	if own && room > 0 {
		a.ownLine = a.clock().Add(ownLineFor)
	}
	tail := len(clock) + 1
	if !own {
		tail += width + 3
	}
	c.put(strong, " rollcall")
	c.put(dim, a.look.cut("  "+title, max(c.left-tail-1, 0)))
	c.fill(c.left - tail)
	if !own {
		putAll(c, pieces)
		c.fill(3)
	}
	c.put(dim, clock)
	c.end()
	if own && c.lines < limit {
		c.fill(1)
		putAll(c, pieces)
		c.end()
	}
	a.drawNotices(c, limit)
}

// drawNotices writes what an operator must know, the most important first, on
// one line; what is wrong with rollcall itself has one of its own where there
// is room.
func (a *app) drawNotices(c *canvas, limit int) {
	notices, warnings := a.notices(), a.warnings()
	own := len(notices) > 0 && c.lines+1 < limit
	if !own {
		notices = append(notices, warnings...)
	}
	a.drawNoticeLine(c, notices, limit)
	if own {
		a.drawNoticeLine(c, warnings, limit)
	}
}

// noticeGap is the cells between two notices of a line.
const noticeGap = 3

func (a *app) drawNoticeLine(c *canvas, notices []piece, limit int) {
	if len(notices) == 0 || c.lines >= limit {
		return
	}
	c.fill(1)
	for i, n := range notices {
		if i > 0 {
			c.fill(noticeGap)
		}
		c.put(n.tone, n.text)
	}
	c.end()
}

func putAll(c *canvas, pieces []piece) {
	for _, p := range pieces {
		c.put(p.tone, p.text)
	}
}

// notices are what an operator must know now. Some of them leave no room for
// what matters less.
func (a *app) notices() []piece {
	switch {
	case a.lost != "":
		return []piece{{bad, a.lostText()}}
	case a.fleet.Stopping || a.stop != goingOn:
		text, end := a.stopText(a.engineNow())
		return []piece{{warn, a.keepEnd(" "+text+end, end)[1:]}}
	}
	var before, after []piece
	if w := a.waits(); w != "" {
		before = append(before, piece{warn, w})
	}
	if a.census.known > 0 {
		after = append(after, piece{dim, strconv.Itoa(a.census.known) + " acknowledged"})
	}
	if s := a.census.startText(a.look); s != "" {
		after = append(after, piece{active, s})
	}
	room := a.width - 1
	for _, p := range slices.Concat(before, after) {
		room -= a.look.width(p.text) + noticeGap
	}
	if text := a.wrongText(max(room, 0)); text != "" {
		before = append(before, piece{bad, text})
	}
	return append(before, after...)
}

// wrongText is what is wrong with the file, else who is down, in at most room
// cells. The file hides nobody who is down.
func (a *app) wrongText(room int) string {
	down := len(a.census.down)
	switch {
	case !a.fleet.Note.IsZero() && len(a.fleet.Rows) > 0:
		text := a.fleet.Note.String()
		if down > 0 {
			text = strconv.Itoa(down) + " down " + a.look.signs.dot + " " + text
		}
		return a.look.cut(text, room)
	case down > 0:
		return a.census.downText(a.look, a.engineNow(), room)
	}
	return ""
}

// lostText says that the engine cannot be read, since when, and why.
func (a *app) lostText() string {
	return "engine lost " + long(a.clock().Sub(a.lostAt)) + " ago, trying again: " + a.lost + " " + a.look.signs.dot + " " +
		a.keys.label(doQuit) + " quits"
}

// waits says how many servers wait for a reload (C8). It stands before what is
// long; nothing is said of it where the file cannot be read.
func (a *app) waits() string {
	w := a.fleet.Waits.Text()
	if w.IsZero() || !a.fleet.Note.IsZero() {
		return ""
	}
	return "reload (" + a.keys.label(doReload) + "): " + w.String()
}

// warnings are what is wrong with rollcall itself.
func (a *app) warnings() []piece {
	if a.lost != "" {
		return nil
	}
	all := make([]piece, len(a.fleet.Warnings))
	for i, w := range a.fleet.Warnings {
		all[i] = piece{warn, w.String()}
	}
	return all
}

// emptyLines is what an empty table says instead (D11): what is so, and what
// to do.
func (a *app) emptyLines() []string {
	file := a.fleet.Config.String()
	if file == "" {
		file = "servers.toml"
	}
	switch {
	case !a.have:
		return []string{"waiting for the engine's first word"}
	case len(a.fleet.Rows) > 0 && a.table.filter != "":
		return []string{"no server matches " + a.keys.label(openFilter) + a.table.filter, a.keys.label(leave) + " clears the filter"}
	case len(a.fleet.Rows) > 0:
		return []string{"no problems", a.keys.label(cycleProblems) + " shows all " + several(len(a.fleet.Rows), "server")}
	case !a.fleet.Note.IsZero():
		return append(strings.Split(a.fleet.Note.String(), "\n"), "",
			"Mend "+file+" and save it: it is read again at once.",
			"`rollcall check` lists every problem, with its line.")
	case a.fleet.Waits.Added > 0:
		return []string{several(a.fleet.Waits.Added, "server") + " in " + file + ", none started yet.", "",
			"Press " + a.keys.label(doReload) + ": it shows what is new, and asks."}
	}
	return []string{"No servers in " + file + ".", "",
		"Add one, save the file, and press " + a.keys.label(doReload) + ":",
		"", "  [servers.everything]", `  command = "npx"`, `  args = ["-y", "@modelcontextprotocol/server-everything@2026.8.31"]`, "",
		"or take over what another client has: `rollcall import`."}
}
