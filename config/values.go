package config

import (
	"slices"
	"strconv"

	"rollcall/model"
	"rollcall/redact"
)

// value is one value of the file, with its place and its name: v is nil and at
// may be nil where the file does not have it.
type value struct {
	v     any
	at    *node
	field string // env.TOKEN, args[2]
}

func (v value) given() bool { return v.v != nil }

// span is where the value stands.
func (v value) span() span {
	if v.at == nil {
		return span{}
	}
	return v.at.val
}

// key is where the value's name stands.
func (v value) key() span {
	if v.at == nil {
		return span{}
	}
	return v.at.key
}

// table is a table of the file; its zero value is an empty one.
type table struct {
	values map[string]any
	at     *node
	prefix string // of its fields' names: "env."
}

func (t table) get(key string) value { return value{t.values[key], t.at.kid(key), t.prefix + key} }

// all are the table's values in the file's order.
func (t table) all() []value {
	if t.at == nil {
		return nil
	}
	vs := make([]value, 0, len(t.values))
	for _, k := range t.at.kids {
		if v, ok := t.values[k.name]; ok {
			vs = append(vs, value{v, k, t.prefix + k.name})
		}
	}
	return vs
}

// reader takes values of the expected kind out of a document, and notes a
// problem for each that is of another.
type reader struct {
	doc      *document
	env      Env
	server   string // the entry that is read; empty for the file's own tables
	problems []model.Problem
	failed   bool // there was an error, not only warnings
	more     int  // problems beyond maxProblems
}

// maxProblems bounds how many problems of one entry, or of one table's unknown
// keys, are told with their places; the others are counted.
const maxProblems = 1000

// report notes a problem of a field.
func (r *reader) report(at span, field string, f fault) { r.note(false, at, field, f) }

// warn notes a problem that refuses nothing.
func (r *reader) warn(at span, field string, f fault) { r.note(true, at, field, f) }

func (r *reader) note(warning bool, at span, field string, f fault) {
	if r.server != "" && len(r.problems) >= maxProblems {
		r.more++
		r.failed = r.failed || !warning
		return
	}
	p := model.Problem{Warning: warning, Server: r.server, Field: fieldName(field).String(), Text: f.text, Hint: f.hint}
	switch {
	case field == "":
	case f.leads():
		p.Text = redact.Sprintf("%s: %s", p.Text, fieldName(field))
	default:
		p.Text = redact.Sprintf("%s: %s", fieldName(field), p.Text)
	}
	if r.server != "" {
		p.Text = redact.Sprintf("server %s: %s", redact.Name(r.server), p.Text)
	}
	r.doc.place(&p, at, r.doc.masks)
	r.problems = append(r.problems, p)
	r.failed = r.failed || !warning
}

// told are the problems of an entry, with how many more there are.
func (r *reader) told() []model.Problem {
	if r.more == 0 {
		return r.problems
	}
	return append(r.problems, model.Problem{Warning: !r.failed, Server: r.server, File: r.doc.file,
		Text: redact.Sprintf("server %s: %d more problems are not listed", redact.Name(r.server), redact.Int(r.more)),
		Hint: redact.Word("mend those that are")})
}

// wrongKind notes that a value is of another kind than the field takes.
func (r *reader) wrongKind(v value, want, hint redact.Safe) {
	r.report(v.span(), v.field, fault{redact.Sprintf("%s, where %s belongs", kindOf(v.v), want), hint})
}

// table reads a table; a missing one is empty.
func (r *reader) table(v value, prefix string, hint redact.Safe) (table, bool) {
	if !v.given() {
		return table{}, true
	}
	m, ok := v.v.(map[string]any)
	if !ok {
		r.wrongKind(v, redact.Word("a table"), hint)
		return table{}, false
	}
	return table{m, v.at, prefix}, true
}

// unknown notes the keys that nobody knows (C6).
func (r *reader) unknown(t table, keys []string) {
	n := 0
	for _, v := range t.all() {
		if slices.Contains(keys, v.at.name) {
			continue
		}
		if n++; n > maxProblems {
			r.report(v.key(), "", fault{redact.Word("there are more unknown keys, which are not listed"), redact.Word("mend those above")})
			return
		}
		if m := meant(v.at.name, keys); t.at != r.doc.root && m != "" && t.get(m).given() {
			r.report(v.key(), v.field, fault{redact.Sprintf("unknown key, another spelling of %s, which is given too", redact.Name(m)),
				redact.Word("remove one of the two, and keep the known one")})
			continue
		}
		hint := unknownHint(v.at.name, keys)
		if where := belongs(v.at.name); t.at == r.doc.root && !where.IsZero() {
			hint = redact.Sprintf("it belongs into %s; the nearest key here is %s", where, nearestName(v.at.name, keys))
		}
		r.report(v.key(), v.field, fault{redact.Word("unknown key"), hint})
	}
}

// boolean reads a boolean; a missing or bad one is the default.
func (r *reader) boolean(v value, missing bool) bool {
	switch b := v.v.(type) {
	case nil:
	case bool:
		return b
	default:
		r.wrongKind(v, redact.Word("a boolean"), redact.Word("write true or false, without quotes"))
	}
	return missing
}

// text reads a string and puts its variables in; ok is false where it is missing
// or bad.
func (r *reader) text(v value) (e expanded, ok bool) {
	s, ok := v.v.(string)
	if !ok {
		if v.given() {
			hint := redact.Word(`put it into quotes: "…"`)
			switch v.v.(type) {
			case []any, []map[string]any, map[string]any:
				hint = redact.Word(`write one text: "…"`)
			}
			r.wrongKind(v, redact.Word("text"), hint)
		}
		return expanded{}, false
	}
	e, f := r.env.expand(s)
	if f.bad() {
		r.report(v.span(), v.field, f)
		return expanded{}, false
	}
	return e, true
}

// word reads one of the words; a missing or bad one is the first.
func (r *reader) word(v value, words ...string) string {
	e, ok := r.text(v)
	if !ok {
		return words[0]
	}
	if slices.Contains(words, e.text) {
		return e.text
	}
	names := make([]redact.Safe, len(words))
	for i, w := range words {
		names[i] = redact.Name(w)
	}
	r.report(v.span(), v.field, fault{redact.Word("none of the words that it may be"),
		redact.Sprintf("write one of %s", redact.Join(", ", names...))})
	return words[0]
}

// item is a text of an array or of a table, with its place.
type item struct {
	expanded
	value
}

// name is the item's key.
func (i item) name() string { return i.at.name }

// texts reads an array of strings.
func (r *reader) texts(v value) []item {
	if !v.given() {
		return nil
	}
	list, ok := v.v.([]any)
	if !ok {
		r.wrongKind(v, redact.Word("an array of texts"), redact.Word(`write it as ["one", "two"]`))
		return nil
	}
	var items []item
	for i, x := range list {
		name := "[" + strconv.Itoa(i) + "]"
		at := v.at.kid(name)
		if at == nil {
			at = v.at
		}
		iv := value{x, at, v.field + name}
		if e, ok := r.text(iv); ok {
			items = append(items, item{e, iv})
		}
	}
	return items
}

// pairs reads a table of strings in the file's order.
func (r *reader) pairs(v value) []item {
	t, _ := r.table(v, v.field+".", redact.Word(`write it as { NAME = "value" }`))
	var items []item
	for _, p := range t.all() {
		if e, ok := r.text(p); ok {
			items = append(items, item{e, p})
		}
	}
	return items
}
