package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// asciiFor is what is drawn with --ascii for the signs that rollcall's own
// texts have.
var asciiFor = map[rune]rune{'‹': '<', '›': '>', '·': '-', '—': '-', '–': '-', '…': '~', '↑': '^', '↓': 'v', '×': 'x'}

// drawn is a text as this look can draw it: with --ascii every rune beyond
// ASCII is a sign of one cell, or nothing where it took none, so that no text
// gets wider (D9). What is copied or written to a file stays as it was.
func (l *look) drawn(s string) string {
	if !l.ascii || isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		sign, known := asciiFor[r]
		switch {
		case r < 0x80:
			return r
		case known:
			return sign
		case ansi.StringWidthWc(string(r)) == 0:
			return -1
		}
		return '?'
	}, s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
