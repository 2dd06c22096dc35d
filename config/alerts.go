package config

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// Alerts is the table [alerts] (A5).
type Alerts struct {
	Webhook redact.Secret // empty: none
	Format  string        // json, slack, discord, connectome
	// Exec is the program that gets each post, and its arguments; empty: none. One
	// with a slash is absolute.
	Exec []redact.Secret
	// Dir is where Exec runs: the file's folder, absolute.
	Dir string
	// Redactor takes all of it out of what is said of it, and what speaks of a
	// secret in rollcall's environment, which Exec gets.
	Redactor *redact.Redactor
}

// alertFormats are the formats of a webhook, the default first.
var alertFormats = []string{"json", "slack", "discord", "connectome"}

// readAlerts reads [alerts]. What is bad in it is left out, and stops no server.
func (r *fileReader) readAlerts() {
	to := &r.file.Alerts
	to.Format, to.Dir = alertFormats[0], r.dir
	t, ok := r.table(r.root.get("alerts"), "alerts.", redact.Word("write [alerts] and the fields below it"))
	if !ok {
		return
	}
	r.unknown(t, alertsKeys)
	if v := t.get("format"); v.given() {
		to.Format = r.word(v, alertFormats...)
	}
	s := secrets{dir: r.dir}
	r.webhook(t.get("webhook"), &s)
	r.alertExec(t.get("exec"), &s)
	for _, name := range slices.Sorted(maps.Keys(r.env.Vars)) {
		s.inherited(name, r.env.Vars[name])
	}
	to.Redactor = redact.New(s.sources)
}

// webhook reads where alerts are posted. The whole URL is secret: whoever has it
// can post. It is sent to other hosts over https alone.
func (r *fileReader) webhook(v value, s *secrets) {
	e, ok := r.text(v)
	if !ok || e.text == "" {
		return
	}
	u, transport, bad := readURL(e.text)
	if bad.bad() || transport != model.HTTP {
		r.report(v.span(), v.field, fault{redact.Word("no http or https URL"), redact.Word("write the URL that alerts are posted to, or remove it")})
		return
	}
	if strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname()) {
		r.report(v.span(), v.field, fault{redact.Word("http to another host: whoever listens on the way could read it, and post with it"), redact.Word("use https")})
		return
	}
	s.webhook(u, e, v.at)
	r.file.Alerts.Webhook = redact.NewSecret(e.text)
	if len(e.refs) == 0 {
		r.warnLiteral(v)
	}
}

// webhook takes a webhook's URL as secret, its path alone too.
func (s *secrets) webhook(u *url.URL, e expanded, at *node) {
	s.urlSecrets(u, e, at)
	s.add("alerts.webhook", e.text, ofWebhook)
	if path := u.EscapedPath(); len(path) > 1 {
		s.add("alerts.webhook", path, ofWebhook)
		for part := range strings.SplitSeq(path[1:], "/") {
			if len(part) >= 16 { // its token, which a receiver may repeat alone
				s.add("alerts.webhook", part, ofWebhook)
			}
		}
	}
	s.literal = nil // warned of as a whole
}

// alertExec reads the program that gets each alert.
func (r *fileReader) alertExec(v value, s *secrets) {
	items := r.texts(v)
	list, isList := v.v.([]any)
	if !v.given() || !isList || len(items) < len(list) {
		return // told already
	}
	if len(items) == 0 || items[0].text == "" {
		r.report(v.span(), v.field, fault{redact.Word("it names no program"), redact.Word(`write it as ["notify.sh", "argument"], or remove it`)})
		return
	}
	args, nodes := make([]expanded, 0, len(items)), make([]*node, 0, len(items))
	for _, i := range items[1:] {
		args, nodes = append(args, i.expanded), append(nodes, i.at)
	}
	s.refs(items[0].expanded, false)
	s.args(args, nodes)
	program := items[0].text
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = filepath.Join(r.dir, program)
	}
	to := &r.file.Alerts
	to.Exec = append(to.Exec, redact.NewSecret(program))
	for _, a := range args {
		to.Exec = append(to.Exec, redact.NewSecret(a.text))
	}
	if s.literal != nil {
		r.warnLiteral(value{v: "", at: s.literal, field: v.field})
	}
	r.lookForExec(items[0].value, program, redact.New(s.sources))
}

// lookForExec warns where the program is not there.
func (r *fileReader) lookForExec(v value, program string, redactor *redact.Redactor) {
	if r.env.Look == nil {
		return
	}
	path := model.Pair{Name: "PATH", Value: redact.NewSecret(r.env.Vars["PATH"])}
	spec := &model.Spec{Launch: &model.Launch{Path: program, Dir: r.dir, Env: []model.Pair{path}}, Redactor: redactor}
	if field, text, hint := r.env.Look(spec); field != "" {
		r.warn(v.span(), v.field, fault{text, hint})
	}
}

// warnLiteral warns of a secret that stands in a file that others may read.
func (r *fileReader) warnLiteral(v value) {
	if r.openFile {
		r.warn(v.span(), v.field, fault{redact.Word("a secret is written here, and others may read this file"),
			redact.Word("chmod 600 the file, or write ${NAME} and set the variable")})
	}
}
