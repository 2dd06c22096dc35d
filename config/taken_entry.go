package config

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rollcall/redact"
)

func itoa(n int) string { return strconv.Itoa(n) }

// What other clients call our fields, the first that is given counting.
var (
	foreignCommand = []string{"command", "cmd"}
	foreignArgs    = []string{"args", "arguments"}
	foreignEnv     = []string{"env", "envs", "environment"}
	foreignNames   = []string{"env_keys", "env_vars"} // variables that are passed on
	foreignCwd     = []string{"cwd", "workingDirectory"}
	foreignEnvFile = []string{"envFile", "env_file"}
	foreignURL     = []string{"httpUrl", "url", "serverUrl", "uri"}
	foreignHeaders = []string{"headers", "http_headers"}
	foreignType    = []string{"type", "transport", "transportType"}
)

// foreignSilent are keys that say nothing of how a server runs.
var foreignSilent = []string{"name", "display_name", "title", "description", "icon", "source", "bundled", "gallery", "version", "settings"}

// foreignTimings are keys whose unit is in their name.
var foreignTimings = []struct {
	key, field string
	unit       time.Duration
}{
	{"startup_timeout_sec", "start_timeout", time.Second},
	{"startup_timeout_ms", "start_timeout", time.Millisecond},
	{"tool_timeout_sec", "request_timeout", time.Second},
}

// entryTaker takes one entry over.
type entryTaker struct {
	*takeover
	t    *taken
	f    *foreign
	seen map[string]bool // the keys that were read
}

// server takes one entry over; nil where no server can be made of it.
func (o *takeover) server(name string, f *foreign) *taken {
	if f.kind != foreignTable {
		return o.skip(f, name, redact.Word("it is no table"))
	}
	if inner := f.tableOf("config"); inner != nil && inner.kid("type") != nil { // goose's older form
		f = &foreign{kind: foreignTable, name: f.name, key: f.key, val: f.val, kids: slices.Concat(inner.kids, f.kids)}
	}
	kind, _ := first(f, foreignType).scalar()
	kind = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(kind))
	switch kind {
	case "builtin", "platform", "frontend", "inlinepython", "sdk":
		return o.skip(f, name, redact.Word("the client runs it inside itself"))
	}
	e := &entryTaker{takeover: o, t: &taken{name: name, from: f}, f: f, seen: map[string]bool{}}
	e.take(kind)
	if !e.t.command.given() && !e.t.url.given() {
		why := []redact.Safe{redact.Word("it has neither a command nor a url that can be used")}
		for _, n := range e.t.notes {
			why = append(why, n.text)
		}
		return o.skip(f, name, redact.Join("; ", why...))
	}
	e.t.base = legalName(name)
	e.t.name = o.free(e.t.base)
	if e.t.name != name {
		e.t.note(f, redact.Sprintf("its name there is %s", clean(shortName(name))))
	}
	return e.t
}

// take reads all fields of an entry.
func (e *entryTaker) take(kind string) {
	e.see(foreignType...)
	e.see(foreignSilent...)
	e.launch()
	e.remote()
	e.transport(kind)
	e.enabled()
	e.timings()
	e.rest()
}

func first(f *foreign, keys []string) *foreign {
	for _, k := range keys {
		if v := f.kid(k); v != nil && v.kind != foreignNull {
			return v
		}
	}
	return nil
}

func (e *entryTaker) see(keys ...string) {
	for _, k := range keys {
		e.seen[k] = true
	}
}

// one is the first of the keys that is given; the others are noted where they
// say something else.
func (e *entryTaker) one(keys []string) *foreign {
	e.see(keys...)
	v := first(e.f, keys)
	for _, k := range keys {
		if other := e.f.kid(k); v != nil && other != nil && other != v && other.text != v.text {
			e.t.note(other, redact.Sprintf("%s is not carried over: %s is given too", fieldName(k), fieldName(v.name)))
		}
	}
	return v
}

// reader reads the texts of a field: what has no like here becomes a variable
// named after it.
func (e *entryTaker) reader(field string, f *foreign) *phraseReader {
	return &phraseReader{client: e.client, project: e.project, inputs: e.inputs,
		named: func(name, why string) { e.vars.named(name, e.t, field, why) },
		foreign: func(was string) string {
			name := e.vars.fresh(variableName(e.f.name, field), e.t, field, "stands for "+was)
			e.t.note(f, redact.Sprintf("%s: %s is not read here: ${%s} stands for it", fieldName(field), clean(was), redact.Name(name)))
			return name
		},
	}
}

