package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"rollcall/redact"
)

// Variable is one that must be set before rollcall starts on what was imported.
type Variable struct {
	Name   string
	Server string // the first that names it, as its file does
	Field  string // env.TOKEN, headers.Authorization, args[2], url
	Why    string // what it stands for; empty where the file names it itself
}

// variables are those that the servers of all imported files name.
type variables struct {
	all    []neededBy
	byName map[string]bool
	values map[string]string // of those that stand for a literal secret
	next   map[string]int    // the number that a name which is taken gets next
}

// heldSecret is why a variable must be set that stands for a literal secret.
const heldSecret = "the secret that the file holds"

// neededBy is a variable with a server that needs it.
type neededBy struct {
	Variable
	t *taken
}

func newVariables() *variables {
	return &variables{byName: map[string]bool{}, values: map[string]string{}, next: map[string]int{}}
}

// everywhere are set wherever a person works, or by rollcall itself.
var everywhere = map[string]bool{"ROLLCALL_EXE": true, "HOME": true, "PATH": true, "USER": true, "SHELL": true, "TMPDIR": true, "LANG": true}

// named notes that a server needs a variable.
func (v *variables) named(name string, t *taken, field, why string) {
	v.byName[name] = true
	if !everywhere[name] {
		v.all = append(v.all, neededBy{Variable{Name: name, Field: field, Why: why}, t})
	}
}

// fresh notes a variable of a name that none has yet, and returns the name.
func (v *variables) fresh(base string, t *taken, field, why string) string {
	name := base
	for v.byName[name] || everywhere[name] {
		v.next[base] = max(v.next[base], 1) + 1
		name = base + "_" + itoa(v.next[base])
	}
	v.named(name, t, field, why)
	return name
}

// of are the variables that servers need, each once, in the servers' order.
func (v *variables) of(servers []*taken) []Variable {
	needs := map[*taken][]Variable{}
	for _, n := range v.all {
		n.Server = n.t.name
		needs[n.t] = append(needs[n.t], n.Variable)
	}
	var all []Variable
	told := map[string]bool{}
	for _, t := range servers {
		for _, n := range needs[t] {
			if !told[n.Name] {
				told[n.Name] = true
				all = append(all, n)
			}
		}
	}
	return all
}

// secret is the variable that stands for a literal secret: one of the names, in
// their order, that no other value has.
func (v *variables) secret(value string, t *taken, field string, names ...string) string {
	for _, name := range names {
		if known, ok := v.values[name]; ok && known == value {
			v.named(name, t, field, heldSecret)
			return name
		}
	}
	name := ""
	for _, n := range names {
		if !v.byName[n] && !everywhere[n] {
			name = n
			break
		}
	}
	if name == "" {
		name = names[len(names)-1]
	}
	name = v.fresh(name, t, field, heldSecret)
	v.values[name] = value
	return name
}

// looksSecret reports whether a text looks like a credential, whatever its name,
// or holds a URL with a password, or with one in its query.
func looksSecret(s string) bool {
	if strings.Contains(clean(s).String(), "‹") && !strings.Contains(s, "‹") || len(userinfo(s)) > 0 {
		return true
	}
	for _, m := range urlQuery.FindAllStringSubmatch(s, -1) {
		if strings.Contains(s, "://") && speaks(m[1]) && !redact.Ordinary(m[2]) {
			return true
		}
	}
	return false
}

// hider puts variables in the place of a server's literal secrets.
type hider struct {
	*takeover
	t *taken
}

// hide goes through all that may hold one.
func (o *takeover) hide(t *taken) {
	h := &hider{o, t}
	for i := range t.env {
		h.value("env."+t.env[i].name, &t.env[i], t.env[i].name)
		h.left(t.env[i])
	}
	for i := range t.headers {
		h.header("headers."+t.headers[i].name, &t.headers[i], t.headers[i].name)
		h.left(t.headers[i])
	}
	h.sayLeft()
	h.args()
	if t.url.given() {
		h.url()
	}
	for _, p := range []*aPhrase{&t.command, &t.cwd, &t.envFile} {
		if p.given() && looksSecret(p.literals()) {
			h.whole(p, p.name)
		}
	}
}

