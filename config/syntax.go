package config

import (
	"errors"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"rollcall/model"
	"rollcall/redact"
)

// SyntaxError says that a file is not TOML (C5): no entry can be made of it.
type SyntaxError struct{ Problem model.Problem }

// Error is the problem with its place, excerpt and caret, as Render writes it.
func (e *SyntaxError) Error() string { return Render(e.Problem) }

// syntax makes a SyntaxError. In a broken file nobody knows where strings end,
// so the excerpt hides all that may be a value.
func (d *document) syntax(at span, text, hint redact.Safe) *SyntaxError {
	e := &SyntaxError{Problem: model.Problem{Text: redact.Sprintf("not TOML: %s", text), Hint: hint}}
	d.place(&e.Problem, at, d.masksOfBroken)
	return e
}

// masksOfBroken hides all of a line but its beginning: a [header], or a known
// key up to its equals sign. Any other beginning may be text that a string
// forgot to close over.
func (d *document) masksOfBroken(line span) []span {
	text := d.text[line.start:line.end]
	keep := len(brokenHeader.FindString(text))
	if m := brokenKey.FindStringSubmatch(text); m != nil && known(m[1]) {
		keep = len(m[0])
	}
	if keep == len(text) {
		return nil
	}
	return []span{{line.start + keep, line.end}}
}

var (
	brokenHeader = regexp.MustCompile(`^[ \t]*\[{1,2}[A-Za-z0-9_."-]{1,80}\]{0,2}[ \t]*`)
	brokenKey    = regexp.MustCompile(`^[ \t]*([a-z_]{1,30})[ \t]*=[ \t]*`)
)

// syntaxError turns the library's error into ours, without the values that its
// text quotes.
func (d *document) syntaxError(err error) *SyntaxError {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return d.syntax(span{}, redact.Word("it cannot be decoded"), redact.Safe{})
	}
	start := min(max(pe.Position.Start, 0), len(d.text))
	at := span{start, min(start+max(pe.Position.Len, 1), len(d.text)+1)}
	text := clean(withoutValues(pe.Message))
	hint := redact.Safe{}
	switch {
	case strings.Contains(pe.Message, "already"):
		if m := quotedKey.FindStringSubmatch(pe.Message); m != nil {
			text = redact.Sprintf("the key %s is there twice", fieldName(m[1]))
		}
		hint = redact.Word("remove one of the two")
	case strings.HasPrefix(pe.Message, "expected value but found"):
		text, hint = redact.Word("no value begins like this"), redact.Word(`put text into quotes: key = "text"`)
	case strings.Contains(pe.Message, "newline"), strings.Contains(pe.Message, "unexpected EOF"):
		hint = redact.Word("look for a quote or a bracket that is not closed on this line or before it")
	case strings.Contains(pe.Message, "escape"):
		hint = redact.Word(`write a backslash twice, or put the text into single quotes: 'C:\path'`)
	}
	return d.syntax(at, text, hint)
}

// quotedKey is the key that such a message begins with.
var quotedKey = regexp.MustCompile(`^Key '(.*)' (?:was|has)`)

// withoutValues is a message of the library without what it quotes of the file,
// but for a single character, or the quotes that it expects.
func withoutValues(message string) string {
	message = quoted.ReplaceAllStringFunc(message, func(q string) string {
		inner := []rune(q[1 : len(q)-1])
		if len(inner) <= 1 || len(inner) <= 3 && strings.Trim(string(inner), `"'`) == "" {
			return q
		}
		return "…"
	})
	return longWord.ReplaceAllString(message, "…")
}

var (
	quoted   = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)
	longWord = regexp.MustCompile(`[0-9A-Za-z+/=._-]{24,}`)
)
