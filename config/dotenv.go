package config

import (
	"errors"
	"strings"
)

// errDotenv says what an env_file's line should look like.
var errDotenv = errors.New("is no NAME=value")

// dotenvLine is one variable of an env_file.
type dotenvLine struct{ name, value string }

// dotenv reads an env_file: NAME=value a line, `export` before it or not, blank
// lines and # comments skipped. A value in double quotes may run over lines and
// knows \n, \r, \t, \", \\ and \$; one in single quotes is taken as it is; one
// without quotes ends at the line's end or before " #". Nothing is expanded. On
// an error line is where it is, from 1.
func dotenv(text string) (vars []dotenvLine, line int, err error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	for at := 1; text != ""; {
		first, rest, _ := strings.Cut(text, "\n")
		first = strings.TrimSpace(first)
		if first == "" || first[0] == '#' {
			at, text = at+1, rest
			continue
		}
		eq := strings.IndexByte(text, '=')
		if nl := strings.IndexByte(text, '\n'); eq < 0 || nl >= 0 && nl < eq {
			return nil, at, errDotenv
		}
		name := strings.TrimSpace(text[:eq])
		if after, ok := strings.CutPrefix(name, "export"); ok && strings.TrimLeft(after, " \t") != after {
			name = strings.TrimSpace(after)
		}
		value, rest, ok := dotenvValue(strings.TrimLeft(text[eq+1:], " \t"))
		if !ok || name == "" || strings.ContainsAny(name, " \t\x00\"'") || strings.ContainsRune(value, 0) {
			return nil, at, errDotenv
		}
		vars = append(vars, dotenvLine{name, value})
		at, text = at+strings.Count(text[:len(text)-len(rest)], "\n"), rest
	}
	return vars, 0, nil
}

// dotenvValue reads the value that text begins with, and returns what comes
// after its line.
func dotenvValue(text string) (value, rest string, ok bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		first, rest, _ := strings.Cut(text, "\n")
		for i := range len(first) {
			if first[i] == '#' && (i == 0 || first[i-1] == ' ' || first[i-1] == '\t') {
				first = first[:i]
				break
			}
		}
		return strings.TrimSpace(first), rest, true
	}
	quote := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			after, rest, _ := strings.Cut(text[i+1:], "\n")
			after = strings.TrimSpace(after)
			return b.String(), rest, after == "" || after[0] == '#'
		case c == '\\' && quote == '"' && i+1 < len(text):
			i++
			b.WriteString(unescape(text[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// unescape is what a backslash before c means in double quotes.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$':
		return string(c)
	}
	return `\` + string(c)
}
