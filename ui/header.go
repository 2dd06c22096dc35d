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
	phases [model.Phases]int
	down   []*model.Row // with an open episode, the longest first
}

func count(rows []*model.Row) census {
	var c census
	for _, r := range rows {
		c.phases[r.Phase]++
		if !r.DownSince.IsZero() {
			c.down = append(c.down, r)
		}
	}
	slices.SortStableFunc(c.down, func(a, b *model.Row) int { return a.DownSince.Compare(b.DownSince) })
	return c
}

// downText names who is down, and since when: `2 down: github for 13 min,
// search for 40 s`.
func (c census) downText(now time.Time) string {
	names := make([]string, len(c.down))
	for i, r := range c.down {
		names[i] = r.Server + " for " + long(now.Sub(r.DownSince))
	}
	return strconv.Itoa(len(names)) + " down: " + firstOf(names, 3)
}

// words says which phases' counts bear their word beside the glyph.
type words uint8

const (
	allWords words = iota
	problemWords
	noWords
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
		if width > 0 {
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
		if pieces, width = c.counts(l, w); width <= line || w == noWords {
			return pieces, width, true
		}
	}
}

// piece is a text and what it means.
type piece struct {
	tone tone
	text string
}

// drawHeader writes the header: two lines where the counts need one of their
// own, and one more for what an operator must know. At most limit lines.
func (a *app) drawHeader(c *canvas, limit int) {
	if limit < 1 {
		return
	}
	clock := a.clock().Format(time.TimeOnly)
	title := a.fleet.Host.String()
	if file := a.fleet.Config.String(); file != "" {
		title += " " + a.look.signs.dot + " " + filepath.Base(file)
	}
	room := a.width - a.look.width(" rollcall  "+title) - len(clock) - 6
	pieces, width, own := a.census.fit(a.look, room, a.width-2)
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
	if n, w := a.notice(), a.waits(); n.text+w.text != "" && c.lines < limit {
		c.fill(1)
		if putAll(c, []piece{w}); w.text != "" && n.text != "" {
			c.fill(3)
		}
		putAll(c, []piece{n})
		c.end()
	}
}

// waits says how many servers wait for a reload (C8). It stands before what is
// long; nothing is said of it where the file cannot be read, or no more.
func (a *app) waits() piece {
	w := a.fleet.Waits.Text()
	if w.IsZero() || a.lost != "" || a.fleet.Stopping || !a.fleet.Note.IsZero() {
		return piece{}
	}
	return piece{warn, "reload (R): " + w.String()}
}

func putAll(c *canvas, pieces []piece) {
	for _, p := range pieces {
		c.put(p.tone, p.text)
	}
}

// notice is the one thing that an operator must know now.
func (a *app) notice() piece {
	switch {
	case a.lost != "":
		return piece{bad, "engine lost: " + a.lost + " " + a.look.signs.dot + " what is shown is from " +
			a.fleet.At.Local().Format(time.TimeOnly) + ", tried again each second; q quits"}
	case a.fleet.Stopping:
		return piece{warn, "stopping: " + several(running(a.fleet.Rows), "server") + " still running"}
	case !a.fleet.Note.IsZero() && len(a.fleet.Rows) > 0:
		text := a.fleet.Note.String()
		if n := len(a.census.down); n > 0 { // the file hides nobody who is down
			text = strconv.Itoa(n) + " down " + a.look.signs.dot + " " + text
		}
		return piece{bad, text}
	case len(a.census.down) > 0:
		return piece{bad, a.census.downText(a.engineNow())}
	}
	return piece{}
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
		return []string{"no server matches " + strconv.Quote(a.table.filter), "esc clears the filter"}
	case len(a.fleet.Rows) > 0:
		return []string{"no problems", "p shows all " + several(len(a.fleet.Rows), "server")}
	case !a.fleet.Note.IsZero():
		return append(strings.Split(a.fleet.Note.String(), "\n"), "",
			"Mend "+file+" and save it: it is read again at once.",
			"`rollcall check` lists every problem, with its line.")
	case a.fleet.Waits.Added > 0:
		return []string{several(a.fleet.Waits.Added, "server") + " in " + file + ", none started yet.", "",
			"Press R: it shows what is new, and asks."}
	}
	return []string{"No servers in " + file + ".", "",
		"Add one, save the file, and press R:",
		"", "  [servers.everything]", `  command = "npx"`, `  args = ["-y", "@modelcontextprotocol/server-everything@2026.8.31"]`, "",
		"or take over what another client has: `rollcall import`."}
}
