package ui

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"rollcall/model"
)

// tone is what a piece of text means; look says how that is drawn.
type tone uint8

const (
	plain  tone = iota
	strong      // a name, a title
	dim         // what may be overlooked
	head        // a column's head, a rule
	bad         // needs a person
	warn        // is being retried
	good        // is well
	active      // is on its way
	note        // an order's answer, a key
	match       // what a search found
	tones
)

// style is the control sequences around a text, computed once.
type style struct{ on, off string }

// look is how everything is drawn: the sets of styles, the glyphs, and how text
// is measured.
type look struct {
	sets   [3][tones]style      // see the canvas: a row, the selected one, one that is out of date
	phases [model.Phases]string // one cell each (D9)
	signs  signs
	lots   [lots]string // of a day's parts
	ascii  bool         // see drawn
	cells  ansi.Method
}

// signs are the other glyphs, each of one cell.
type signs struct {
	cursor, mark, none, cut, dot, rule, up, down string
	downFor                                      string            // stands before how long a server has been down
	bars                                         []string          // of a sparkline, lowest first
	arrows                                       *strings.Replacer // what key labels have for arrows
}

// phaseTones is the colour of each phase; its glyph and word say the same.
var phaseTones = [model.Phases]tone{
	model.Off: dim, model.Queued: active, model.Starting: active, model.Settling: active, model.Up: good,
	model.Waiting: warn, model.Stopping: active, model.Ended: warn, model.Halted: bad, model.Refused: bad,
}

// phaseGlyphs fill up as a server comes up. Common fonts have all of them.
var phaseGlyphs = [model.Phases]string{
	model.Off: "◦", model.Queued: "…", model.Starting: "◔", model.Settling: "◕", model.Up: "●",
	model.Waiting: "◌", model.Stopping: "▽", model.Ended: "□", model.Halted: "✕", model.Refused: "⊖",
}

var phaseASCII = [model.Phases]string{
	model.Off: "-", model.Queued: ":", model.Starting: "^", model.Settling: "~", model.Up: "+",
	model.Waiting: "!", model.Stopping: "v", model.Ended: "=", model.Halted: "x", model.Refused: "#",
}

var unicodeSigns = signs{cursor: "▸", mark: "◆", none: "–", cut: "…", dot: "·", rule: "─", up: "▲", down: "▼", downFor: "↓",
	bars: []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, arrows: strings.NewReplacer()}

var asciiSigns = signs{cursor: ">", mark: "*", none: "-", cut: "~", dot: "-", rule: "-", up: "^", down: "v", downFor: "D",
	bars: []string{"_", ".", ":", "-", "=", "+", "*", "#"}, arrows: strings.NewReplacer("↑", "up", "↓", "down")}

// background is what the terminal said of its own. Most are dark, and so is one
// that has not said anything, or never does: a serial line, some multiplexers.
type background uint8

const (
	unknown background = iota
	dark
	light
)

// traits are what the terminal said of itself.
type traits struct {
	back  background
	few   bool        // it has 16 colours
	cells ansi.Method // how it measures text
}

type palette struct{ bad, warn, good, active, note, dim, head, selected color.Color }

// Theme has colours that replace the dashboard's own: by the name of what they
// mean (Tokens), as #rrggbb, or a number of the terminal's 256. Light holds once
// the terminal has said that its background is light, Dark until then.
type Theme struct{ Dark, Light map[string]string }

// Tokens are the names of what has a colour.
func Tokens() []string {
	return []string{"bad", "warn", "good", "active", "note", "dim", "head", "selected"}
}

// with is the palette with some other colours.
func (p palette) with(colours map[string]string) palette {
	at := map[string]*color.Color{"bad": &p.bad, "warn": &p.warn, "good": &p.good, "active": &p.active, "note": &p.note,
		"dim": &p.dim, "head": &p.head, "selected": &p.selected}
	for token, c := range colours {
		if own := at[token]; own != nil {
			*own = lipgloss.Color(c)
		}
	}
	return p
}

// palettes are calm: what is well is muted, what is wrong stands out. The
// selected row's grey is one that 256 colours have too: the nearest to a bluish
// one is teal there.
var palettes = [...]palette{
	dark: {bad: lipgloss.Color("#ef6b73"), warn: lipgloss.Color("#e2b55a"), good: lipgloss.Color("#7fb685"),
		active: lipgloss.Color("#6fb3c8"), note: lipgloss.Color("#8fb4f0"), selected: lipgloss.Color("#303030")},
	light: {bad: lipgloss.Color("#b3261e"), warn: lipgloss.Color("#8a5a00"), good: lipgloss.Color("#2f7d3b"),
		active: lipgloss.Color("#0b6e86"), note: lipgloss.Color("#2457b3"), selected: lipgloss.Color("#e4e4e4")},
}

