package redact

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text as it reads with its escapes undone, and where in the original
// text each of its bytes came from.
type view struct {
	text []byte
	from []int // one more than text has bytes; nil where text is the original
}

// at is the index in the original text of the view's byte i.
func (v view) at(i int) int {
	if v.from == nil {
		return i
	}
	return v.from[i]
}

// escape is a kind of escapes: the byte that begins one, those that may come
// next, and what reads one at b's beginning: it appends what the escape stands
// for to dst, and returns its length, or 0 where there is none.
type escape struct {
	lead byte
	next string
	read func(dst, b []byte) ([]byte, int)
}

var escapes = []escape{
	{'\\', `"'\/bfnrtxu`, readBackslash},
	{'%', "0123456789ABCDEFabcdef", readPercent},
}

// first is the index of the first byte of text that may begin an escape, or -1.
func (e *escape) first(text []byte) int {
	for from := 0; ; from++ {
		i := bytes.IndexByte(text[from:], e.lead)
		if i < 0 {
			return -1
		}
		if from += i; from+1 < len(text) && strings.IndexByte(e.next, text[from+1]) >= 0 {
			return from
		}
	}
}

// undo undoes the escapes of one kind; ok is false where there are none.
func (v view) undo(e *escape) (w view, ok bool) {
	next := e.first(v.text)
	if next < 0 {
		return view{}, false
	}
	w = view{make([]byte, 0, len(v.text)), make([]int, 0, len(v.text)+1)}
	for i := 0; next >= 0; {
		w.add(v, i, next)
		i = next
		text, n := e.read(w.text, v.text[i:])
		if n > 0 {
			ok = true
			for range len(text) - len(w.text) {
				w.from = append(w.from, v.at(i))
			}
			w.text, i = text, i+n
		} else {
			w.add(v, i, i+1)
			i++
		}
		if next = e.first(v.text[i:]); next < 0 {
			w.add(v, i, len(v.text))
			break
		}
		next += i
	}
	w.from = append(w.from, v.at(len(v.text)))
	return w, ok
}

// add appends v's bytes i to j as they are.
func (w *view) add(v view, i, j int) {
	w.text = append(w.text, v.text[i:j]...)
	for ; i < j; i++ {
		w.from = append(w.from, v.at(i))
	}
}

// readPercent reads %XX.
func readPercent(dst, b []byte) ([]byte, int) { return readHex(dst, b, 1, 2) }

// readBackslash reads an escape of a JSON string, or of the source text of common
// languages: \n, \", \/, \u00e9, \xe9.
func readBackslash(dst, b []byte) ([]byte, int) {
	if len(b) < 2 {
		return dst, 0
	}
	switch c := b[1]; c {
	case '"', '\'', '\\', '/':
		return append(dst, c), 2
	case 'b', 'f', 'n', 'r', 't':
		return append(dst, ' '), 2 // as a stripper has it
	case 'x':
		return readHex(dst, b, 2, 2)
	case 'u':
		return readUnicode(dst, b)
	}
	return dst, 0
}

// readUnicode reads \uXXXX, or two of them that are one rune.
func readUnicode(dst, b []byte) ([]byte, int) {
	u, ok := hexValue(b, 2, 4)
	if !ok {
		return dst, 0
	}
	if r := rune(u); !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if low, ok := hexValue(b, 8, 4); ok && b[6] == '\\' && b[7] == 'u' {
		if r := utf16.DecodeRune(rune(u), rune(low)); r != utf8.RuneError {
			return utf8.AppendRune(dst, r), 12
		}
	}
	return append(dst, replacement...), 6
}

// readHex reads a byte written as digits hex digits at b[at:].
func readHex(dst, b []byte, at, digits int) ([]byte, int) {
	u, ok := hexValue(b, at, digits)
	if !ok {
		return dst, 0
	}
	return append(dst, byte(u)), at + digits
}

func hexValue(b []byte, at, digits int) (uint64, bool) {
	if len(b) < at+digits {
		return 0, false
	}
	u, err := strconv.ParseUint(string(b[at:at+digits]), 16, 32)
	return u, err == nil && b[at] != '+'
}
