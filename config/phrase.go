package config

import (
	"strings"
)

// phrase is a text of a foreign file, taken apart into what stands there and
// the variables in it.
type phrase []word

// word is a literal text, or a variable with or without a default.
type word struct {
	literal  string
	variable string
	deflt    string // in our own syntax
	hasDeflt bool
}

// plainPhrase is a text without variables.
func plainPhrase(s string) phrase { return phrase{{literal: s}} }

// variablePhrase is one variable.
func variablePhrase(name string) phrase { return phrase{{variable: name}} }

// literals is the text without its variables.
func (p phrase) literals() string {
	var b strings.Builder
	for _, w := range p {
		b.WriteString(w.literal)
	}
	return b.String()
}

// fixed reports whether the text holds no variable.
func (p phrase) fixed() bool {
	for _, w := range p {
		if w.variable != "" {
			return false
		}
	}
	return true
}

// isZero reports whether it is the empty text.
func (p phrase) isZero() bool { return p.fixed() && p.literals() == "" }

// ours is the text as servers.toml has it (C7).
func (p phrase) ours() string {
	var b strings.Builder
	for _, w := range p {
		switch {
		case w.variable == "":
			b.WriteString(strings.ReplaceAll(w.literal, "$", "$$"))
		case w.hasDeflt:
			b.WriteString("${" + w.variable + ":-" + w.deflt + "}")
		default:
			b.WriteString("${" + w.variable + "}")
		}
	}
	return b.String()
}

// phraseReader takes texts apart as their client does.
type phraseReader struct {
	client  *client
	project string // what ${workspaceFolder} means; empty where that is not known
	inputs  map[string]input
	// foreign says how to replace what has no like here, by its field and what it
	// was, and returns the name of a variable.
	foreign func(was string) string
	// named is told each variable that the text names.
	named func(name, why string)
}

// input is one of VS Code's: a value that it asks the user for.
type input struct {
	description string
	deflt       string
	hasDeflt    bool
}

// read takes a text apart.
func (r *phraseReader) read(s string) phrase {
	if r.client.plain {
		return plainPhrase(s)
	}
	var p phrase
	text := func(s string) {
		if s != "" {
			p = append(p, word{literal: s})
		}
	}
	for s != "" {
		i := strings.IndexAny(s, "${")
		if i < 0 {
			text(s)
			break
		}
		text(s[:i])
		w, n := r.reference(s[i:])
		if n == 0 {
			w, n = word{literal: s[i : i+1]}, 1
		}
		if w.variable != "" || w.literal != "" {
			p = append(p, w)
		}
		s = s[i+n:]
	}
	return p
}

// maxReference bounds how long a reference is, in bytes: whatever is longer is
// text.
const maxReference = 1 << 10

// reference reads the variable that s begins with, and how long that is; 0 where
// it begins with none.
func (r *phraseReader) reference(s string) (word, int) {
	switch {
	case strings.HasPrefix(s, "${"):
		if end := closing(s[1:min(len(s), maxReference)]); end > 0 {
			return r.braces(s[2 : end+1]), end + 2
		}
	case strings.HasPrefix(s, "{env:"), strings.HasPrefix(s, "{file:"):
		if end := strings.IndexByte(s[:min(len(s), maxReference)], '}'); end > 0 && r.client.name == "opencode" {
			return r.braces(s[1:end]), end + 1
		}
	case strings.HasPrefix(s, "$(") && r.client.shell:
		if end := closingParen(s[1:min(len(s), maxReference)]); end > 0 {
			return r.output(s[2 : end+1]), end + 2
		}
	case strings.HasPrefix(s, "$") && r.client.dollar:
		n := 1
		for n < len(s) && isVariable(s[1:n+1]) {
			n++
		}
		if n > 1 {
			return r.variable(s[1:n]), n
		}
	}
	return word{}, 0
}

// closingParen is the index of the parenthesis that closes the one s begins
// with, or −1.
func closingParen(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (r *phraseReader) variable(name string) word {
	r.named(name, "")
	return word{variable: name}
}

// output is what a command prints: a variable, where it only echoes one.
func (r *phraseReader) output(command string) word {
	if name, ok := strings.CutPrefix(strings.TrimSpace(command), "echo "); ok {
		name = strings.Trim(strings.TrimSpace(name), `"`)
		name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "$"), "{"), "}")
		if isVariable(name) {
			return r.variable(name)
		}
	}
	return word{variable: r.foreign("the output of a command")}
}

// braces reads what stands between ${ and }.
func (r *phraseReader) braces(body string) word {
	kind, rest, _ := strings.Cut(body, ":")
	switch {
	case body == "userHome":
		return r.variable("HOME")
	case body == "/" || body == "pathSeparator":
		return word{literal: "/"}
	case kind == "workspaceFolder", body == "workspaceRoot", body == "CLAUDE_PROJECT_DIR":
		if r.project != "" {
			return word{literal: r.project}
		}
		r.named("WORKSPACE_FOLDER", "the folder of the project")
		return word{variable: "WORKSPACE_FOLDER"}
	case body == "workspaceFolderBasename" && r.project != "":
		return word{literal: r.project[strings.LastIndexByte(r.project, '/')+1:]}
	case kind == "input":
		return r.asked(rest)
	case kind == "env" && isVariable(rest):
		return r.variable(rest)
	case isVariable(body):
		return r.variable(body)
	case strings.HasPrefix(rest, "-") && isVariable(kind):
		if isDefault(rest[1:]) {
			return word{variable: kind, deflt: rest[1:], hasDeflt: true}
		}
		return r.variable(kind)
	}
	return word{variable: r.foreign("${" + body + "}")}
}

// isDefault reports whether a text can stand as a default as it is, and tells
// no secret.
func isDefault(s string) bool { return !strings.ContainsAny(s, "${}\x00") && !looksSecret(s) }

// asked is one of VS Code's inputs: a variable named after it.
func (r *phraseReader) asked(id string) word {
	in, name := r.inputs[id], variableName(id)
	if in.hasDeflt && isDefault(in.deflt) {
		return word{variable: name, deflt: in.deflt, hasDeflt: true}
	}
	why := "asked for by the client"
	if in.description != "" {
		why += ": " + in.description
	}
	r.named(name, why)
	return word{variable: name}
}

// variableName makes a variable's name of any text: github-token is GITHUB_TOKEN.
func variableName(parts ...string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(strings.Join(parts, "_")) {
		switch {
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimSuffix(b.String(), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "V_" + name
	}
	return name[:min(len(name), 64)]
}
