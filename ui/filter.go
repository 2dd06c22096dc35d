package ui

import (
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"rollcall/model"
)

// pattern is what the filter means: all of its clauses must hold.
type pattern []clause

// clause is one word of the filter.
type clause struct {
	not   bool
	field string // tag, phase; empty: any text of the row
	word  string // lower case where a field is named, or not
}

// compile reads a filter: words, `tag:x`, `phase:down`, and `!` before any of
// them. What is not finished yet (`!`, `tag:`) hides nothing. A tag is meant as it
// is written, as on the command line; `tag:x*` is every tag that begins so. A
// phase may be begun: none is the beginning of another.
func compile(filter string) pattern {
	var p pattern
	for _, w := range strings.Fields(filter) {
		var t clause
		w, t.not = strings.CutPrefix(w, "!")
		t.word = w
		if field, word, ok := strings.Cut(w, ":"); ok && (field == "tag" || field == "phase") {
			t.field, t.word = field, strings.ToLower(word)
		}
		if t.word != "" {
			p = append(p, t)
		}
	}
	return p
}

// matches reports whether a row passes.
func (p pattern) matches(r *model.Row) bool {
	for _, t := range p {
		if t.holds(r) == t.not {
			return false
		}
	}
	return true
}

// holds reports whether a row has what the term names. A plain word is found,
// letters in order but not side by side, in the name, the phase, a tag or one
// word of the last failure: one word at a time, and no long one, because a long
// text holds the letters of nearly everything. For the same reason a word that must not be
// there is taken as it is written.
func (t clause) holds(r *model.Row) bool {
	switch {
	case t.field == "phase":
		return slices.ContainsFunc(states(r), func(s string) bool { return strings.HasPrefix(s, t.word) })
	case t.field == "tag":
		beginning, open := strings.CutSuffix(t.word, "*")
		return slices.ContainsFunc(tags(r), func(s string) bool {
			s = strings.ToLower(s)
			return s == t.word || open && strings.HasPrefix(s, beginning)
		})
	}
	texts := append([]string{r.Server, r.Phase.String()}, tags(r)...)
	if !r.AckedSince.IsZero() {
		texts = append(texts, ackedWords...)
	}
	said := strings.Fields(r.LastFailure.String())
	if within(strings.ToLower(t.word), append(texts, said...)) {
		return true
	}
	if t.not {
		return false
	}
	said = slices.DeleteFunc(said, func(s string) bool { return len(s) > longWord })
	return len(fuzzy.FindNoSort(t.word, append(texts, said...))) > 0
}

// ackedWords are what an acknowledged row is found by.
var ackedWords = []string{"acked", "acknowledged"}

// states are the words that phase: knows of a row.
func states(r *model.Row) []string {
	words := []string{r.Phase.String()}
	if !r.DownSince.IsZero() {
		words = append(words, "down")
	}
	if !r.AckedSince.IsZero() {
		words = append(words, ackedWords...)
	}
	return words
}

// longWord is how many bytes a word of a failure may have to be found by letters
// that are not side by side: a PATH has nearly all of them.
const longWord = 24

// within reports whether one of the texts holds a word, in lower case.
func within(word string, texts []string) bool {
	for _, s := range texts {
		if strings.Contains(strings.ToLower(s), word) {
			return true
		}
	}
	return false
}
