package ui

import "sort"

// entry is one item of the pane: a line of the log, an event, a line of the
// details. head is never wrapped; a long text is wrapped or cut beside it.
type entry struct {
	seq  uint64 // grows from entry to entry
	head string // the time and a sign of what kind it is; all of one width in a view
	tone tone
	text string
	run  uint64 // of a rule in the log: whose end it tells
}

// spot is a row of the pane: the entry, and which of its wrapped rows. It
// names the entry by its seq, so that it holds while entries come and go.
type spot struct {
	seq uint64
	sub int
}

// scroll is a position among entries: the current row, and the first visible
// one. While it follows, the current row is the last one (D5).
type scroll struct {
	cur, top spot
	follow   bool
	newest   uint64 // the last entry that was there when following ended
}

// page is entries as they are laid out: how wide, how high, wrapped or cut.
type page struct {
	entries []entry
	look    *look
	width   int // of the text beside the head; 0 or less shows nothing
	height  int
	wrap    bool
	query   string // what is searched for, in lower case
	bare    bool   // no column for the cursor: what a terminal selects is text alone
}

// rows is the text of entry i, row by row.
func (p *page) rows(i int) []string {
	if !p.wrap {
		return []string{p.entries[i].text}
	}
	return p.look.wrap(p.entries[i].text, p.width)
}

// rowCount is how many rows entry i takes.
func (p *page) rowCount(i int) int {
	if !p.wrap || len(p.entries[i].text) <= p.width {
		return 1
	}
	return len(p.rows(i))
}

// index is the place of a spot's entry, or of the next one where it is gone.
func (p *page) index(s spot) int {
	i := sort.Search(len(p.entries), func(i int) bool { return p.entries[i].seq >= s.seq })
	return min(i, len(p.entries)-1)
}

// step is the spot n rows after s (before it, where n is negative), at most at
// either end. It wraps only the entries that it passes.
func (p *page) step(s spot, n int) spot {
	if len(p.entries) == 0 {
		return spot{}
	}
	i := p.index(s)
	sub := min(s.sub, p.rowCount(i)-1)
	if p.entries[i].seq != s.seq {
		sub = 0
	}
	for ; n < 0; n++ {
		switch {
		case sub > 0:
			sub--
		case i > 0:
			i--
			sub = p.rowCount(i) - 1
		default:
			n = -1
		}
	}
	for ; n > 0; n-- {
		switch {
		case sub+1 < p.rowCount(i):
			sub++
		case i+1 < len(p.entries):
			i, sub = i+1, 0
		default:
			n = 1
		}
	}
	return spot{p.entries[i].seq, sub}
}

// last is the last row of all.
func (p *page) last() spot {
	if len(p.entries) == 0 {
		return spot{}
	}
	i := len(p.entries) - 1
	return spot{p.entries[i].seq, p.rowCount(i) - 1}
}

func (s spot) before(o spot) bool { return s.seq < o.seq || s.seq == o.seq && s.sub < o.sub }

// settle moves the visible part so that the current row is in it, and no
// farther.
func (v *scroll) settle(p *page) {
	if len(p.entries) == 0 {
		return
	}
	if v.follow {
		v.cur = p.last()
	}
	v.cur, v.top = p.step(v.cur, 0), p.step(v.top, 0)
	if lowest := p.step(v.cur, -max(p.height-1, 0)); v.top.before(lowest) {
		v.top = lowest
	}
	if v.cur.before(v.top) {
		v.top = v.cur
	}
	if full := p.step(p.last(), -max(p.height-1, 0)); full.before(v.top) {
		v.top = full // no empty rows below the last one
	}
}

// move goes n rows up or down. Leaving the last row ends following; coming
// back to it by moving down resumes it.
func (v *scroll) move(p *page, n int) {
	v.settle(p)
	v.to(p, p.step(v.cur, n), n > 0)
}

func (v *scroll) to(p *page, s spot, resume bool) {
	last := p.last()
	if v.follow && s != last {
		v.follow, v.newest = false, last.seq
	}
	v.cur = s
	if resume && s == last {
		v.follow = true
	}
	v.settle(p)
}

// unseen is how many entries have come since following ended.
func (v *scroll) unseen(p *page) int {
	if v.follow || len(p.entries) == 0 {
		return 0
	}
	return len(p.entries) - sort.Search(len(p.entries), func(i int) bool { return p.entries[i].seq > v.newest })
}

// draw writes the visible rows of a page that it has settled on.
func (v *scroll) draw(c *canvas, p *page, focused bool) {
	if len(p.entries) == 0 || p.height < 1 {
		return
	}
	i, sub := p.index(v.top), v.top.sub
	for n := 0; n < p.height && i < len(p.entries); i, sub = i+1, 0 {
		n += v.drawEntry(c, p, i, sub, p.height-n, focused)
	}
}

// drawEntry writes at most limit rows of entry i, from its row sub on, and
// returns how many.
func (v *scroll) drawEntry(c *canvas, p *page, i, sub, limit int, focused bool) int {
	e, rows := &p.entries[i], p.rows(i)
	marks, begins := p.matches(i), []int(nil)
	if len(marks) > 0 {
		begins = locate(e.text, rows)
	}
	here := focused && e.seq == v.cur.seq
	n := 0
	for ; sub < len(rows) && n < limit; sub, n = sub+1, n+1 {
		c.selected(here)
		if !p.bare {
			cursor := " "
			if here && sub == v.cur.sub {
				cursor = c.look.signs.cursor
			}
			c.put(strong, cursor)
		}
		if sub == 0 {
			c.put(dim, e.head)
		} else {
			c.fill(c.look.width(e.head))
		}
		if len(marks) > 0 {
			putMarked(c, e.tone, rows[sub], begins[sub], marks)
		} else {
			c.put(e.tone, rows[sub])
		}
		if here {
			c.fill(c.left)
		}
		c.selected(false)
		c.end()
	}
	return n
}
