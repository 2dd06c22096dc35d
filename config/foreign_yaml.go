package config

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"rollcall/redact"
)

// A YAML file is bounded, in bytes, and each line of it: the library's parser takes
// minutes for hostile ones, and nobody keeps servers in a great one.
const (
	maxYAML     = 128 << 10
	maxYAMLLine = 4 << 10
)

// readYAML reads the first document of a YAML file. Anchors and aliases are not
// followed: a few bytes of them can mean gigabytes.
func (d *document) readYAML() (*foreign, error) {
	if len(d.text) > maxYAML {
		return nil, d.notForeign(span{}, redact.Sprintf("longer than %d KiB, too long for YAML", redact.Int(maxYAML>>10)))
	}
	d.hideYAML()
	if at, deep := d.tooDeepYAML(); deep {
		return nil, d.notForeign(at, redact.Sprintf("not YAML that is read here: nested deeper than %d levels, or a line too long", redact.Int(maxDepth)))
	}
	file, err := parser.ParseBytes([]byte(d.text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, d.notForeign(d.placeOf(err), redact.Word("not YAML"))
	}
	f := &foreign{kind: foreignTable}
	if len(file.Docs) > 0 && file.Docs[0].Body != nil {
		f = d.yaml(file.Docs[0].Body, "", 0)
	}
	if f.kind != foreignTable {
		return nil, d.notForeign(f.val, redact.Word("no YAML mapping"))
	}
	return f, nil
}

// yamlKey is the beginning of a line that an excerpt shows: a key, and the
// dashes before it.
var yamlKey = regexp.MustCompile(`^[ -]*[A-Za-z0-9_.-]{1,64}:([ \t]+|\r?$)`)

// hideYAML hides all of each line but its key.
func (d *document) hideYAML() {
	for n := range d.lines {
		line := d.lineAt(n + 1)
		start := line.start + len(yamlKey.FindString(d.text[line.start:line.end]))
		if start < line.end {
			d.scan.strings = append(d.scan.strings, span{start, line.end})
		}
	}
}

// tooDeepYAML finds a line with more brackets open, or more dashes at its
// beginning, than levels are read: the library recurses without a bound. Quotes
// are not looked at, so that it errs on the safe side.
func (d *document) tooDeepYAML() (at span, deep bool) {
	open := 0
	for n := range d.lines {
		line := d.lineAt(n + 1)
		text := d.text[line.start:line.end]
		marks := strings.Count(text[:len(text)-len(strings.TrimLeft(text, " -?:\t"))], "-")
		if len(text) > maxYAMLLine || strings.Count(text, ": ") > maxDepth || strings.Count(text, `"`) > 4*maxDepth {
			return line, true
		}
		indent := len(text) - len(strings.TrimLeft(text, " "))
		for i := range len(text) {
			switch text[i] {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			if open > maxDepth {
				return line, true
			}
		}
		if marks > maxDepth || indent > 8*maxDepth || strings.Count(text, "? ") > maxDepth || strings.Count(text, "!") > maxDepth || strings.Count(text, "&") > maxDepth {
			return line, true
		}
	}
	return span{}, false
}

// yaml takes over what the YAML library parsed.
func (d *document) yaml(n ast.Node, name string, depth int) *foreign {
	at := d.yamlPlace(n)
	f := &foreign{name: name, key: at, val: at}
	if depth > maxDepth {
		return f
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		f.kind = foreignTable
		for _, v := range n.Values {
			f.kids = append(f.kids, d.yamlPair(v, depth+1))
		}
	case *ast.MappingValueNode:
		f.kind = foreignTable
		f.kids = append(f.kids, d.yamlPair(n, depth+1))
	case *ast.SequenceNode:
		f.kind = foreignList
		for _, v := range n.Values {
			f.kids = append(f.kids, d.yaml(v, "", depth+1))
		}
	case *ast.StringNode:
		f.kind, f.text = foreignText, n.Value
	case *ast.LiteralNode:
		f.kind, f.text = foreignText, n.Value.Value
	case *ast.BoolNode:
		f.kind, f.text = foreignBool, strconv.FormatBool(n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		f.kind, f.text = foreignNumber, n.GetToken().Value
	case *ast.TagNode:
		return d.yaml(n.Value, name, depth+1)
	case *ast.AnchorNode:
		return d.yaml(n.Value, name, depth+1)
	}
	return f
}

func (d *document) yamlPair(v *ast.MappingValueNode, depth int) *foreign {
	name := v.Key.GetToken().Value
	if s, ok := v.Key.(*ast.StringNode); ok {
		name = s.Value
	}
	k := &foreign{name: name}
	if v.Value != nil {
		k = d.yaml(v.Value, name, depth)
	}
	k.key = d.yamlPlace(v.Key)
	return k
}

// yamlPlace is where a node begins. The library counts columns in characters.
func (d *document) yamlPlace(n ast.Node) span {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return span{}
	}
	p := n.GetToken().Position
	if p.Line < 1 || p.Line > len(d.lines) {
		return span{}
	}
	line := d.lineAt(p.Line)
	at, left := line.start, p.Column
	for i := range d.text[line.start:line.end] {
		at = line.start + i
		if left--; left <= 0 {
			break
		}
	}
	return span{at, min(at+max(len(n.GetToken().Value), 1), max(line.end, at+1))}
}
