package config

import (
	"regexp"
	"slices"

	"rollcall/model"
	"rollcall/redact"
)

// revisions are the protocol revisions that rollcall speaks (T6).
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

var entryName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// entryReader reads one entry.
type entryReader struct {
	reader
	dir      string // the file's folder, absolute
	openFile bool   // others may read the file (C9)
	table    table
	header   span // where the entry begins
	secrets  secrets
	spec     model.Spec
	shown    model.Shown
	inherits []string // bad timings of [defaults] that the entry inherits
	envPath  string   // of env_file, absolute
}

// read reads the entry. Its result is nil where anything is an error.
func (r *entryReader) read(v value, d *defaults) *model.Spec {
	if !entryName.MatchString(v.at.name) {
		r.report(v.key(), "", fault{redact.Word("a server's name may not be this"),
			redact.Word("use 1 to 64 of A-Z a-z 0-9 . _ - (a name with a dot in quotes)")})
	}
	ok := false
	if r.table, ok = r.reader.table(v, "", redact.Word("write [servers.NAME] and the fields below it")); !ok {
		return nil
	}
	r.header = v.key()
	r.spec.Name = v.at.name
	r.unknown(r.table, entryKeys)
	// PATH is no secret, since H1 says which one was searched.
	r.secrets = secrets{dir: r.dir, public: map[string]bool{"PATH": true}}
	for _, p := range r.texts(r.table.get("public")) {
		r.secrets.public[p.text] = true
	}
	r.supervision(d)
	r.ownSecrets()
	r.launch()
	r.remote()
	r.protocol()
	if r.failed || len(r.inherits) > 0 {
		return nil
	}
	if r.openFile && r.secrets.literal != nil {
		r.warn(r.secrets.literal.val, "", fault{redact.Word("a secret is written here, and others may read this file"),
			redact.Word("chmod 600 the file, or write ${NAME} and set the variable")})
	}
	return r.finish()
}

// supervision reads what says how the entry is kept alive.
func (r *entryReader) supervision(d *defaults) {
	r.spec.Enabled = r.boolean(r.table.get("enabled"), true)
	r.spec.Reconnect = r.boolean(r.table.get("reconnect"), true)
	for _, t := range r.texts(r.table.get("tags")) {
		r.secrets.refs(t.expanded, false)
		r.shown.Tags = append(r.shown.Tags, clean(t.text))
	}
	r.spec.Timings = d.timings
	for _, f := range timingFields {
		v, timing := r.table.get(f.name), f.at(&r.spec.Timings)
		unused := f.reconnect && !r.spec.Reconnect
		if !v.given() {
			if d.bad[f.name] && !unused {
				r.inherits = append(r.inherits, f.name)
			}
			continue
		}
		at, bad := r.timing(f, v)
		switch {
		case !bad.bad():
			*timing = model.Timing{D: at, From: model.FromEntry}
			if !unused {
				r.doubtful(f.name, *timing, v)
			}
		case unused:
			bad.text = redact.Sprintf("%s; unused, since reconnect is off", bad.text)
			r.warn(v.span(), v.field, bad)
		default:
			r.report(v.span(), v.field, bad)
		}
	}
}

// ownSecrets reads `secrets`: a table of names and values that the server may
// print and nobody may see. An array of values does too, without names.
func (r *entryReader) ownSecrets() {
	v := r.table.get("secrets")
	items := r.pairs
	if _, ok := v.v.([]any); ok {
		items = r.texts
	}
	for _, s := range items(v) {
		name := s.field
		if s.at.name[0] != '[' {
			name = s.name()
		}
		r.secrets.value(name, s.expanded, s.at, ofSecrets)
		if r.secrets.literal == nil && len(s.refs) == 0 && !r.secrets.exempt(s.text) {
			r.secrets.literal = s.at
		}
	}
}

