package config

import (
	"net/url"
	"slices"
	"strings"

	"rollcall/redact"
)

// remote reads what is dialled.
func (e *entryTaker) remote() {
	u := e.text("url", e.one(foreignURL))
	if u.given() && u.isZero() {
		u = aPhrase{}
	}
	if u.given() {
		if _, _, bad := readURL(u.sample()); bad.bad() {
			e.t.note(u.from, redact.Sprintf("%s is not carried over: %s", fieldName(u.from.name), bad.text))
			u = aPhrase{}
		}
	}
	e.t.url = u
	e.see(foreignHeaders...)
	e.t.headers = slices.DeleteFunc(e.pairs("headers", first(e.f, foreignHeaders)), func(h aPhrase) bool {
		bad := !isHeaderName(h.name) || !isHeaderValue(h.literals())
		if bad {
			e.t.note(h.from, redact.Word("a header is not carried over: it cannot be sent"))
		}
		return bad
	})
	e.variableHeaders()
}

// variableHeaders reads headers whose values are named by variables: Codex's.
func (e *entryTaker) variableHeaders() {
	e.see("bearer_token_env_var", "env_http_headers")
	e.variableHeader("Authorization", "Bearer ", e.f.kid("bearer_token_env_var"))
	if table := e.f.tableOf("env_http_headers"); table != nil {
		for _, h := range table.kids {
			e.variableHeader(h.name, "", h)
		}
	}
}

// variableHeader adds a header whose value is named by a variable.
func (e *entryTaker) variableHeader(header, begin string, f *foreign) {
	if f == nil {
		return
	}
	name, _ := f.scalar()
	given := slices.ContainsFunc(e.t.headers, func(h aPhrase) bool { return h.name == header })
	if given || !isVariable(name) || !isHeaderName(header) {
		e.t.note(f, redact.Sprintf("%s is not carried over: it names no variable, or the header is given already", fieldName(f.name)))
		return
	}
	e.vars.named(name, e.t, "headers."+header, "")
	value := variablePhrase(name)
	if begin != "" {
		value = slices.Concat(plainPhrase(begin), value)
	}
	e.t.headers = append(e.t.headers, aPhrase{value, header, f})
}

// sample is the text with an x for each variable: enough to see whether it can
// be a URL. A variable at its beginning is taken for one that holds all of that.
func (p phrase) sample() string {
	var b strings.Builder
	for i, w := range p {
		switch {
		case w.hasDeflt:
			b.WriteString(w.deflt)
		case w.variable != "" && i == 0 && !everywhere[w.variable]:
			b.WriteString("https://x")
		case w.variable != "":
			b.WriteString("x")
		}
		b.WriteString(w.literal)
	}
	return b.String()
}

// transport decides between a command and a url where both are given, drops what
// the one that is left does not use, and warns of what is not spoken here.
func (e *entryTaker) transport(kind string) {
	t := e.t
	remote := t.url.given() && (!t.command.given() || kind != "" && kind != "stdio" && kind != "local" ||
		kind == "" && t.url.from.name == "httpUrl")
	if t.url.given() && t.command.given() {
		// To us both together would mean: launch the one, dial the other.
		if remote {
			t.note(t.command.from, redact.Word("command is not carried over: the client dials the url"))
		} else {
			t.note(t.url.from, redact.Word("url is not carried over: the client launches the command"))
		}
	}
	if !remote {
		t.url, t.headers = aPhrase{}, nil
		return
	}
	t.command, t.cwd, t.envFile, t.args, t.env = aPhrase{}, aPhrase{}, aPhrase{}, nil, nil
	u, _, _ := readURL(t.url.sample())
	scheme := strings.ToLower(u.Scheme)
	if scheme == "ws" || scheme == "wss" {
		t.protocol = "mcp" // the default for a WebSocket is mcpl
		return
	}
	if kind == "sse" || kind == "" && e.client.name == "Gemini CLI" && t.url.from.name == "url" || kind == "" && endsInSSE(u) {
		t.note(t.url.from, redact.Word("its transport is HTTP with SSE, of 2024-11-05, which rollcall does not speak: it will not connect, "+
			"unless the url answers Streamable HTTP too; many servers do so at /mcp instead of /sse"))
	}
}

func endsInSSE(u *url.URL) bool { return strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/sse") }
