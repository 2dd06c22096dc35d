package config

import (
	"strings"

	"rollcall/redact"
)

// maxNesting bounds how deep ${A:-${B:-…}} nests.
const maxNesting = 8

// ref is what one ${NAME} put into a text.
type ref struct {
	name    string
	value   string
	literal bool // the value is the default that the file has
}

// expanded is a string of the file with its variables put in.
type expanded struct {
	text string
	refs []ref
	// plain is the file's own part of the text: what no variable put there.
	plain string
}

// alone reports whether the text is one variable's value and nothing else.
func (e expanded) alone() bool { return len(e.refs) == 1 && e.plain == "" }

// from is the text without its first n bytes: the value after `--flag=`. Where
// the file has those itself, it still is known whether the rest is one variable
// alone.
func (e expanded) from(n int) expanded {
	before := e.text[:n]
	e.text, e.plain = e.text[n:], strings.TrimPrefix(e.plain, before)
	return e
}

// fault is what is wrong with a value, and what to do about it.
type fault struct{ text, hint redact.Safe }

func (f fault) bad() bool { return !f.text.IsZero() }

// leads reports whether what is wrong says more than the field that it is wrong
// with, and so stands before it: of an unset variable the name does.
func (f fault) leads() bool { return f.text.WithoutEnd(redact.Word(" is not set")) != f.text }

// expand puts variables in (C7): ${NAME}, ${NAME:-default}, ${env:NAME}; $$ is a
// dollar; a dollar before anything else stays. The default is taken where the
// variable is unset or empty.
func (e Env) expand(s string) (expanded, fault) { return e.expandTo(s, 0) }

func (e Env) expandTo(s string, depth int) (expanded, fault) {
	var out expanded
	var text, plain strings.Builder
	if strings.ContainsRune(s, 0) {
		return out, fault{redact.Word("text with a NUL character"), redact.Word("remove the NUL")}
	}
	for {
		before, rest, found := strings.Cut(s, "$")
		text.WriteString(before)
		plain.WriteString(before)
		if !found {
			out.text, out.plain = text.String(), plain.String()
			return out, fault{}
		}
		switch {
		case strings.HasPrefix(rest, "$"):
			text.WriteByte('$')
			plain.WriteByte('$')
			s = rest[1:]
		case strings.HasPrefix(rest, "("):
			return out, fault{redact.Word("$(…) is not run"),
				redact.Word("set a variable before rollcall starts, and write ${NAME}; a dollar is $$")}
		case strings.HasPrefix(rest, "{"):
			end := closing(rest)
			if end < 0 || depth >= maxNesting {
				return out, fault{redact.Word("a ${ that is not closed"), redact.Word("write ${NAME}; a dollar is $$")}
			}
			r, f := e.reference(rest[1:end], depth)
			if f.bad() {
				return out, f
			}
			out.refs = append(out.refs, r...)
			text.WriteString(r[0].value)
			s = rest[end+1:]
		default:
			text.WriteByte('$')
			plain.WriteByte('$')
			s = rest
		}
	}
}

// closing is the index of the brace that closes the one s begins with, or −1.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '{' && (i == 0 || s[i-1] == '$'):
			depth++
		case s[i] == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// reference reads what stands between ${ and }. The first ref is its value; the
// others are what nested ones put into it.
func (e Env) reference(body string, depth int) ([]ref, fault) {
	name, deflt, hasDefault := strings.Cut(body, ":-")
	name = strings.TrimPrefix(name, "env:")
	if !isVariable(name) {
		return nil, fault{redact.Word("a ${…} that names no variable"),
			redact.Word("write ${NAME}, ${NAME:-default} or ${env:NAME}; a dollar is $$")}
	}
	value, set := e.lookup(name)
	switch {
	case set && (value != "" || !hasDefault):
		return []ref{{name: name, value: value}}, fault{}
	case !hasDefault:
		return nil, fault{redact.Sprintf("%s is not set", redact.Name(name)),
			redact.Sprintf("set %s before rollcall starts, or write ${%s:-default}", redact.Name(name), redact.Name(name))}
	}
	inner, f := e.expandTo(deflt, depth+1)
	if f.bad() {
		return nil, f
	}
	return append([]ref{{name: name, value: inner.text, literal: len(inner.refs) == 0}}, inner.refs...), fault{}
}

// isVariable reports whether s is a variable's name.
func isVariable(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
