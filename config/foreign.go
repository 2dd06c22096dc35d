package config

import (
	"strconv"
	"strings"

	"rollcall/redact"
)

// A foreign file is another MCP client's: JSON, YAML or TOML.
//
//	bytes ─▶ tree ─▶ finder ─▶ takeover ─▶ taken ─┬▶ writer ─▶ our TOML (Import)
//	                                              └▶ document ─▶ Load
//
// foreign is one value of such a file with its place, in the file's order.
type foreign struct {
	kind foreignKind
	text string     // of a text as it means, of a number and a boolean as it is written
	name string     // its key in the table above; empty for an item of a list
	kids []*foreign // of a list or a table
	key  span       // where its key stands; its value where it has none
	val  span

	index map[string]*foreign // of a table's kids; made when it is first asked
}

type foreignKind uint8

const (
	foreignNull foreignKind = iota
	foreignBool
	foreignNumber
	foreignText
	foreignList
	foreignTable
)

// kid is the value of a key; nil where there is none. Of a key that is there
// twice the last wins, as in the clients.
func (f *foreign) kid(name string) *foreign {
	if f == nil || f.kind != foreignTable {
		return nil
	}
	if f.index == nil {
		f.index = make(map[string]*foreign, len(f.kids))
		for _, k := range f.kids {
			f.index[k.name] = k
		}
	}
	return f.index[name]
}

// tableOf is a kid that is a table; nil where there is none.
func (f *foreign) tableOf(name string) *foreign {
	if k := f.kid(name); k != nil && k.kind == foreignTable {
		return k
	}
	return nil
}

// scalar is the text of what is no list and no table. Null is no scalar.
func (f *foreign) scalar() (string, bool) {
	if f == nil || f.kind == foreignNull || f.kind >= foreignList {
		return "", false
	}
	return f.text, true
}

// number reads a number, or a text that is one.
func (f *foreign) number() (float64, bool) {
	s, ok := f.scalar()
	if !ok || f.kind == foreignBool {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return n, err == nil
}

// yes reads a boolean; ok is false where it is none.
func (f *foreign) yes() (is, ok bool) {
	s, _ := f.scalar()
	return s == "true", s == "true" || s == "false"
}

// format is how a file is written.
type format uint8

const (
	formatTOML format = iota
	formatJSON
	formatYAML
)

// formatOf tells a file's format by its name, else by how it begins: JSON begins
// with a brace, which no TOML file does.
func formatOf(path, text string) format {
	lower := strings.ToLower(path)
	switch {
	case strings.HasSuffix(lower, ".json"), strings.HasSuffix(lower, ".jsonc"):
		return formatJSON
	case strings.HasSuffix(lower, ".yaml"), strings.HasSuffix(lower, ".yml"):
		return formatYAML
	case strings.HasSuffix(lower, ".toml"):
		return formatTOML
	}
	if strings.HasPrefix(strings.TrimLeft(text, "\uFEFF \t\r\n"), "{") {
		return formatJSON
	}
	return formatTOML
}

// readForeign reads a foreign file into a document without values, and its tree.
// The tree is nil where the file is TOML and no other client's. The error is a
// *SyntaxError.
func readForeign(file redact.Safe, path, text string) (*document, *foreign, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	switch formatOf(path, text) {
	case formatJSON:
		d := newDocument(file, text)
		f, err := d.readJSON()
		return d, f, err
	case formatYAML:
		d := newDocument(file, text)
		f, err := d.readYAML()
		return d, f, err
	}
	d, err := parse(file, text)
	if err != nil {
		return nil, nil, err
	}
	if _, ours := d.values["servers"]; ours || d.root.kid("mcp_servers") == nil {
		return d, nil, nil
	}
	return d, foreignTOML(d.values, d.root, ""), nil
}

// foreignTOML takes over what the TOML library decoded.
func foreignTOML(v any, at *node, name string) *foreign {
	f := &foreign{name: name, key: at.key, val: at.val}
	switch v := v.(type) {
	case bool:
		f.kind, f.text = foreignBool, strconv.FormatBool(v)
	case int64:
		f.kind, f.text = foreignNumber, strconv.FormatInt(v, 10)
	case float64:
		f.kind, f.text = foreignNumber, strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		f.kind, f.text = foreignText, v
	case []any:
		f.kind = foreignList
		for i, x := range v {
			if k := at.kid("[" + strconv.Itoa(i) + "]"); k != nil {
				f.kids = append(f.kids, foreignTOML(x, k, ""))
			}
		}
	case map[string]any:
		f.kind = foreignTable
		for _, k := range at.kids {
			if x, ok := v[k.name]; ok {
				f.kids = append(f.kids, foreignTOML(x, k, k.name))
			}
		}
	}
	return f
}
