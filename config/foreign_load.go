package config

import (
	"cmp"
	"strconv"

	"rollcall/redact"
)

// parseAny reads a configuration of ours, or another client's as if it were one
// (C10): its servers keep their values, and the places of problems are those of
// its own file. The error is a *SyntaxError, or says that no servers are there.
func parseAny(path, text string, env Env) (*document, error) {
	d, root, err := readForeign(clean(path), path, text)
	if err != nil || root == nil {
		return d, err
	}
	o := newTakeover(path, env, newVariables(), map[string]int{})
	o.file(path, root)
	if len(o.servers)+len(o.skipped) == 0 {
		return nil, d.noServers()
	}
	d.take(o)
	return d, nil
}

func (d *document) noServers() error {
	e := d.notForeign(span{}, clean(ErrNoServers.Error()))
	e.Problem.Hint = redact.Word("name another file, or write servers.toml: rollcall init")
	return e
}

// take makes the document's values of what was taken over.
func (d *document) take(o *takeover) {
	d.root, d.notes, d.skipped = &node{}, map[string][]note{}, o.skipped
	servers := branch{d.root.grow("servers", span{}), map[string]any{}}
	d.values = map[string]any{"servers": servers.values}
	for _, t := range o.servers {
		d.notes[t.name] = t.notes
		servers.server(t)
	}
}

// branch is a table of a document that is made, not read.
type branch struct {
	at     *node
	values map[string]any
}

// set puts a value in, with the place that it came from.
func (b branch) set(key string, v any, from *foreign) *node {
	n := b.at.grow(key, from.key)
	n.val = from.val
	b.values[key] = v
	return n
}

func (b branch) table(key string, from *foreign) branch {
	values := map[string]any{}
	return branch{b.set(key, values, from), values}
}

func (b branch) server(t *taken) {
	s := b.table(t.name, t.from)
	s.at.val = t.from.key // an entry stands where its name does
	for _, p := range []struct {
		key string
		aPhrase
	}{{"command", t.command}, {"cwd", t.cwd}, {"env_file", t.envFile}, {"url", t.url}} {
		if p.given() {
			s.set(p.key, p.ours(), p.from)
		}
	}
	if len(t.args) > 0 {
		list := make([]any, len(t.args))
		n := s.set("args", nil, t.from)
		n.key, n.val = t.args[0].from.key, t.args[0].from.val
		for i, a := range t.args {
			list[i] = a.ours()
			k := n.grow("["+strconv.Itoa(i)+"]", a.from.val)
			k.val = a.from.val
		}
		s.values["args"] = list
	}
	s.pairs("env", t.env, t.from)
	s.pairs("headers", t.headers, t.from)
	if t.protocol != "" {
		s.set("protocol", t.protocol, cmp.Or(t.url.from, t.from))
	}
	if t.off {
		s.set("enabled", false, t.from)
	}
	for _, tm := range t.timings {
		s.set(tm.field, shortDuration(tm.d), tm.from)
	}
}

func (b branch) pairs(key string, pairs []aPhrase, from *foreign) {
	if len(pairs) == 0 {
		return
	}
	t := b.table(key, from)
	for _, p := range pairs {
		t.set(p.name, p.ours(), p.from)
	}
}