// left notes a value that is written as it is, though R1 takes it for a secret:
// neither its name nor its looks say that it is one.
func (h *hider) left(p aPhrase) {
	s := secrets{dir: h.dir}
	if p.fixed() && !s.exempt(p.literals()) {
		h.t.literal = append(h.t.literal, p)
	}
}

// maxLeft bounds how many of them a note names.
const maxLeft = 12

// sayLeft says which they are, and what to do where one is a secret after all.
func (h *hider) sayLeft() {
	var names []redact.Safe
	for _, p := range h.t.literal[:min(len(h.t.literal), maxLeft)] {
		names = append(names, fieldName(p.name))
	}
	if more := len(h.t.literal) - len(names); more > 0 {
		names = append(names, redact.Sprintf("%d more", redact.Int(more)))
	}
	if len(names) > 0 {
		h.t.note(h.t.from, redact.Sprintf("written as it is, secret or not: %s; instead of a secret write ${NAME} and set NAME, or name an env_file that holds it",
			redact.Join(", ", names...)))
	}
}

// secret reports whether a text is a literal secret, going by the name of its
// field, or by its looks.
func (h *hider) secret(name, text string) bool {
	s := secrets{dir: h.dir}
	return speaks(name) && text != "" && !s.exempt(text) || looksSecret(text)
}

// whole puts a variable in the place of a whole text.
func (h *hider) whole(p *aPhrase, field string, names ...string) {
	names = append(names, variableName(h.t.name, field))
	p.phrase = variablePhrase(h.vars.secret(p.ours(), h.t, field, names...))
}

// value hides the value of a variable, which keeps its name where it can.
func (h *hider) value(field string, p *aPhrase, name string) {
	if !h.secret(name, p.literals()) || !p.fixed() && !looksSecret(p.literals()) {
		return
	}
	var names []string
	if isVariable(name) {
		names = []string{name, variableName(h.t.name, name)}
	}
	h.whole(p, field, names...)
}

// scheme is how an Authorization header's value begins.
var scheme = regexp.MustCompile(`(?i)^(bearer|basic|token|apikey|bot) +`)

// header hides a header's value, but for its scheme.
func (h *hider) header(field string, p *aPhrase, name string) {
	text := p.literals()
	begin := scheme.FindString(text)
	if !h.secret(name, text) || !p.fixed() && !looksSecret(text) || text == begin {
		return
	}
	if !p.fixed() {
		begin = ""
	}
	names := []string{variableName(h.t.name, name)}
	if strings.EqualFold(name, "Authorization") {
		names = []string{variableName(h.t.name, "token"), variableName(h.t.name, name)}
	}
	rest := aPhrase{phrase: plainPhrase(text[len(begin):])}
	if !p.fixed() {
		rest.phrase = p.phrase
	}
	h.whole(&rest, field, names...)
	if p.phrase = rest.phrase; begin != "" {
		p.phrase = slices.Concat(plainPhrase(begin), rest.phrase)
	}
}

// args hides what follows a flag that speaks of a secret, and what secrets.args
// takes for one.
func (h *hider) args() {
	before := ""
	for i := range h.t.args {
		p := &h.t.args[i]
		field := "args[" + itoa(i) + "]"
		text := p.literals()
		flag, _, hasValue := strings.Cut(text, "=")
		switch {
		case !p.fixed():
			if looksSecret(text) {
				h.whole(p, field)
			}
		case isFlag(flag) && hasValue:
			h.arg(field, p, len(flag)+1, flag)
		case !strings.HasPrefix(text, "--"):
			h.arg(field, p, 0, before)
		}
		before = ""
		if p.fixed() && isFlag(text) && !hasValue {
			before = text
		}
	}
}

