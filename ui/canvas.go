package ui

import "strings"

// canvas is the frame in the making: lines of exactly the screen's width at
// most, so that no text spills (D5). Its zero value is not usable.
type canvas struct {
	b     strings.Builder
	look  *look
	set   *[tones]style
	width int  // of a line, in cells
	left  int  // cells left in the present line
	lines int  // lines that were ended
	grey  bool // what is drawn is no longer known to be so
	open  *style
}

// newCanvas is a canvas for a frame of about so many bytes.
func newCanvas(l *look, width, bytes int) *canvas {
	c := &canvas{look: l, set: &l.sets[0], width: width, left: width}
	c.b.Grow(bytes)
	return c
}

// selected chooses the styles of the selected row, or of all others.
func (c *canvas) selected(on bool) {
	switch {
	case on:
		c.set = &c.look.sets[1]
	case c.grey:
		c.set = &c.look.sets[2]
	default:
		c.set = &c.look.sets[0]
	}
}

// outOfDate draws what follows grey, until it is taken back.
func (c *canvas) outOfDate(on bool) {
	c.grey = on
	c.selected(false)
}

// put writes a text, cut at the line's end.
func (c *canvas) put(t tone, s string) {
	if c.left <= 0 || s == "" {
		return
	}
	s = c.look.drawn(s)
	w := c.look.width(s)
	if w > c.left {
		s = c.look.cut(s, c.left)
		w = c.look.width(s)
		defer c.fill(c.left - w) // where a wide character did not fit
	}
	c.write(t, s, w)
}

// write writes a text that takes w cells, which are there.
func (c *canvas) write(t tone, s string, w int) {
	if s == "" {
		return
	}
	c.pen(&c.set[t])
	c.b.WriteString(s)
	c.left -= w
}

// pen is how what follows is drawn; nil ends that. What is drawn alike, side by
// side, has the sequences of it once: they cost more than the text, here and
// where they are read.
func (c *canvas) pen(st *style) {
	if st == c.open || st != nil && c.open != nil && *st == *c.open {
		return
	}
	if c.open != nil {
		c.b.WriteString(c.open.off)
	}
	if c.open = st; st != nil {
		c.b.WriteString(st.on)
	}
}

// field writes a text into exactly w cells, cut or filled up.
func (c *canvas) field(t tone, s string, w int, right bool) {
	w = min(w, c.left)
	if w <= 0 {
		return
	}
	s = c.look.drawn(s)
	n := c.look.width(s)
	if n > w {
		s = c.look.cut(s, w)
		n = c.look.width(s)
	}
	if right {
		c.fill(w - n)
	}
	c.write(t, s, n)
	if !right {
		c.fill(w - n)
	}
}

// fill writes n spaces, as many as fit.
func (c *canvas) fill(n int) {
	n = min(n, c.left)
	if n <= 0 {
		return
	}
	c.pen(&c.set[plain])
	for left := n; left > 0; left -= len(blanks) {
		c.b.WriteString(blanks[:min(left, len(blanks))])
	}
	c.left -= n
}

const blanks = "                                                                "

// frame is all that was drawn.
func (c *canvas) frame() string {
	c.pen(nil)
	return c.b.String()
}

// end ends the line.
func (c *canvas) end() {
	c.pen(nil)
	c.b.WriteByte('\n')
	c.left = c.width
	c.lines++
}

// until ends lines until n of them are there.
func (c *canvas) until(n int) {
	for c.lines < n {
		c.end()
	}
}
