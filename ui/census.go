package ui

import (
	"slices"
	"strconv"
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
	for i, r := range c.down[:min(len(c.down), maxNamed+1)] { // nobody reads the others
		names[i] = r.Server + " for " + long(now.Sub(r.DownSince))
	}
	head := strconv.Itoa(len(names)) + " down: "
	for n := maxNamed; n > 1; n-- {
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
// cells), from allWords down to least, or on a line of their own (line cells).
func (c census) fit(l *look, least words, room, line int) (pieces []piece, width int, own bool) {
	for w := allWords; w <= least; w++ {
		if pieces, width = c.counts(l, w); width <= room {
			return pieces, width, false
		}
	}
	for w := allWords; ; w++ {
		if pieces, width = c.counts(l, w); width <= line || w == tight {
			return pieces, width, true
		}
	}
}
