package redact

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// span is a part of a text that must not be shown.
type span struct {
	start, end int
	mark       string // what to show in its place: ‹NAME›
	named      bool   // by a configured secret, whose name says more than a pattern's
}

// better reports whether s names what it covers better than t does.
func (s span) better(t span) bool {
	if s.named != t.named {
		return s.named
	}
	return s.end-s.start > t.end-t.start
}

// merge sorts spans, and makes one of those that overlap, with the best mark.
func merge(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	merged := spans[:0]
	var best span // of those that the last merged one is made of
	for _, s := range spans {
		n := len(merged)
		if n == 0 || s.start >= merged[n-1].end {
			merged, best = append(merged, s), s
			continue
		}
		if s.better(best) {
			best = s
		}
		last := &merged[n-1]
		last.end, last.mark = max(last.end, s.end), best.mark
	}
	return merged
}

// apply writes text with a mark for each span. It stops before limit bytes of
// text and limit bytes of output, at a rune's edge and never within a mark, and
// returns how many bytes of text the output stands for.
func apply(text []byte, spans []span, limit int) (out []byte, taken int) {
	out = make([]byte, 0, min(len(text), limit)+64)
	for _, s := range append(spans, span{start: len(text), end: len(text)}) {
		piece := text[taken:min(s.start, max(taken, limit))]
		piece = piece[:edge(piece, limit-len(out))]
		out, taken = append(out, piece...), taken+len(piece)
		if taken < s.start || taken >= limit || len(out)+len(s.mark) > limit {
			break
		}
		out, taken = append(out, s.mark...), s.end
	}
	return out, taken
}

// edge is the greatest length up to n at which b can be cut between runes.
func edge(b []byte, n int) int {
	if n >= len(b) {
		n = len(b)
		// b itself may have been cut within a rune.
		for k := n - 1; k >= 0 && k >= n-utf8.UTFMax; k-- {
			if utf8.RuneStart(b[k]) {
				if !utf8.FullRune(b[k:]) {
					return k
				}
				break
			}
		}
		return n
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

// markAround is the text in ‹› of at most longest bytes that s lies within, or
// empty.
func markAround(text []byte, s span, longest int) string {
	if s.end-s.start > longest {
		return ""
	}
	from := max(0, s.end-longest)
	open := bytes.LastIndex(text[from:min(s.start+len("‹"), len(text))], []byte("‹"))
	if open < 0 {
		return ""
	}
	text = text[from+open : min(from+open+longest, len(text))]
	size := bytes.Index(text, []byte("›")) + len("›")
	if from+open+size < s.end || size < len("›") {
		return ""
	}
	return string(text[:size])
}
