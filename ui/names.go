package ui

import (
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
