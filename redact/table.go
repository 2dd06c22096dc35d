package redact

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table finds all occurrences of a fixed set of forms.
//
// It is no Aho–Corasick automaton, because no form is short: where a form of at
// least gram+step-1 bytes stands, one of every step indices of the text lies in
// its first step bytes, and the gram there is one of step grams of the form. So
// one look each step bytes is enough, a set of bits tells that no gram hashes to
// what is here, and no look waits for the one before. That is faster than
// following an automaton's states, and a hundred secrets in all their forms cost
// some 300 KiB and not the 15 MiB of its transitions.
type table struct {
	step  int
	words bool
	forms []form
	shift int      // leaves of a hash the index of a bit
	bits  []uint64 // of hashed keys
	heads []uint32 // by the upper bits of a hash: where its grams begin; one more than there are
	grams []gram
}

// gram is what stands at an index of a form.
type gram struct{ key, form, at uint32 }

const (
	gramSize    = 4  // bytes
	longStep    = 5  // for forms of minForms bytes: gramSize+longStep-1
	bitsPerGram = 32 // makes one look in 32 at most a false alarm
)

// newTable builds a table of forms of at least gramSize+step-1 bytes each. With
// words, a form counts only where it is a whole word. Of two forms with the same
// text the first counts.
func newTable(step int, words bool, fs []form) *table {
	t := &table{step: step, words: words}
	seen := make(map[string]bool, len(fs))
	for _, f := range fs {
		if !seen[f.text] {
			seen[f.text] = true
			t.forms = append(t.forms, f)
		}
	}
	n := max(len(t.forms)*step, 1)
	size := 1 << bits.Len(uint(n*bitsPerGram-1)) // the next power of two
	t.shift, t.bits = 64-bits.TrailingZeros(uint(size)), make([]uint64, (size+63)/64)
	t.heads = make([]uint32, size/bitsPerGram+1)
	t.grams = make([]gram, 0, n)
	for k, f := range t.forms {
		for at := range step {
			g := gram{binary.LittleEndian.Uint32([]byte(f.text[at : at+gramSize])), uint32(k), uint32(at)}
			h := hash(g.key) >> t.shift
			t.bits[h/64] |= 1 << (h % 64)
			t.heads[h/bitsPerGram+1]++
			t.grams = append(t.grams, g)
		}
	}
	slices.SortStableFunc(t.grams, func(a, b gram) int { return cmp.Compare(hash(a.key), hash(b.key)) })
	for b := range t.heads[1:] {
		t.heads[b+1] += t.heads[b]
	}
	return t
}

// hash spreads a key over the upper bits (Knuth's multiplicative hashing).
func hash(key uint32) uint64 { return uint64(key) * 0x9E3779B97F4A7C15 }

// find appends a span for each form in text. Where text was cut at its end, a
// form's beginning there counts as the form.
func (t *table) find(spans []span, text []byte, cut bool) []span {
	if len(t.forms) == 0 {
		return spans
	}
	for i := t.next(text, 0); i >= 0; i = t.next(text, i+t.step) {
		key := binary.LittleEndian.Uint32(text[i:])
		b := hash(key) >> t.shift / bitsPerGram
		for _, g := range t.grams[t.heads[b]:t.heads[b+1]] {
			start := i - int(g.at)
			if g.key != key || start < 0 {
				continue
			}
			f := &t.forms[g.form]
			if n := match(text[start:], f.text, cut); n > 0 && (!t.words || word(text, start, start+n)) {
				spans = append(spans, f.span(text, start, start+n))
			}
		}
	}
	return spans
}

// next is the first of the indices i, i+step, … where a gram may be, or -1.
func (t *table) next(text []byte, i int) int {
	set, shift := t.bits, t.shift&63
	for ; i+gramSize <= len(text); i += t.step {
		if h := hash(binary.LittleEndian.Uint32(text[i:])) >> shift; set[h/64]>>(h%64)&1 != 0 {
			return i
		}
	}
	return -1
}

// match is how many bytes of text the form at its beginning takes, or 0. Of one
// that was cut off at least minForms bytes must be there.
func match(text []byte, form string, cut bool) int {
	switch {
	case len(text) >= len(form) && string(text[:len(form)]) == form:
		return len(form)
	case cut && len(text) >= minForms && len(text) < len(form) && strings.HasPrefix(form, string(text)):
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
