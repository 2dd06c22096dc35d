package ui

import "slices"

// column names a column of the table (D1).
type column uint8

const (
	colName column = iota
	colPhase
	colAttempt
	colNext
	colFor
	colProbe
	colStarts
	colVia
	colTags
	colFailure
)

// field is a column with its place: head, width in cells, side.
type field struct {
	col   column
	head  string
	width int
	right bool
	order order // what sorting by it means
}

// layout is the columns that fit, and the cells before and between them.
type layout struct {
	fields []field
	gutter int // for the cursor and the mark
	gap    int
	tight  bool   // times are short, and how far a server has settled is no column's
	alike  string // the beginning that is left out of names
}

// longest is what the fleet's longest texts take, in cells.
type longest struct {
	name, tags, lasting int
	next                int    // of the waits
	alike               string // see commonBeginning
	short               int    // of the names without it
	unprobed            bool   // no row has had a probe to show, of late
}

// wide is the width, in cells, from which on every head is written in full, and a
// column may be empty.
const wide = 120

// narrow is the width, in cells, below which what failed needs the cells more
// than anything else.
const narrow = 100

// layoutFor chooses columns for a screen of so many cells. What does not fit
// goes in D1's order: tags, transport, starts, probe, in-phase-for. The last
// failure takes what is left: also what names that are too long have in common,
// and on a narrow screen what no wait and no time needs.
func layoutFor(width int, of longest) layout {
	l := layout{gutter: 3, gap: 2}
	attempt, next := "ATTEMPT", "NEXT RETRY"
	if width < wide {
		attempt, next = "ATT", "NEXT"
	}
	waits, times := max(len(next), 7), max(len("D23h 59m"), 2*of.lasting+len("/s"))
	if width < narrow {
		l.gap, l.tight = 1, true
		waits, times = clamp(of.next, len("12:34"), 7), len("D9h59m")
	}
	if width < 60 {
		l.gutter = 2
	}
	most := min(max(width/5, 8), max(width/7, longName))
	if of.name > most {
		of.name, l.alike = of.short, of.alike
	}
	name := clamp(of.name, 6, most)
	fields := []field{
		{colName, "SERVER", name, false, byName},
		{colPhase, "PHASE", len("* settling"), false, byPhase},
		{colAttempt, attempt, len(attempt), true, byAttempt},
		{colNext, next, waits, true, byNext},
		{colFor, "FOR", times, true, byFor},
		{colProbe, "PROBE", 9, true, byProbe},
		{colStarts, "STARTS", 6, true, byStarts},
		{colVia, "VIA", 5, false, byVia},
		{colTags, "TAGS", clamp(of.tags, 5, 18), false, byTags},
		{colFailure, "LAST FAILURE", 0, false, byFailure},
	}
	drop := []column{colTags, colVia, colStarts, colProbe, colFor}
	if of.tags == 0 {
		fields = without(fields, colTags)
	}
	// The last failure wants cells to say why; what a long name takes is its, not
	// another column's.
	long := max(name-12, 0)
	wanted := max(clamp(width*2/5, 18, 48)-long, 18)
	for _, c := range drop {
		if c == colFor { // since when matters as much
			wanted = max(18, width/4-long)
		}
		if l.rest(fields, width) >= wanted {
			break
		}
		fields = without(fields, c)
	}
	if of.unprobed && width < wide { // its cells are the last failure's
		fields = without(fields, colProbe)
	}
	fields[len(fields)-1].width = max(l.rest(fields, width), 0)
	l.fields = fields
	return l
}

// has reports whether a column is on the screen.
func (l layout) has(c column) bool {
	return slices.ContainsFunc(l.fields, func(f field) bool { return f.col == c })
}

// rest is what the fixed columns leave of a line.
func (l layout) rest(fields []field, width int) int {
	left := width - l.gutter
	for _, f := range fields {
		if f.col != colFailure {
			left -= f.width + l.gap
		}
	}
	return left
}

func without(fields []field, c column) []field {
	kept := fields[:0:0]
	for _, f := range fields {
		if f.col != c {
			kept = append(kept, f)
		}
	}
	return kept
}

func clamp(n, low, high int) int { return max(low, min(n, high)) }
