package ui

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// piece is a text and what it means.
type piece struct {
	tone tone
	text string
}

// ownLineFor is how long counts that needed a line of their own keep it: what is
// below the header must not jump as counts come and go.
const ownLineFor = 30 * time.Second

// minTitle is how many cells the title has at least: fewer tell nothing.
const minTitle = 6

// drawHeader writes the header: two lines where the counts need one of their
// own, and one more for what an operator must know. At most limit lines; where
// there are too few for that one, its shortest form stands first of all.
func (a *app) drawHeader(c *canvas, limit int) {
	if limit < 1 {
		return
	}
	clock := a.clockText()
	lead, pieces, width, own := a.headline(limit, len(clock))
	if lead.text != "" {
		c.put(lead.tone, " "+lead.text)
		c.fill(1)
	}
	tail := len(clock) + 1
	if tail > c.left {
		clock, tail = "", 0
	}
	if !own {
		tail += width + 3
	}
	if room := c.left - tail - 1; room >= minTitle {
		c.put(dim, a.look.cut(" "+a.title(), room))
	}
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

// headline is what the first line begins with, and the counts: beside the title,
// or on a line of their own. On a low screen a line is worth more than words and
// the program's name; and where what is wrong has no line, it stands here.
func (a *app) headline(limit, clock int) (lead piece, pieces []piece, width int, own bool) {
	least := allWords
	fit := func(lead piece) ([]piece, int, bool) {
		room := a.width - a.look.width(lead.text+"   "+a.title()) - clock - 6
		if a.clock().Before(a.ownLine) {
			room = 0
		}
		return a.census.fit(a.look, least, max(room, 0), a.width-1)
	}
	lead = piece{strong, "rollcall"}
	if pieces, width, own = fit(lead); own && a.height < minDay {
		least = problemWords
		if pieces, width, own = fit(lead); own {
			if p, w, still := fit(piece{}); !still {
				lead, pieces, width, own = piece{}, p, w, false
			}
		}
	}
	if own && !a.clock().Before(a.ownLine) {
		a.ownLine = a.clock().Add(ownLineFor)
	}
	if wrong := a.wrongBriefly(); wrong.text != "" && 1+boolInt(own) >= limit {
		lead = wrong
		pieces, width, own = fit(lead)
	}
	return lead, pieces, width, own
}

// title is the host and the configuration's file (D2).
func (a *app) title() string {
	title := a.fleet.Host.String()
	if file := a.fleet.Config.String(); file != "" {
		title += " " + a.look.signs.dot + " " + filepath.Base(file)
	}
	return title
}

// wrongBriefly is what is wrong in a few cells, the worst of it alone, for a
// screen that has no line for notices; empty where nothing is.
func (a *app) wrongBriefly() piece {
	down := len(a.census.down)
	switch {
	case a.lost != "":
		return piece{bad, "engine lost"}
	case a.fleet.Stopping || a.stop != goingOn:
		return piece{warn, "stopping"}
	case down > 0:
		return piece{bad, strconv.Itoa(down) + " down"}
	case !a.fleet.Note.IsZero() && len(a.fleet.Rows) > 0:
		return piece{bad, "file refused"}
	}
	return piece{}
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
		return []piece{{warn, a.stopText(a.engineNow(), a.width-1)}}
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

// lostText says that the engine cannot be read, since when, what to do, and why.
// The reason is last: it may be as long as a path.
func (a *app) lostText() string {
	return "engine lost " + long(a.clock().Sub(a.lostAt)) + " ago (" + a.keys.label(doQuit) + " quits), trying again: " + a.lost
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