// text reads a scalar; what is none, or cannot be a text of ours, is noted.
func (e *entryTaker) text(field string, f *foreign) aPhrase {
	if f == nil {
		return aPhrase{}
	}
	s, ok := f.scalar()
	if !ok || strings.ContainsRune(s, 0) {
		e.t.note(f, redact.Sprintf("%s is not carried over: it is no text", fieldName(field)))
		return aPhrase{}
	}
	return aPhrase{phrase: e.reader(field, f).read(s), name: field, from: f}
}

// list reads a list of texts.
func (e *entryTaker) list(field string, f *foreign) []aPhrase {
	if f == nil {
		return nil
	}
	if f.kind != foreignList {
		e.t.note(f, redact.Sprintf("%s is not carried over: it is no list", fieldName(field)))
		return nil
	}
	var all []aPhrase
	for i, x := range f.kids {
		if p := e.text(field+"["+itoa(i)+"]", x); p.given() {
			all = append(all, p)
		}
	}
	return all
}

// pairs reads a table of texts. Null takes a variable away in some clients: it
// is left out.
func (e *entryTaker) pairs(field string, f *foreign) []aPhrase {
	if f == nil {
		return nil
	}
	if f.kind != foreignTable {
		e.t.note(f, redact.Sprintf("%s is not carried over: it is no table", fieldName(field)))
		return nil
	}
	var all []aPhrase
	for _, x := range f.kids {
		if x.kind == foreignNull || f.kid(x.name) != x {
			continue
		}
		if p := e.text(field+"."+x.name, x); p.given() {
			p.name = x.name
			all = append(all, p)
		}
	}
	return all
}

// launch reads what is launched.
func (e *entryTaker) launch() {
	e.see(foreignArgs...)
	e.see(foreignEnv...)
	args, env := first(e.f, foreignArgs), first(e.f, foreignEnv)
	command := e.one(foreignCommand)
	switch {
	case command == nil:
	case command.kind == foreignTable: // Zed's older form
		if args == nil {
			args = command.kid("args")
		}
		if env == nil {
			env = command.kid("env")
		}
		e.t.command = e.text("command", command.kid("path"))
	case command.kind == foreignList && len(command.kids) > 0: // opencode's
		all := e.list("command", command)
		if len(all) > 0 {
			e.t.command, e.t.args = all[0], all[1:]
		}
	default:
		e.t.command = e.text("command", command)
	}
	if e.t.command.given() && strings.TrimSpace(e.t.command.ours()) == "" {
		e.t.command = aPhrase{}
	}
	e.t.args = append(e.t.args, e.list("args", args)...)
	e.t.env = e.environment(e.pairs("env", env))
	e.t.cwd = e.folder(e.text("cwd", e.one(foreignCwd)))
	e.t.envFile = e.environmentFile(e.text("env_file", e.one(foreignEnvFile)))
	e.home(&e.t.command)
	e.inProject()
}

// environment leaves out what cannot be a variable, and adds those whose names
// alone are given.
func (e *entryTaker) environment(pairs []aPhrase) []aPhrase {
	pairs = slices.DeleteFunc(pairs, func(p aPhrase) bool {
		bad := p.name == "" || strings.ContainsAny(p.name, "=\x00")
		if bad {
			e.t.note(p.from, redact.Word("a variable is not carried over: no variable can have its name"))
		}
		return bad
	})
	given := map[string]bool{}
	for _, p := range pairs {
		given[p.name] = true
	}
	for _, key := range foreignNames {
		e.see(key)
		names := e.f.kid(key)
		if names == nil {
			continue
		}
		for _, n := range names.kids {
			name, ok := n.scalar()
			if !ok {
				name, ok = n.kid("name").scalar()
			}
			if ok && isVariable(name) && !given[name] {
				given[name] = true
				e.vars.named(name, e.t, "env."+name, "passed on by the client")
				pairs = append(pairs, aPhrase{variablePhrase(name), name, n})
			}
		}
	}
	return pairs
}

// home writes ~/ as ${HOME}/, which is what stands for it here.
func (e *entryTaker) home(p *aPhrase) {
	if len(p.phrase) > 0 && strings.HasPrefix(p.phrase[0].literal, "~/") {
		rest := word{literal: p.phrase[0].literal[1:]}
		p.phrase = slices.Concat(phrase{{variable: "HOME"}, rest}, p.phrase[1:])
	}
}

