package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table finds all occurrences of a fixed set of forms.
//
// It is no Aho–Corasick automaton, because no form is shorter than width bytes:
// a form's first width bytes are its key, and a set of bits tells, without a
// branch that depends on the byte before, that no key hashes to what is here.
// That is faster than following an automaton's states, and a hundred secrets in
// all their forms cost some 200 KiB and not the 15 MiB of its transitions.
type table struct {
	width int // of a key, in bytes: 4 or 8
	words bool
	shift int // leaves of a hash the index of a bit
	bits  []uint64
	forms map[uint64][]form // by key, longest first
}

// bitsPerKey makes one look in 64 at most a false alarm.
const bitsPerKey = 64

// newTable builds a table of forms of at least width bytes each. With words,
// a form counts only where it is a whole word. Of two forms with the same text
// the first counts.
func newTable(width int, words bool, fs []form) *table {
	size := 1 << bits.Len(uint(max(len(fs)*bitsPerKey, 64)-1)) // the next power of two
	t := &table{width: width, words: words, shift: 64 - bits.TrailingZeros(uint(size)), bits: make([]uint64, size/64),
		forms: make(map[uint64][]form, len(fs))}
	for _, f := range fs {
		k := t.key([]byte(f.text))
		if slices.ContainsFunc(t.forms[k], func(g form) bool { return g.text == f.text }) {
			continue
		}
		t.forms[k] = append(t.forms[k], f)
		h := hash(k) >> t.shift
		t.bits[h/64] |= 1 << (h % 64)
	}
	for _, same := range t.forms {
		slices.SortStableFunc(same, func(a, b form) int { return len(b.text) - len(a.text) })
	}
	return t
}

// hash spreads a key over the upper bits (Knuth's multiplicative hashing).
func hash(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }

// key is the key that b begins with.
func (t *table) key(b []byte) uint64 {
	if t.width == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// find appends a span for the longest form at each index of text. Where text
// was cut at its end, a form's beginning there counts as the form.
func (t *table) find(spans []span, text []byte, cut bool) []span {
	if len(t.forms) == 0 {
		return spans
	}
	for i := t.next(text, 0); i >= 0; i = t.next(text, i+1) {
		for _, f := range t.forms[t.key(text[i:])] {
			if n := match(text[i:], f.text, cut); n > 0 && (!t.words || word(text, i, i+n)) {
				spans = append(spans, f.span(text, i, i+n))
				break
			}
		}
	}
	return spans
}

// next is the first index from i on where a form may begin, or -1.
//
// It is where most of the time goes: moving the slice's start on, and not an
// index, saves a bounds check a byte.
func (t *table) next(text []byte, i int) int {
	set, shift := t.bits, t.shift&63
	rest := text[i:]
	if t.width == 4 {
		for ; len(rest) >= 4; rest = rest[1:] {
			if h := hash(uint64(binary.LittleEndian.Uint32(rest))) >> shift; set[h/64]>>(h%64)&1 != 0 {
				return len(text) - len(rest)
			}
		}
		return -1
	}
	for ; len(rest) >= 8; rest = rest[1:] {
		if h := hash(binary.LittleEndian.Uint64(rest)) >> shift; set[h/64]>>(h%64)&1 != 0 {
			return len(text) - len(rest)
		}
	}
	return -1
}

// match is how many bytes of text the form at its beginning takes, or 0.
func match(text []byte, form string, cut bool) int {
	switch {
	case len(text) >= len(form) && string(text[:len(form)]) == form:
		return len(form)
	case cut && len(text) < len(form) && strings.HasPrefix(form, string(text)):
		return len(text)
	}
	return 0
}

// span is the form's span, with the base64 characters around it that hold some
// of its bits, and the padding behind.
func (f form) span(text []byte, start, end int) span {
	if f.before && start > 0 && isIn(text[start-1], base64Chars) {
		start--
	}
	if f.after && end < len(text) && isIn(text[end], base64Chars) {
		end++
		for n := 0; n < 2 && end < len(text) && text[end] == '='; n++ {
			end++
		}
	}
	return span{start: start, end: end, mark: f.mark, named: true}
}

// word reports whether text[start:end] is a whole word: it does not go on in
// letters, digits or underscores where its own edge is one.
func word(text []byte, start, end int) bool {
	first, _ := utf8.DecodeRune(text[start:])
	last, _ := utf8.DecodeLastRune(text[:end])
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := utf8.DecodeRune(text[end:])
	return !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after))
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
