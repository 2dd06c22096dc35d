package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rollcall/redact"
)

// Imported is what other clients' files became (C10).
type Imported struct {
	// TOML is a servers.toml that check accepts once Variables are set. It holds no
	// secret of the files: each became ${NAME}.
	TOML string
	// Files are the files in the order in which they were given.
	Files []ImportedFile
	// Variables must be set before rollcall starts, in the order of the file.
	Variables []Variable
	// Literal are the variables and headers whose values are written as they are,
	// though they may be secrets, in the order of the file.
	Literal []Literal
}

// Literal is a value that was written as it is.
type Literal struct {
	Server string      // its name in TOML
	Name   redact.Safe // of the variable or the header
}

// ImportedFile is one file, and what was found in it.
type ImportedFile struct {
	Path    redact.Safe
	Client  string
	Servers []string // their names in TOML
	Notes   int      // what was not carried over, or otherwise: comments in TOML
}

// ErrNoServers says that a file has none of the tables that clients keep servers
// in.
var ErrNoServers = errors.New("no servers that rollcall can read: looked for mcpServers, servers, context_servers, mcp, mcp_servers and extensions")

// Import reads other clients' files and writes them as one servers.toml. Nothing
// is resolved, started or written. A file that cannot be read, or has no servers,
// is an error that names it.
func Import(paths []string, env Env) (*Imported, error) {
	result, w := &Imported{}, &tomlWriter{}
	vars, used := newVariables(), map[string]int{}
	var all []*takeover
	for _, path := range paths {
		o, err := takeFile(path, env, vars, used)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	seen, servers := map[string]string{}, []*taken(nil)
	for i, o := range all {
		for _, t := range o.servers {
			o.hide(t)
		}
		o.sameAgain(seen)
		f := ImportedFile{Path: clean(paths[i]), Client: o.client.name, Notes: len(o.skipped)}
		for _, t := range o.servers {
			f.Servers = append(f.Servers, t.name)
			f.Notes += len(t.notes)
		}
		servers = append(servers, o.servers...)
		result.Files = append(result.Files, f)
	}
	result.Variables = vars.of(servers)
	for _, t := range servers {
		for _, p := range t.literal {
			result.Literal = append(result.Literal, Literal{t.name, fieldName(p.name)})
		}
	}
	w.head(result)
	for i, o := range all {
		w.file(result.Files[i], o)
	}
	result.TOML = w.b.String()
	return result, nil
}

// takeFile reads one file and takes its servers over.
func takeFile(path string, env Env, vars *variables, used map[string]int) (*takeover, error) {
	text, err := readConfiguration(path)
	if err != nil {
		return nil, err
	}
	doc, root, err := readForeign(clean(path), path, text)
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		if _, ours := doc.values["servers"]; ours {
			return nil, fmt.Errorf("%s is a configuration of rollcall already: use it with --config", clean(path))
		}
		return nil, fmt.Errorf("%s: %w", clean(path), ErrNoServers)
	}
	o := newTakeover(path, env, vars, used)
	o.file(path, root)
	if len(o.servers)+len(o.skipped) == 0 {
		return nil, fmt.Errorf("%s: %w", clean(path), ErrNoServers)
	}
	return o, nil
}

func newTakeover(path string, env Env, vars *variables, used map[string]int) *takeover {
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	return &takeover{client: &unknownClient, dir: filepath.Dir(absolute), project: projectOf(absolute, env.Home), env: env, vars: vars, used: used}
}

// sameAgain drops servers that another file had already, under the same name and
// with the same content: people copy entries from client to client.
func (o *takeover) sameAgain(seen map[string]string) {
	o.servers = slices.DeleteFunc(o.servers, func(t *taken) bool {
		w := &tomlWriter{}
		w.fields(t)
		if content, ok := seen[t.base]; ok && content == w.b.String() {
			o.skipped = append(o.skipped, note{redact.Sprintf("%s: left out: the same is there already", redact.Name(t.base)), t.from})
			return true
		}
		if t.name == t.base {
			seen[t.base] = w.b.String()
		}
		return false
	})
}

// tomlWriter writes a servers.toml.
type tomlWriter struct{ b strings.Builder }

func (w *tomlWriter) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// comment writes a text from outside behind a #.
func (w *tomlWriter) comment(text string) {
	w.line("# %s", strings.TrimSpace(clean(text).String()))
}

// head says what must be set.
func (w *tomlWriter) head(r *Imported) {
	if len(r.Variables) == 0 {
		return
	}
	w.line("# Set these before rollcall starts:")
	width := 0
	for _, v := range r.Variables {
		width = max(width, len(v.Name))
	}
	for _, v := range r.Variables {
		w.comment("  " + fmt.Sprintf("%-*s  %s", width, v.Name, v.Text()))
	}
	w.line("")
}

// Text says where a variable is needed, and what it stands for.
func (v Variable) Text() string {
	text := v.Server + ": " + v.Field
	if v.Why != "" {
		text += ", " + v.Why
	}
	return clean(text).String()
}

// file writes the servers of one file.
func (w *tomlWriter) file(f ImportedFile, o *takeover) {
	w.line("# From %s (%s)", f.Path, f.Client)
	for _, s := range o.skipped {
		w.comment(s.text.String())
	}
	w.line("")
	for _, t := range o.servers {
		for _, n := range t.notes {
			w.comment(n.text.String())
		}
		w.line("[servers.%s]", tomlKey(t.name))
		w.fields(t)
		w.line("")
	}
}

// fields writes what an entry says, in the manual's order.
func (w *tomlWriter) fields(t *taken) {
	w.text("command", t.command)
	if len(t.args) > 0 {
		texts := make([]string, len(t.args))
		for i, a := range t.args {
			texts[i] = tomlText(a.ours())
		}
		w.line("args = [%s]", strings.Join(texts, ", "))
	}
	w.table("env", t.env)
	w.text("cwd", t.cwd)
	w.text("env_file", t.envFile)
	w.text("url", t.url)
	w.table("headers", t.headers)
	if t.protocol != "" {
		w.line("protocol = %s", tomlText(t.protocol))
	}
	if t.off {
		w.line("enabled = false")
	}
	for _, tm := range t.timings {
		w.line("%s = %s", tm.field, tomlText(shortDuration(tm.d)))
	}
}

func (w *tomlWriter) text(key string, p aPhrase) {
	if p.given() {
		w.line("%s = %s", key, tomlText(p.ours()))
	}
}

func (w *tomlWriter) table(key string, pairs []aPhrase) {
	if len(pairs) == 0 {
		return
	}
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		texts[i] = tomlKey(p.name) + " = " + tomlText(p.ours())
	}
	w.line("%s = { %s }", key, strings.Join(texts, ", "))
}

// shortDuration is a duration in whole units where there are some: 30s, 1500ms.
func shortDuration(d time.Duration) string {
	switch {
	case d%time.Second == 0:
		return fmt.Sprintf("%ds", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%dms", d/time.Millisecond)
	}
	return d.String()
}

// tomlKey is a key as TOML writes it.
func tomlKey(s string) string {
	for i := range len(s) {
		if !isBare(s[i]) {
			return tomlText(s)
		}
	}
	return cmp.Or(s, `""`)
}
