package ui

import "strconv"

// outside is what of the table lies above and below its visible rows.
type outside struct {
	above, below side
	old          bool // nobody knows whether it is still so
}

// side is how many rows lie there, and how many of them are problems.
type side struct{ rows, wrong int }

// outside counts the shown rows that are not on the screen. A table that is not
// drawn at all has none.
func (a *app) outside() outside {
	o := a.table.outside(a.places.tableHeight)
	o.old = a.lost != ""
	return o
}

// outside counts the rows that a table of so many lines, its heads among them,
// has no room for, as draw has scrolled it.
func (t *table) outside(height int) (o outside) {
	if height < 1 {
		return o
	}
	first := min(t.top, len(t.shown))
	last := min(t.top+height-1, len(t.shown))
	if first >= last { // there are heads alone
		first, last = 0, 0
	}
	for _, r := range t.shown[:first] {
		o.above.wrong += boolInt(isProblem(r))
	}
	for _, r := range t.shown[last:] {
		o.below.wrong += boolInt(isProblem(r))
	}
	o.above.rows, o.below.rows = first, len(t.shown)-last
	return o
}

// wordings are the ways to say it, the most telling first: `12 above · 37 below, 3
// wrong`, `49 more, 3 wrong`, `3 more wrong`. There are none where nothing lies
// outside.
func (o outside) wordings(l *look) [][]piece {
	all := side{o.above.rows + o.below.rows, o.above.wrong + o.below.wrong}
	if all.rows == 0 {
		return nil
	}
	var sides []piece
	for _, s := range []struct {
		side
		word string
	}{{o.above, " above"}, {o.below, " below"}} {
		if s.rows == 0 {
			continue
		}
		if len(sides) > 0 {
			sides = append(sides, piece{dim, " " + l.signs.dot + " "})
		}
		sides = append(sides, o.count(s.side, s.word)...)
	}
	wordings := [][]piece{sides, o.count(all, " more")}
	if all.wrong > 0 {
		wordings = append(wordings, []piece{o.wrongPiece(all.wrong, " more wrong")})
	}
	return wordings
}

// count says how many rows lie on a side, and how many of them are problems.
func (o outside) count(s side, word string) []piece {
	count := []piece{{dim, strconv.Itoa(s.rows) + word}}
	if s.wrong > 0 {
		count = append(count, piece{dim, ", "}, o.wrongPiece(s.wrong, " wrong"))
	}
	return count
}

// wrongPiece says how many are problems, in the colour of one unless it is old news.
func (o outside) wrongPiece(n int, word string) piece {
	if o.old {
		return piece{dim, strconv.Itoa(n) + word}
	}
	return piece{bad, strconv.Itoa(n) + word}
}
