package ui

import (
	"strings"
	"unicode/utf8"
)

// wrap breaks s into rows of at most w cells. It breaks at a space where there is
// one. A word that is longer than a row (a PATH, an address) begins beside what
// stands before it and is broken after a separator; a hyphen is part of its word.
func (l *look) wrap(s string, w int) []string {
	if w < 1 || len(s) <= w || l.width(s) <= w {
		return []string{s}
	}
	var rows []string
	for {
		n := l.fit(s, w)
		if n == len(s) {
			return append(rows, s)
		}
		n = l.breakAt(s, n, w)
		rows = append(rows, strings.TrimRight(s[:n], " "))
		if s = strings.TrimLeft(s[n:], " "); s == "" {
			return rows
		}
	}
}

// fit is how many bytes of s, at least one character, have room in w cells.
func (l *look) fit(s string, w int) int {
	if len(s) <= w && isASCII(s) {
		return len(s)
	}
	if len(s) > w && isASCII(s[:w+1]) {
		return w
	}
	if n := len(l.cells.Truncate(s, w, "")); n > 0 {
		return n
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// separators are what a long word is broken after, the best ones first: between
// the parts of a list, then within one.
var separators = [...]string{":;,", "/&?=|"}

// minBegun is how much of a long word, in bytes, is worth beginning it.
const minBegun = 3

// breakAt is where a row of s ends of which n bytes have room in w cells.
func (l *look) breakAt(s string, n, w int) int {
	if s[n] == ' ' {
		return n
	}
	word := strings.LastIndexByte(s[:n], ' ') + 1
	if strings.TrimLeft(s[:word], " ") == "" {
		word = 0 // nothing stands before it but its indentation
	}
	end := len(s)
	if i := strings.IndexByte(s[n:], ' '); i >= 0 {
		end = n + i
	}
	if word > 0 && l.width(s[word:end]) <= w {
		return word
	}
	for _, set := range separators {
		if i := strings.LastIndexAny(s[word:n], set); i >= minBegun && word+i >= n/2 {
			return word + i + 1
		}
	}
	if word > n/2 {
		return word
	}
	return n
}
