package ui

import (
	"strconv"
	"strings"
)

// holds reports whether an entry's text holds the query, whatever its case.
// An empty query is held by none.
func (p *page) holds(i int) bool {
	return p.query != "" && strings.Contains(strings.ToLower(p.entries[i].text), p.query)
}

// found says which match the current row is, and how many there are: `3/17`;
// where it is none, how many there are.
func (p *page) found(cur spot) string {
	if p.query == "" {
		return ""
	}
	at, all, on := 0, 0, false
	for i := range p.entries {
		if !p.holds(i) {
			continue
		}
		all++
		if s := p.entries[i].seq; s <= cur.seq {
			at, on = all, s == cur.seq
		}
	}
	if on {
		return strconv.Itoa(at) + "/" + strconv.Itoa(all)
	}
	return strconv.Itoa(all) + " found"
}

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// matches is where the query is in an entry's text. Where lower case has
// another length than the text, no place can be told, and none is.
func (p *page) matches(i int) []stretch {
	if !p.holds(i) {
		return nil
	}
	text := strings.ToLower(p.entries[i].text)
	if len(text) != len(p.entries[i].text) {
		return nil
	}
	var all []stretch
	for at := 0; ; {
		n := strings.Index(text[at:], p.query)
		if n < 0 {
			return all
		}
		all = append(all, stretch{at + n, at + n + len(p.query)})
		at += n + len(p.query)
	}
}

// locate is where the rows of a wrapped text begin in it: a match that is
// broken over two rows is marked in both.
func locate(text string, rows []string) []int {
	starts := make([]int, len(rows))
	at := 0
	for i, row := range rows {
		if n := strings.Index(text[at:], row); n >= 0 {
			at += n
		}
		starts[i] = at
		at = min(at+len(row), len(text))
	}
	return starts
}

// putMarked writes a row that begins at a place of its text, with what matches
// set off.
func putMarked(c *canvas, t tone, row string, begins int, marks []stretch) {
	at := 0
	for _, m := range marks {
		from, to := clamp(m.from-begins, at, len(row)), clamp(m.to-begins, at, len(row))
		if from == to {
			continue
		}
		c.put(t, row[at:from])
		c.put(match, row[from:to])
		at = to
	}
	c.put(t, row[at:])
}

// find goes to the next entry (or the previous, where back is set) that holds
// the query, and reports whether there is one.
func (v *scroll) find(p *page, back bool) bool {
	if p.query == "" || len(p.entries) == 0 {
		return false
	}
	v.settle(p)
	n, at := len(p.entries), p.index(v.cur)
	for k := 1; k <= n; k++ {
		i := (at + k) % n
		if back {
			i = (at - k + n) % n
		}
		if p.holds(i) {
			v.to(p, spot{p.entries[i].seq, 0}, false)
			return true
		}
	}
	return false
}
