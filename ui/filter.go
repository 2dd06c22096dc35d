package ui

import (
	"strings"

	"github.com/sahilm/fuzzy"

	"rollcall/model"
)

// matches reports whether a row passes the filter: each of its words must be
// found, letters in order but not side by side, in the name, the phase, a tag
// or one word of the last failure. One word at a time, because a long text
// holds the letters of nearly everything.
func matches(r *model.Row, filter string) bool {
	for _, term := range strings.Fields(filter) {
		if !anyOf(term, r) {
			return false
		}
	}
	return true
}

func anyOf(term string, r *model.Row) bool {
	texts := []string{r.Server, r.Phase.String()}
	if r.Shown != nil {
		for _, t := range r.Shown.Tags {
			texts = append(texts, t.String())
		}
	}
	texts = append(texts, strings.Fields(r.LastFailure.String())...)
	return len(fuzzy.FindNoSort(term, texts)) > 0
}