// fewPalettes are the same for terminals of 16 colours, of their own: the nearest
// to palettes' red and yellow is one red there, the nearest to the selected row's
// grey is the background.
var fewPalettes = [...]palette{
	dark:  {bad: lipgloss.BrightRed, warn: lipgloss.BrightYellow, good: lipgloss.Green, active: lipgloss.Cyan, note: lipgloss.BrightBlue},
	light: {bad: lipgloss.Red, warn: lipgloss.Yellow, good: lipgloss.Green, active: lipgloss.Cyan, note: lipgloss.Blue},
}

// paletteFor is the palette for a terminal, with a theme's colours. As long as
// its background is unknown nothing of the palette's own is put behind a text: the
// text has the terminal's own colour, which may be as dark.
func paletteFor(of traits, t Theme) palette {
	palettes := palettes
	if of.few {
		palettes = fewPalettes
	}
	switch of.back {
	case light:
		return palettes[light].with(t.Light)
	case dark:
		return palettes[dark].with(t.Dark)
	}
	p := palettes[dark]
	p.selected = nil
	return p.with(t.Dark)
}

// newLook computes every style; it is called at the start, and again when the
// terminal names its background or its colours.
func newLook(opts Options, of traits) *look {
	l := &look{phases: phaseGlyphs, signs: unicodeSigns, lots: lotGlyphs, cells: of.cells, ascii: opts.ASCII}
	if opts.ASCII {
		l.phases, l.signs, l.lots, l.cells = phaseASCII, asciiSigns, lotASCII, ansi.WcWidth
	}
	p := paletteFor(of, opts.Theme)
	for i := range l.sets {
		base := lipgloss.NewStyle()
		switch i {
		case 1:
			base = base.Bold(true)
			switch {
			case p.selected != nil:
				base = base.Background(p.selected)
			case of.few: // no grey of these is sure to be seen
				base = base.Reverse(true)
			}
		case 2:
			for t := range l.sets[i] {
				l.sets[i][t] = sgr(faint(base, p.dim))
			}
			continue
		}
		quiet := base
		if i == 0 {
			quiet = faint(base, p.dim)
		}
		l.sets[i] = [tones]style{
			plain: sgr(base), strong: sgr(base.Bold(true)), dim: sgr(quiet), head: sgr(faint(base, p.head)),
			bad: sgr(base.Foreground(p.bad).Bold(true)), warn: sgr(base.Foreground(p.warn)), good: sgr(base.Foreground(p.good)),
			active: sgr(base.Foreground(p.active)), note: sgr(base.Foreground(p.note)), match: sgr(base.Reverse(true)),
		}
	}
	return l
}

// faint is a style for what may be overlooked: in its own colour, where the
// theme has one.
func faint(s lipgloss.Style, own color.Color) lipgloss.Style {
	if own != nil {
		return s.Foreground(own)
	}
	return s.Faint(true)
}

// sgr takes a style's sequences apart, so that drawing is two appends.
func sgr(s lipgloss.Style) style {
	on, off, _ := strings.Cut(s.Render("x"), "x")
	return style{on, off}
}

// width is how many cells a text takes. Most text is ASCII, and quick.
func (l *look) width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return l.cells.StringWidth(s)
		}
	}
	return len(s)
}

// widthOf is how many cells pieces take.
func (l *look) widthOf(pieces []piece) (w int) {
	for _, p := range pieces {
		w += l.width(p.text)
	}
	return w
}

// cut is at most w cells of s; what was cut ends with a sign that says so. A
// wide character that would stand half outside is left out whole.
func (l *look) cut(s string, w int) string {
	if len(s) <= w || l.width(s) <= w {
		return s
	}
	return l.cells.Truncate(s, w, l.signs.cut)
}

// cutMiddle is at most w cells of an ASCII text, its beginning and its end: names
// that begin alike are told apart by how they end.
func (l *look) cutMiddle(s string, w int) string {
	if len(s) <= w || w < 4 {
		return s
	}
	tail := (w - 1) / 2
	return s[:w-1-tail] + l.signs.cut + s[len(s)-tail:]
}
