package ui

import (
	"strings"
	"unicode/utf8"
)

// maxInput bounds what can be typed or pasted into a line, in bytes.
const maxInput = 200

// input is a line that is being typed: a filter, or a search.
type input struct{ text string }

// key changes the line and reports whether the key was for it.
func (in *input) key(name, text string) bool {
	switch name {
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(in.text)
		in.text = in.text[:len(in.text)-n]
	case "ctrl+u":
		in.text = ""
	case "ctrl+w":
		in.text = in.text[:strings.LastIndexByte(strings.TrimRight(in.text, " "), ' ')+1]
	default:
		if text == "" {
			return false
		}
		in.paste(text)
	}
	return true
}

// paste adds text; what cannot be seen is left out.
func (in *input) paste(text string) {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			return -1
		}
		return r
	}, text)
	if len(in.text)+len(text) <= maxInput {
		in.text += text
	}
}
