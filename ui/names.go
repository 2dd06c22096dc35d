package ui

import (
	"strconv"
	"strings"

	"rollcall/model"
)

// longName is how many cells a name may have on a narrow screen.
const longName = 16

// A beginning that names have in common is left out where so many long names
// have it, and it is so long, in bytes.
const (
	minAlike  = 3
	minPrefix = 5
)

// commonBeginning is the beginning, up to a `-`, `.` or `_`, that is left out of
// names that are too long: the one that saves most, of those that several long
// names have. There is one for the whole fleet, so that no two names look alike.
// It is empty where none is worth it.
func commonBeginning(rows []*model.Row) string {
	alike := map[string]int{}
	best, saved := "", 0
	for _, r := range rows {
		if len(r.Server) <= longName {
			continue
		}
		for i := minPrefix - 1; i < len(r.Server)-1; i++ {
			if !strings.ContainsRune("-._", rune(r.Server[i])) {
				continue
			}
			prefix := r.Server[:i+1]
			alike[prefix]++
			if n := alike[prefix]; n >= minAlike && n*(len(prefix)-1) > saved {
				best, saved = prefix, n*(len(prefix)-1)
			}
		}
	}
	return best
}

// name is a server's name in at most w cells. What is left out at its beginning
// is one cell, as is what is cut from its middle.
func (l *look) name(name, beginning string, w int) string {
	if rest := shortened(name, beginning); len(rest) < len(name) {
		return l.signs.cut + l.cutMiddle(rest, w-1)
	}
	return l.cutMiddle(name, w)
}

// shortened is a name without the beginning that is left out, if it has that.
func shortened(name, beginning string) string {
	if rest := strings.TrimPrefix(name, beginning); rest != "" {
		return rest
	}
	return name
}

// sameServers reports whether two lists of rows have the same names.
func sameServers(a, b []*model.Row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Server != b[i].Server {
			return false
		}
	}
	return true
}

// maxNamed is how many servers a line names at most, but for a last one that
// stands for no more.
const maxNamed = 3

// minNamed is how many cells of a name are worth naming it.
const minNamed = 8

// named is a server and what is said of it: ` (closing, 2 s)`.
type named struct{ name, says string }

// unsaid are servers of which nothing is said.
func unsaid(servers []string) []named {
	who := make([]named, len(servers))
	for i, s := range servers {
		who[i].name = s
	}
	return who
}

// naming is a line in room cells that names servers: head, some names, how many
// more there are, tail. Names are shortened, then fewer, and what is said of the
// last is left out, before any of the rest would be cut; not ok where no name fits.
func (l *look) naming(head string, who []named, tail, beginning string, room int) (text string, ok bool) {
	const whole = 1 << 10 // no name is so long
	room -= l.width(head) + l.width(tail)
	names := make([]string, len(who))
	for n := maxNamed; n > 0; n-- {
		for _, most := range []int{whole, longName} {
			for i, s := range who[:min(len(who), n+1)] { // nobody reads the others
				if names[i] = s.name; most < whole {
					names[i] = l.name(s.name, beginning, most)
				}
				names[i] += s.says
			}
			if list := firstOf(names, n); l.width(list) <= room {
				return head + list + tail, true
			}
		}
	}
	more := ""
	if len(who) > 1 {
		more = " and " + strconv.Itoa(len(who)-1) + " more"
	}
	room -= len(more)
	for _, says := range []string{who[0].says, ""} {
		if w := room - l.width(says); w >= minNamed {
			return head + l.name(who[0].name, beginning, w) + says + more + tail, true
		}
	}
	return "", false
}
