package config

import (
	"strings"
	"time"

	"rollcall/redact"
)

// taken is one server that was taken over from a foreign file: what an entry of
// ours says of it. What has no like here is in its notes.
type taken struct {
	name string
	base string // the name before a number told it from another's
	from *foreign

	command, cwd, envFile, url aPhrase
	args                       []aPhrase
	env, headers               []aPhrase // each with its name
	protocol                   string
	off                        bool
	timings                    []aTiming
	literal                    []aPhrase // variables and headers whose values are written as they are
	notes                      []note
}

// aPhrase is a text of an entry with where it came from.
type aPhrase struct {
	phrase
	name string // of a variable or a header
	from *foreign
}

func (p aPhrase) given() bool { return p.from != nil }

// aTiming is a timing of ours.
type aTiming struct {
	field string
	d     time.Duration
	from  *foreign
}

// note says what was not carried over, or carried over differently.
type note struct {
	text redact.Safe
	from *foreign
}

// maxNotes bounds the notes of one server.
const maxNotes = 50

func (t *taken) note(from *foreign, text redact.Safe) {
	switch {
	case len(t.notes) < maxNotes:
		t.notes = append(t.notes, note{text, from})
	case len(t.notes) == maxNotes:
		t.notes = append(t.notes, note{redact.Word("there are more notes, which are not listed"), t.from})
	}
}

// takeover takes the servers of one foreign file over.
type takeover struct {
	client  *client
	dir     string // the file's folder, absolute
	project string
	env     Env
	inputs  map[string]input
	servers []*taken
	skipped []note // entries that no server was made of
	vars    *variables
	used    map[string]int // each name that a server bears, with the last number that free gave it
}

// file takes over all servers of a file, from each section that holds some.
func (o *takeover) file(path string, root *foreign) {
	for _, section := range []string{"mcpServers", "servers", "context_servers", "mcp", "mcp_servers", "extensions"} {
		t := root.kid(section)
		if t == nil || t.kind < foreignList {
			continue
		}
		inputs := root.kid("inputs")
		if nested := t.tableOf("servers"); section == "mcp" && nested != nil { // VS Code's settings.json
			inputs, t, section = t.kid("inputs"), nested, "servers"
		}
		if section == "mcp" && root.kid("mcpServers") != nil {
			continue // Gemini's: which servers are left out
		}
		o.client = clientOf(path, section)
		o.readInputs(inputs)
		o.section(t, root.tableOf("mcp"))
	}
	project := o.project
	if t := root.tableOf("projects"); t != nil { // Claude Code's, by folder
		o.client = clientOf(path, "mcpServers")
		for _, p := range t.kids {
			o.project = p.name
			if s := p.tableOf("mcpServers"); s != nil {
				o.section(s, nil)
			}
		}
	}
	o.project = project
}

// readInputs reads VS Code's inputs.
func (o *takeover) readInputs(list *foreign) {
	o.inputs = map[string]input{}
	if list == nil {
		return
	}
	for _, in := range list.kids {
		id, ok := in.kid("id").scalar()
		if !ok {
			continue
		}
		i := input{}
		i.description, _ = in.kid("description").scalar()
		i.deflt, i.hasDeflt = in.kid("default").scalar()
		if hidden, _ := in.kid("password").yes(); hidden {
			i.deflt, i.hasDeflt = "", false
		}
		o.inputs[id] = i
	}
}

// section takes over the servers of a table, or of a list whose items bear a
// name. chosen is Gemini's list of those that are left out.
func (o *takeover) section(t, chosen *foreign) {
	excluded := map[string]bool{}
	if list := chosen.kid("excluded"); list != nil {
		for _, x := range list.kids {
			name, _ := x.scalar()
			excluded[name] = true
		}
	}
	for i, s := range t.kids {
		name := s.name
		if t.kind == foreignList {
			name, _ = s.kid("name").scalar()
		}
		// Of a key that is there twice the last one counts.
		if t.kind == foreignTable && t.kid(name) != t.kids[i] {
			continue
		}
		if server := o.server(name, s); server != nil {
			server.off = server.off || excluded[name]
			o.servers = append(o.servers, server)
		}
	}
}

// skip says why no server is made of an entry.
func (o *takeover) skip(f *foreign, name string, why redact.Safe) *taken {
	o.skipped = append(o.skipped, note{redact.Sprintf("%s: left out: %s", clean(shortName(name)), why), f})
	return nil
}

// shortName bounds a name that is shown.
func shortName(s string) string {
	if s == "" {
		return "(no name)"
	}
	return s[:min(len(s), maxFieldName)]
}

// legalName mends a name that none of our servers may bear.
func legalName(name string) string {
	legal := strings.Map(func(r rune) rune {
		if r < 0x80 && (isBare(byte(r)) || r == '.') {
			return r
		}
		return '-'
	}, name)
	for strings.Contains(legal, "--") && !strings.Contains(name, "--") {
		legal = strings.ReplaceAll(legal, "--", "-")
	}
	if legal != name {
		legal = strings.Trim(legal, "-")
	}
	if legal == "" {
		legal = "server"
	}
	return legal[:min(len(legal), 64)]
}

// free is a name that no server bears yet: name, name-2, name-3 …
func (o *takeover) free(name string) string {
	candidate := name
	for o.used[candidate] > 0 {
		o.used[name]++
		suffix := "-" + itoa(o.used[name])
		candidate = name[:min(len(name), 64-len(suffix))] + suffix
	}
	o.used[candidate] = 1
	return candidate
}
