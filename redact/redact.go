package redact

import (
	"math"
	"unicode/utf8"
)

// Source is one configured secret and the field that it came from.
type Source struct {
	Name  string // shown in its place: ‹Name›
	Value Secret
}

// Redactor takes one entry's secrets out of text (R1, R2), and control
// sequences (R3). It is built once an entry, is immutable, and may be used
// from any goroutine. A nil *Redactor knows no configured secret: it takes
// out what looks like a secret by pattern, and control sequences.
type Redactor struct {
	// A pointer to a pointer, because fmt follows a single one to a struct
	// where a verb does not fit, and would print every form of every secret.
	known **secrets
}

// secrets are an entry's secrets, and their marks.
type secrets struct {
	long    *table          // the forms of secrets of 8 characters or more
	short   *table          // shorter ones, plain
	marks   map[string]bool // ‹NAME›
	longest int             // of the marks, in bytes
}

// New builds the redactor of one entry. Sources that R1 exempts are ignored
// (Ordinary). Each line of a value of several lines is a secret of its own, and
// so is the password in a URL. Of two sources with one value the first names it.
func New(sources []Source) *Redactor {
	known := &secrets{marks: make(map[string]bool), longest: longestPatternMark}
	var long, short []form
	for _, s := range sources {
		mark := "‹" + Name(s.Name).String() + "›"
		if s.Name == "" {
			mark = hidden
		}
		for _, v := range values(s.Value.Reveal()) {
			if utf8.RuneCountInString(v) < minForms {
				short = append(short, form{text: v, mark: mark})
			} else {
				long = append(long, forms(v, mark)...)
			}
			known.marks[mark] = true
			known.longest = max(known.longest, len(mark))
		}
	}
	known.long, known.short = newTable(longStep, false, long), newTable(1, true, short)
	return &Redactor{&known}
}

// secrets are what the redactor knows, or nil.
func (r *Redactor) secrets() *secrets {
	if r == nil || r.known == nil {
		return nil
	}
	return *r.known
}

// Text cleans a text: control sequences out, then secrets. Line breaks and
// tabs become one space.
func (r *Redactor) Text(s string) Safe {
	return r.Line([]byte(s))
}

// Error cleans an error's text; nil gives the empty text.
func (r *Redactor) Error(err error) Safe {
	if err == nil {
		return Safe{}
	}
	return r.Text(err.Error())
}

// Line cleans one line of output, as Text does. It keeps nothing of b; where b
// is clean, it allocates nothing but the string that it returns.
func (r *Redactor) Line(b []byte) Safe {
	if unclean(b) < len(b) {
		var p stripper
		b = p.end(p.write(make([]byte, 0, len(b)), b))
	}
	out, _ := r.clean(b, math.MaxInt, false)
	return Safe{string(out)}
}

// passes bounds how often a text is gone over. Once nearly always does; a mark
// can complete a secret that the text around it was made for, or make a whole
// word of what stands beside it.
const passes = 8

// withheld is shown for a text that still held secrets after all passes.
const withheld = "‹withheld: too many secrets in one line›"

// clean takes the secrets out of a text without control sequences, until none
// is found, and cuts it at limit bytes. It returns how many bytes of text the
// output stands for. With cut, text is the beginning of a longer one: the
// beginning of a secret at its end counts as the secret. out is text itself
// where nothing was to be done.
func (r *Redactor) clean(text []byte, limit int, cut bool) (out []byte, taken int) {
	taken = len(text)
	for pass := range passes {
		spans := r.find(text, cut)
		if len(spans) == 0 && len(text) <= limit {
			return text, taken
		}
		var n int
		if text, n = apply(text, merge(spans), limit); pass == 0 {
			taken = n
		}
		cut = false
	}
	return []byte(withheld), taken
}

// find returns the spans of text that must not be shown, unsorted: those of
// configured secrets and of patterns, as the text stands and as it reads with
// its escapes undone, but for those within a mark of ours.
func (r *Redactor) find(text []byte, cut bool) []span {
	known := r.secrets()
	spans := known.search(nil, view{text: text}, cut, 2)
	kept := spans[:0]
	for _, s := range spans {
		if !known.marked(text, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// search looks through a view, and through what becomes of it with its escapes
// undone, depth times: JSON within JSON, a URL within JSON. A nil k looks for
// patterns alone.
func (k *secrets) search(spans []span, v view, cut bool, depth int) []span {
	first := len(spans)
	if k != nil {
		spans = k.long.find(spans, v.text, cut)
		spans = k.short.find(spans, v.text, false)
	}
	spans = findPatterns(spans, v.text)
	for i := range spans[first:] {
		s := &spans[first+i]
		s.start, s.end = v.at(s.start), v.at(s.end)
	}
	if depth == 0 {
		return spans
	}
	for i := range escapes {
		if w, ok := v.undo(&escapes[i]); ok {
			spans = k.search(spans, w, cut, depth-1)
		}
	}
	return spans
}

// marked reports whether s lies within a mark of ours.
func (k *secrets) marked(text []byte, s span) bool {
	longest := longestPatternMark
	if k != nil {
		longest = k.longest
	}
	mark := markAround(text, s, longest)
	return mark == hidden || mark == withheld || patternMark(mark) || k != nil && k.marks[mark]
}