// arg hides the part of an argument from a byte on: a flag's value.
func (h *hider) arg(field string, p *aPhrase, from int, flag string) {
	text := p.literals()
	begin, rest := text[:from], aPhrase{phrase: plainPhrase(text[from:])}
	name, value, pair := strings.Cut(text[from:], "=")
	header, headerValue, isHeader := strings.Cut(text[from:], ":")
	switch {
	case isHeaderFlag(flag) && isHeader:
		blanks := len(headerValue) - len(strings.TrimLeft(headerValue, " "))
		begin += header + ":" + headerValue[:blanks]
		rest.phrase = plainPhrase(headerValue[blanks:])
		h.header(field, &rest, header)
	case speaks(flag):
		h.value(field, &rest, variableName(h.t.name, strings.TrimLeft(flag, "-")))
		if rest.fixed() && h.secret(flag, rest.literals()) {
			h.whole(&rest, field)
		}
	case pair && isVariable(name) && (isEnvFlag(flag) || speaks(name)):
		begin += name + "="
		rest.phrase = plainPhrase(value)
		h.value(field, &rest, name)
	case looksSecret(rest.literals()):
		h.whole(&rest, field)
	}
	if !rest.fixed() {
		p.phrase = slices.Concat(plainPhrase(begin), rest.phrase)
	}
}

var (
	urlQuery   = regexp.MustCompile(`[?&;]([^=&;#?]+)=([^&;#]+)`)
	urlSegment = regexp.MustCompile(`/([A-Za-z0-9_=+~-]{20,})(?:[/?#]|$)`)
)

// url hides userinfo, query values, and parts of the path that look like keys.
func (h *hider) url() {
	var hidden phrase
	for i, w := range h.t.url.phrase {
		if w.variable != "" {
			hidden = append(hidden, w)
			continue
		}
		end := 0
		for _, s := range urlSpans(w.literal, i == 0) {
			value := w.literal[s.start:s.end]
			if s.start < end || redact.Ordinary(value) {
				continue
			}
			name := h.vars.secret(value, h.t, "url", variableName(h.t.name, s.name))
			hidden = append(hidden, word{literal: w.literal[end:s.start]}, word{variable: name})
			end = s.end
		}
		hidden = append(hidden, word{literal: w.literal[end:]})
	}
	h.t.url.phrase = hidden
}

type namedSpan struct {
	span
	name string
}

// urlSpans are the places of a URL, or of a part of one, that R1 takes for secret.
func urlSpans(s string, begins bool) []namedSpan {
	var all []namedSpan
	path := 0
	if begins {
		if m := urlUserinfo.FindStringSubmatchIndex(s); m != nil {
			all = append(all, namedSpan{span{m[2], m[3]}, "user"})
			if m[4] >= 0 {
				all = append(all, namedSpan{span{m[4], m[5]}, "password"})
			}
		}
		if n := strings.Index(s, "://"); n >= 0 {
			path = n + 3
		}
	}
	query := strings.IndexByte(s, '?')
	if query < 0 {
		query = len(s)
	}
	for _, m := range urlQuery.FindAllStringSubmatchIndex(s, -1) {
		all = append(all, namedSpan{span{m[4], m[5]}, s[m[2]:m[3]]})
	}
	for _, m := range urlSegment.FindAllStringSubmatchIndex(s, -1) {
		part := s[m[2]:m[3]]
		mixed := strings.ContainsAny(part, "0123456789") && strings.Trim(part, "0123456789-_") != ""
		if m[2] > path && m[3] <= query && mixed {
			all = append(all, namedSpan{span{m[2], m[3]}, "key"})
		}
	}
	slices.SortFunc(all, func(a, b namedSpan) int { return cmp.Compare(a.start, b.start) })
	return all
}
