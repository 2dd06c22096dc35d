package model

import (
	"strings"

	"rollcall/redact"
)

// Reload is what a reload of the configuration would do, or did (C8). It holds
// names alone, no value of any field. The zero value does nothing.
type Reload struct {
	Added   []string `json:"added,omitempty"`   // in the file's order
	Changed []Change `json:"changed,omitempty"` // in the file's order
	Removed []string `json:"removed,omitempty"` // in the order of the rows
	// Refused are servers whose entry is bad now: one that is in force stays so
	// (S), an added one comes up refused.
	Refused []string `json:"refused,omitempty"`
	Before  int      `json:"before"` // servers in force before it
	// Later are changed settings of no server, which are read when rollcall
	// starts: a reload leaves them as they are. `[log] dir`.
	Later []redact.Safe `json:"later,omitempty"`
	// Problem says why nothing can be done: the file cannot be read.
	Problem redact.Safe `json:"problem,omitzero"`
	// By is who wants it, where one is asked for: anna (pts/3).
	By redact.Safe `json:"by,omitzero"`
}

// Change is a server whose entry differs from the one in force.
type Change struct {
	Server string `json:"server"`
	// Fields are the fields that differ: args, env.TOKEN, probe_interval. None
	// where the entry was refused before.
	Fields []redact.Safe `json:"fields,omitempty"`
	Stops  bool          `json:"stops,omitempty"` // it is disabled now
}

// IsZero reports whether it does nothing: what is for later it leaves alone.
func (r Reload) IsZero() bool { return len(r.Added)+len(r.Changed)+len(r.Removed) == 0 }

// Drastic reports whether more than half of the servers would be removed, or
// all: `reload = "auto"` asks then (C8).
func (r Reload) Drastic() bool { return 2*len(r.Removed) > r.Before }

// Count says how many: add 1, change 2, remove 1.
func (r Reload) Count() redact.Safe {
	var parts []redact.Safe
	if n := len(r.Added); n > 0 {
		parts = append(parts, redact.Sprintf("add %d", redact.Int(n)))
	}
	if n := len(r.Changed); n > 0 {
		parts = append(parts, redact.Sprintf("change %d", redact.Int(n)))
	}
	if n := len(r.Removed); n > 0 {
		parts = append(parts, redact.Sprintf("remove %d", redact.Int(n)))
	}
	return redact.Join(", ", parts...)
}

// Lines says it all, a line a server, what is removed first, and a line a setting
// for later: `remove  old`, `change  a: args, env.TOKEN; restarts`, `later   [log]
// dir: at the next start`.
func (r Reload) Lines() []redact.Safe {
	lines := r.done()
	for _, name := range r.Later {
		lines = append(lines, redact.Sprintf("later   %s: at the next start", name))
	}
	return lines
}

// done is what it does, a line a server.
func (r Reload) done() []redact.Safe {
	var lines []redact.Safe
	for _, name := range r.Removed {
		lines = append(lines, redact.Sprintf("remove  %s", redact.Name(name)))
	}
	for _, c := range r.Changed {
		lines = append(lines, redact.Sprintf("change  %s", c.text()))
	}
	for _, name := range r.Added {
		lines = append(lines, redact.Sprintf("add     %s", redact.Name(name)))
	}
	for _, name := range r.Refused {
		lines = append(lines, redact.Sprintf("refused %s: rollcall check says why; what runs of it stays", redact.Name(name)))
	}
	return lines
}

// text is the server, what differs, and what becomes of it where it runs.
func (c Change) text() redact.Safe {
	what := redact.Word("was refused before")
	if len(c.Fields) > 0 {
		what = redact.Join(", ", c.Fields...)
	}
	then := redact.Word("restarts")
	if c.Stops {
		then = redact.Word("stops")
	}
	return redact.Sprintf("%s: %s; %s", redact.Name(c.Server), what, then)
}

// Text is what it does in one text, a line a server. Two reloads that do the same
// to the same fields have the same.
func (r Reload) Text() string {
	var b strings.Builder
	for _, line := range r.done() {
		b.WriteString(line.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// inALine is how many names, and how many fields of each, Line tells at most.
const inALine = 5

// Line says what it does in one line, long lists cut: add new; change a (args);
// remove old.
func (r Reload) Line() redact.Safe {
	var parts []redact.Safe
	add := func(verb redact.Safe, names []redact.Safe) {
		if len(names) > 0 {
			parts = append(parts, redact.Sprintf("%s %s", verb, firstOf(names)))
		}
	}
	var changed []redact.Safe
	for _, c := range r.Changed {
		name := redact.Name(c.Server)
		if len(c.Fields) > 0 {
			name = redact.Sprintf("%s (%s)", name, firstOf(c.Fields))
		}
		changed = append(changed, name)
	}
	add(redact.Word("add"), safeNames(r.Added))
	add(redact.Word("change"), changed)
	add(redact.Word("remove"), safeNames(r.Removed))
	return redact.Join("; ", parts...)
}

// LaterLine says in one line what is for later; empty where nothing is.
func (r Reload) LaterLine() redact.Safe {
	if len(r.Later) == 0 {
		return redact.Safe{}
	}
	return redact.Sprintf("%s: at the next start", firstOf(r.Later))
}

func safeNames(names []string) []redact.Safe {
	out := make([]redact.Safe, len(names))
	for i, name := range names {
		out[i] = redact.Name(name)
	}
	return out
}

// firstOf lists the first, and how many more there are.
func firstOf(texts []redact.Safe) redact.Safe {
	if len(texts) <= inALine {
		return redact.Join(", ", texts...)
	}
	return redact.Sprintf("%s and %d more", redact.Join(", ", texts[:inALine]...), redact.Int(len(texts)-inALine))
}

// Waits is how many servers wait for a reload (C8).
type Waits struct {
	Added   int `json:"added,omitempty"`
	Changed int `json:"changed,omitempty"`
	Removed int `json:"removed,omitempty"`
}

// Text says it: 1 new, 2 changed, 1 removed.
func (w Waits) Text() redact.Safe {
	var parts []redact.Safe
	if w.Added > 0 {
		parts = append(parts, redact.Sprintf("%d new", redact.Int(w.Added)))
	}
	if w.Changed > 0 {
		parts = append(parts, redact.Sprintf("%d changed", redact.Int(w.Changed)))
	}
	if w.Removed > 0 {
		parts = append(parts, redact.Sprintf("%d removed", redact.Int(w.Removed)))
	}
	return redact.Join(", ", parts...)
}