// remote reads url and headers (C2).
func (r *entryReader) remote() {
	v := r.table.get("url")
	headers := r.pairs(r.table.get("headers"))
	e, ok := r.text(v)
	if !ok {
		r.headerSecrets(headers)
		switch {
		case v.given(): // reported
		case !r.table.get("command").given() && !r.misspelled():
			r.report(r.header, "", fault{redact.Word("neither command nor url is set"),
				redact.Word("set command to launch a server, url to dial one, or both")})
		case r.table.get("command").given():
			r.unused([]string{"headers"}, redact.Word("unused, since there is no url"), redact.Word("remove it, or set url"))
		}
		return
	}
	u, transport, bad := readURL(e.text)
	if bad.bad() {
		r.secrets.refs(e, true)
		r.secrets.urlParts("url", e.text)
		r.headerSecrets(headers)
		r.report(v.span(), v.field, bad)
		return
	}
	r.spec.Transport = transport
	before := len(r.secrets.sources)
	r.secrets.urlSecrets(u, e, v.at)
	u.Fragment = ""
	r.spec.URL = redact.NewSecret(u.String())
	r.headerSecrets(headers)
	for _, h := range headers {
		if !isHeaderName(h.name()) || !isHeaderValue(h.text) {
			r.report(h.span(), h.field, fault{redact.Word("no header that can be sent"),
				redact.Word("a header has a name of letters, digits and hyphens, and a value of one line")})
			continue
		}
		r.secrets.sends(h.refs)
		r.spec.Headers = append(r.spec.Headers, model.Pair{Name: h.name(), Value: redact.NewSecret(h.text)})
		r.shown.Headers = append(r.shown.Headers, redact.Name(h.name()))
	}
	scheme := u.Scheme
	if (scheme == "http" || scheme == "ws") && len(r.secrets.sources) > before && !isLoopback(u.Hostname()) {
		r.warn(v.span(), v.field, fault{redact.Word("a credential is sent in clear text to another host"),
			redact.Word("use https or wss")})
	}
}

// misspelled reports whether an unknown key is another spelling of command or
// url: that was said of it, and says more than that both are missing.
func (r *entryReader) misspelled() bool {
	return slices.ContainsFunc(r.table.all(), func(v value) bool {
		m := meant(v.at.name, entryKeys)
		return !slices.Contains(entryKeys, v.at.name) && (m == "command" || m == "url")
	})
}

// headerSecrets takes the headers' values as secret, also those that are not sent.
func (r *entryReader) headerSecrets(headers []item) {
	for _, h := range headers {
		r.secrets.header(h.name(), h.expanded, h.at)
	}
}

// protocol reads what the server speaks (C1).
func (r *entryReader) protocol() {
	v := r.table.get("protocol")
	if v.given() {
		r.spec.Protocol = model.MCP
		if r.word(v, "mcp", "mcpl") == "mcpl" {
			r.spec.Protocol = model.MCPL
		}
	} else if r.spec.Transport == model.WebSocket {
		r.spec.Protocol = model.MCPL
	}
	v = r.table.get("protocol_version")
	e, ok := r.text(v)
	if !ok {
		return
	}
	if !slices.Contains(revisions, e.text) {
		names := make([]redact.Safe, len(revisions))
		for i, s := range revisions {
			names[i] = redact.Name(s)
		}
		r.report(v.span(), v.field, fault{redact.Word("no protocol version that rollcall speaks"),
			redact.Sprintf("write one of %s, or remove it to ask for the newest", redact.Join(", ", names...))})
		return
	}
	if r.spec.Protocol == model.MCPL && e.text != revisions[0] { // M1
		r.warn(v.span(), v.field, fault{redact.Sprintf("unused, since mcpl is asked for with %s", redact.Name(revisions[0])),
			redact.Word("remove it")})
		return
	}
	r.spec.Revision = e.text
}

// known is what could be read of an entry that is refused.
func (r *entryReader) known(red *redact.Redactor) *model.Known {
	var k model.Known
	switch {
	case !r.spec.URL.IsZero():
		k.Transport = model.Some(r.spec.Transport)
	case r.table.get("command").given() && !r.table.get("url").given():
		k.Transport = model.Some(model.Stdio)
	}
	for _, tag := range r.shown.Tags {
		k.Tags = append(k.Tags, red.Text(tag.String()))
	}
	return &k
}

// finish makes the Spec of what was read.
func (r *entryReader) finish() *model.Spec {
	red := redact.New(r.secrets.sources)
	r.shown.Secrets, r.shown.Open = r.secrets.names, r.secrets.open
	r.shown.Timings, r.shown.Reconnect = r.spec.Timings, r.spec.Reconnect
	if l := r.spec.Launch; l != nil {
		r.shown.Command = shownCommand(l, red)
		r.shown.Dir = red.Text(l.Dir)
	}
	if !r.spec.URL.IsZero() {
		if u, _, bad := readURL(r.spec.URL.Reveal()); !bad.bad() {
			r.shown.URL = shownURL(u, red)
		}
	}
	for i, tag := range r.shown.Tags {
		r.shown.Tags[i] = red.Text(tag.String())
	}
	r.spec.Redactor, r.spec.Shown, r.spec.Credentials = red, &r.shown, r.secrets.credentials()
	r.spec.Fingerprint = fingerprint(&r.spec, r.secrets.sources)
	return &r.spec
}
