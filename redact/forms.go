package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	minSecret = 4 // characters: a shorter value is no secret
	minForms  = 8 // characters: a shorter secret is looked for plain, as a whole word
)

// form is one way in which a secret is written.
type form struct {
	text string
	mark string // what to show in its place: ‹NAME›
	// before and after: the base64 character there holds some bits of the
	// secret beside its neighbour's, so that it goes too.
	before, after bool
}

// ordinary are words that configurations hold where secrets can stand too.
var ordinary = []string{
	"true", "false", "none", "null", "enabled", "disabled",
	"trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "panic", "silent", "verbose",
	"production", "prod", "development", "staging", "test", "testing", "local", "preview",
}

// Ordinary reports whether R1 exempts a value: under 4 characters, a boolean, a
// number of up to 5 digits, a log level, an environment's name.
func Ordinary(v string) bool {
	if utf8.RuneCountInString(v) < minSecret || slices.Contains(ordinary, strings.ToLower(v)) {
		return true
	}
	return len(v) <= 5 && strings.Trim(v, "0123456789") == ""
}

// values are the parts of a configured value that are secrets of their own.
// Each is one line, without control sequences, since it is looked for in such
// text; of a value of several lines those under 8 characters are left out.
func values(v string) []string {
	lines := strings.FieldsFunc(v, breaks)
	several := len(lines) > 1
	var vs []string
	for _, line := range lines {
		line = tidy(line)
		if several && (utf8.RuneCountInString(line) < minForms || strings.HasPrefix(line, "-----")) {
			continue
		}
		vs = append(vs, line)
		for _, v := range inner(line) {
			vs = append(vs, tidy(v))
		}
	}
	return slices.DeleteFunc(vs, Ordinary)
}

// tidy is v as it reads in clean text: a control sequence within a secret is
// taken out of what the server prints too.
func tidy(v string) string {
	var p stripper
	return strings.TrimSpace(string(p.end(p.write(nil, []byte(v)))))
}

// inner are the secrets within a value that servers print without the rest: a
// header's credentials without their scheme, a URL's password.
func inner(v string) []string {
	if scheme, rest, ok := strings.Cut(v, " "); ok && !strings.Contains(rest, " ") {
		switch strings.ToLower(scheme) {
		case "basic":
			if userinfo, err := base64.StdEncoding.DecodeString(rest); err == nil {
				_, password, _ := strings.Cut(string(userinfo), ":")
				return []string{rest, password}
			}
			return []string{rest}
		case "bearer", "token", "apikey":
			return []string{rest}
		}
	}
	if u, err := url.Parse(v); err == nil && u.User != nil {
		password, _ := u.User.Password()
		return []string{password}
	}
	return nil
}

// forms are all ways in which a secret of at least 8 characters is looked for,
// each once. Other mixtures of escapes are found in the text with its escapes
// undone.
func forms(v, mark string) []form {
	fs := []form{{text: v, mark: mark}}
	add := func(f form) {
		if !slices.ContainsFunc(fs, func(g form) bool { return g.text == f.text }) {
			fs = append(fs, f)
		}
	}
	query, path := url.QueryEscape(v), url.PathEscape(v)
	for _, s := range []string{query, path, lowerHex(query), lowerHex(path), strings.ReplaceAll(v, " ", "+"),
		jsonEscaped(v, true), jsonEscaped(v, false), jsonASCII(v), hex.EncodeToString([]byte(v)),
		strings.ToUpper(hex.EncodeToString([]byte(v)))} {
		add(form{text: s, mark: mark})
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			add(base64Form(v, mark, alphabet, before))
		}
	}
	return fs
}

// base64Form is what v looks like in a base64 text, after some bytes of a text
// that holds it: the characters that depend on v alone.
func base64Form(v, mark string, alphabet *base64.Encoding, before int) form {
	s := alphabet.EncodeToString(append(make([]byte, before), v...))
	first, last := (8*before+5)/6, 8*(before+len(v))/6
	return form{text: s[first:last], mark: mark, before: before > 0, after: last < len(s)}
}

// lowerHex turns the digits of %XX into lower case.
func lowerHex(s string) string {
	b := []byte(s)
	for i := range b {
		if (i > 0 && b[i-1] == '%' || i > 1 && b[i-2] == '%') && 'A' <= b[i] && b[i] <= 'F' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// jsonEscaped is v as it stands between a JSON string's quotes.
func jsonEscaped(v string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(v) != nil { // cannot be: a string always encodes
		return v
	}
	return b.String()[1 : b.Len()-2] // without the quotes and the line break
}

// jsonASCII is v as an encoder writes it that keeps to ASCII.
func jsonASCII(v string) string {
	var b strings.Builder
	for _, r := range jsonEscaped(v, false) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}