// folder makes a path absolute: servers.toml will lie elsewhere.
func (e *entryTaker) folder(p aPhrase) aPhrase {
	if !p.given() || p.isZero() {
		return aPhrase{}
	}
	e.home(&p)
	if len(p.phrase) > 0 && p.phrase[0].variable == "" && !filepath.IsAbs(p.phrase[0].literal) {
		p.phrase = slices.Concat(phrase{{literal: e.base() + "/"}}, p.phrase)
		if p.fixed() {
			p.phrase = plainPhrase(filepath.Clean(p.literals()))
		}
	}
	return p
}

// base is what relative paths are relative to.
func (e *entryTaker) base() string {
	if e.project != "" {
		return e.project
	}
	return e.dir
}

// environmentFile takes a file of variables over where it can be read now: else
// the entry would be refused, which its client does not do.
func (e *entryTaker) environmentFile(p aPhrase) aPhrase {
	if p = e.folder(p); !p.given() {
		return p
	}
	at, f := e.env.expand(p.ours())
	text, err := "", error(nil)
	if !f.bad() {
		text, err = readBounded(at.text, maxEnvFile)
	}
	if err == nil && !f.bad() {
		_, _, err = dotenv(text)
	}
	if err != nil || f.bad() {
		e.t.note(p.from, redact.Word("env_file is not carried over: the file cannot be read now"))
		return aPhrase{}
	}
	return p
}

// inProject starts what names a file relative to its project there.
func (e *entryTaker) inProject() {
	if e.project == "" || e.t.cwd.given() || !e.t.command.given() {
		return
	}
	relative := func(p aPhrase) bool {
		s := p.literals()
		return strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || s == "."
	}
	if slices.ContainsFunc(e.t.args, relative) || relative(e.t.command) {
		e.t.cwd = aPhrase{plainPhrase(e.project), "cwd", e.f}
	}
}

// enabled reads both spellings of whether a server is wanted; off wins.
func (e *entryTaker) enabled() {
	e.see("disabled", "enabled")
	if is, ok := e.f.kid("disabled").yes(); ok && is {
		e.t.off = true
	}
	if is, ok := e.f.kid("enabled").yes(); ok && !is {
		e.t.off = true
	}
}

// timings reads the timeouts.
func (e *entryTaker) timings() {
	for _, k := range foreignTimings {
		e.see(k.key)
		e.timing(k.field, k.unit, e.f.kid(k.key))
	}
	e.see("timeout")
	f := e.f.kid("timeout")
	field, unit := "request_timeout", e.client.unit
	if e.client.startsWith {
		field = "start_timeout"
	}
	if n, ok := f.number(); ok && unit == 0 {
		unit = time.Second
		word := redact.Word("timeout is taken for seconds")
		if n >= 1000 {
			unit, word = time.Millisecond, redact.Word("timeout is taken for milliseconds")
		}
		e.t.note(f, word)
	}
	e.timing(field, unit, f)
}

// timing takes a number of units over. What is no timing of ours is noted.
func (e *entryTaker) timing(field string, unit time.Duration, f *foreign) {
	if f == nil || f.kind == foreignNull {
		return
	}
	n, ok := f.number()
	ns := n * float64(unit)
	if !ok || math.IsNaN(ns) || ns < 1e3 || ns > float64(math.MaxInt64/2) {
		e.t.note(f, redact.Sprintf("%s is not carried over: it is no time above 0", fieldName(f.name)))
		return
	}
	for _, t := range e.t.timings {
		if t.field == field {
			e.t.note(f, redact.Sprintf("%s is not carried over: %s is given already", fieldName(f.name), redact.Name(field)))
			return
		}
	}
	e.t.timings = append(e.t.timings, aTiming{field, time.Duration(ns).Round(time.Microsecond), f})
}

// rest notes the keys that nothing was made of.
func (e *entryTaker) rest() {
	var others []redact.Safe
	for _, k := range e.f.kids {
		switch {
		case e.seen[k.name] || e.f.kid(k.name) != k:
		case strings.Contains(strings.ToLower(k.name), "auth") && k.kind != foreignNull:
			e.t.note(k, redact.Sprintf("%s is not carried over: rollcall signs in nowhere, it sends headers", fieldName(k.name)))
		case k.name == "config", k.kind == foreignNull, k.text == "false", k.kind >= foreignList && len(k.kids) == 0:
		default:
			others = append(others, fieldName(k.name))
		}
	}
	if len(others) > 0 {
		e.t.note(e.f, redact.Sprintf("not carried over: %s", redact.Join(", ", others...)))
	}
}
