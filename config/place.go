package config

import (
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxDepth bounds how deep tables, arrays and dotted keys nest. The decoder
// recurses without a bound.
const maxDepth = 64

// span is a half-open range of bytes of the file.
type span struct{ start, end int }

// node is one key of the file, or one item of an array, with its place.
type node struct {
	name  string
	key   span // the key as it is written; for an item, its value
	val   span // the value as it is written; for a [table], its header
	kids  []*node
	named map[string]*node
	array bool // an array of tables: [[name]]
}

// kid is the node of a key below n; nil where there is none.
func (n *node) kid(name string) *node {
	if n == nil {
		return nil
	}
	return n.named[name]
}

// grow returns the kid of that name, made where there is none.
func (n *node) grow(name string, key span) *node {
	if k := n.named[name]; k != nil {
		return k
	}
	if n.named == nil {
		n.named = map[string]*node{}
	}
	k := &node{name: name, key: key, val: key}
	n.named[name] = k
	n.kids = append(n.kids, k)
	return k
}

// descend follows a dotted key from n; through an array of tables it goes into
// the last one.
func (n *node) descend(path []part) *node {
	for _, p := range path {
		n = n.grow(p.name, p.at)
		if n.array {
			n = n.kids[len(n.kids)-1]
		}
	}
	return n
}

// part is one part of a dotted key.
type part struct {
	name string
	at   span
}

// scanner finds the places of all keys and values. What it reads is decoded by
// the TOML library, which alone judges it: the scanner takes a valid file apart
// rightly, and any other one without harm.
type scanner struct {
	s        string
	i        int
	depth    int
	tooDeep  span // where nesting went beyond maxDepth; empty where it did not
	strings  []span
	comments []span
	bare     []span // values without quotes: numbers, booleans, dates
}

// scan takes a file apart.
func scan(s string) (*scanner, *node) {
	p := &scanner{s: s}
	root := &node{}
	here := root
	for p.blank(); p.i < len(p.s); p.blank() {
		before := p.i
		if p.s[p.i] == '[' {
			here = p.header(root)
		} else {
			p.keyValue(here)
		}
		if p.i == before {
			p.i++
		}
	}
	return p, root
}

// peek is the byte at the cursor, 0 at the end.
func (p *scanner) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

// skip moves over bytes of the set.
func (p *scanner) skip(set string) {
	for p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
		p.i++
	}
}

// until moves to the first byte of the set, or to the end.
func (p *scanner) until(set string) {
	if n := strings.IndexAny(p.s[p.i:], set); n >= 0 {
		p.i += n
	} else {
		p.i = len(p.s)
	}
}

// blank moves over white space, line ends and comments.
func (p *scanner) blank() {
	for {
		p.skip(" \t\r\n")
		if p.peek() != '#' {
			return
		}
		start := p.i
		p.until("\n")
		p.comments = append(p.comments, span{start, p.i})
	}
}

// header reads [a.b] or [[a.b]] and returns the table that it opens.
func (p *scanner) header(root *node) *node {
	start := p.i
	p.i++
	list := p.peek() == '['
	if list {
		p.i++
	}
	path := p.keyPath()
	p.skip(" \t")
	p.skip("]")
	if len(path) == 0 {
		return &node{}
	}
	at := span{start, p.i}
	last := path[len(path)-1]
	if !list {
		n := root.descend(path)
		n.key, n.val = last.at, at
		return n
	}
	n := root.descend(path[:len(path)-1]).grow(last.name, last.at)
	n.array = true
	return n.grow("["+strconv.Itoa(len(n.kids))+"]", last.at)
}

// keyValue reads `key = value` into a table.
func (p *scanner) keyValue(table *node) {
	path := p.keyPath()
	p.skip(" \t")
	if len(path) == 0 || p.peek() != '=' {
		p.until("\n")
		return
	}
	p.i++
	p.skip(" \t")
	n := table.descend(path)
	n.key = path[len(path)-1].at
	p.value(n)
}

// keyPath reads a dotted key.
func (p *scanner) keyPath() []part {
	var path []part
	for {
		p.skip(" \t")
		start := p.i
		name := ""
		if c := p.peek(); c == '"' || c == '\'' {
			p.quoted()
			name = unquote(p.s[start:p.i])
		} else {
			for p.i < len(p.s) && isBare(p.s[p.i]) {
				p.i++
			}
			name = p.s[start:p.i]
		}
		if p.i == start {
			return path
		}
		path = append(path, part{name, span{start, p.i}})
		if len(path) > maxDepth {
			p.stop(start)
			return path
		}
		p.skip(" \t")
		if p.peek() != '.' {
			return path
		}
		p.i++
	}
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// unquote leaves the reading of a quoted key to the library.
func unquote(quoted string) string {
	var key struct{ K string }
	if _, err := toml.Decode("K = "+quoted, &key); err != nil {
		return quoted
	}
	return key.K
}

// stop ends the scan of a file that nests too deep.
func (p *scanner) stop(at int) {
	if p.tooDeep == (span{}) {
		p.tooDeep = span{at, at + 1}
	}
	p.i = len(p.s)
}

// value reads one value into its node.
func (p *scanner) value(n *node) {
	start := p.i
	switch p.peek() {
	case '"', '\'':
		p.quoted()
		p.strings = append(p.strings, span{start, p.i})
	case '[', '{':
		if p.depth++; p.depth > maxDepth {
			p.stop(start)
			return
		}
		p.list(n, p.peek() == '[')
		p.depth--
	default:
		p.until(",]}#\r\n")
		p.i = start + len(strings.TrimRight(p.s[start:p.i], " \t"))
		p.bare = append(p.bare, span{start, p.i})
	}
	n.val = span{start, p.i}
}

// list reads an array's items, or an inline table's keys.
func (p *scanner) list(n *node, array bool) {
	for p.i++; ; {
		p.blank()
		switch before := p.i; p.peek() {
		case 0:
			return
		case ']', '}':
			p.i++
			return
		case ',':
			p.i++
		default:
			if array {
				k := n.grow("["+strconv.Itoa(len(n.kids))+"]", span{})
				p.value(k)
				k.key = k.val
			} else {
				p.keyValue(n)
			}
			if p.i == before {
				p.i++
			}
		}
	}
}

// quoted moves over a string of any of the four kinds.
func (p *scanner) quoted() {
	quote := p.s[p.i : p.i+1]
	long := strings.HasPrefix(p.s[p.i:], strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	for p.i += len(quote); p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '\\' && quote[0] == '"':
			p.i++
		case c == '\n' && !long:
			return
		case strings.HasPrefix(p.s[p.i:], quote):
			p.i += len(quote)
			// Up to two quotes may stand before the three that close.
			for n := 0; long && n < 2 && p.peek() == quote[0]; n++ {
				p.i++
			}
			return
		}
	}
	p.i = min(p.i, len(p.s))
}
