package config

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"rollcall/model"
	"rollcall/redact"
)

// readJSON reads JSON with comments and trailing commas.
func (d *document) readJSON() (*foreign, error) {
	if at, deep := tooDeepJSON(d.text); deep {
		return nil, d.notForeign(at, redact.Sprintf("not JSON: nested deeper than %d levels", redact.Int(maxDepth)))
	}
	v, err := hujson.Parse([]byte(d.text))
	if err != nil {
		return nil, d.notForeign(d.placeOf(err), redact.Word("not JSON"))
	}
	j := jsonReader{scan: d.scan}
	f := j.value(v, "")
	if f.kind != foreignTable {
		return nil, d.notForeign(f.val, redact.Word("no JSON object"))
	}
	return f, nil
}

// tooDeepJSON finds where brackets nest deeper than maxDepth: the library
// recurses without a bound. Comments are skipped like white space.
func tooDeepJSON(s string) (at span, deep bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return span{i, i + 1}, true
			}
		case ']', '}':
			depth--
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '/':
			end := ""
			switch {
			case strings.HasPrefix(s[i:], "//"):
				end = "\n"
			case strings.HasPrefix(s[i:], "/*"):
				end = "*/"
			default:
				continue
			}
			n := strings.Index(s[i+2:], end)
			if n < 0 {
				return span{}, false
			}
			i += 1 + n + len(end)
		}
	}
	return span{}, false
}

// jsonReader takes over what the JSON library parsed, and notes where values and
// comments stand, in the file's order: no excerpt shows them.
type jsonReader struct{ scan *scanner }

func (j *jsonReader) value(v hujson.Value, name string) *foreign {
	f := &foreign{name: name, val: span{v.StartOffset, v.EndOffset}}
	f.key = f.val
	j.comment(v.StartOffset-len(v.BeforeExtra), v.BeforeExtra)
	switch x := v.Value.(type) {
	case hujson.Literal:
		j.literal(f, x)
	case *hujson.Array:
		f.kind = foreignList
		for _, e := range x.Elements {
			f.kids = append(f.kids, j.value(e, ""))
		}
		j.comment(v.EndOffset-1-len(x.AfterExtra), x.AfterExtra)
	case *hujson.Object:
		f.kind = foreignTable
		for _, m := range x.Members {
			key := m.Name
			j.comment(key.StartOffset-len(key.BeforeExtra), key.BeforeExtra)
			j.comment(key.EndOffset, key.AfterExtra)
			lit, _ := key.Value.(hujson.Literal)
			k := j.value(m.Value, lit.String())
			k.key = span{key.StartOffset, key.EndOffset}
			f.kids = append(f.kids, k)
		}
		j.comment(v.EndOffset-1-len(x.AfterExtra), x.AfterExtra)
	}
	j.comment(v.EndOffset, v.AfterExtra)
	return f
}

func (j *jsonReader) literal(f *foreign, x hujson.Literal) {
	f.text = string(x)
	switch x.Kind() {
	case '"':
		f.kind, f.text = foreignText, x.String()
		j.scan.strings = append(j.scan.strings, f.val)
	case '0':
		f.kind = foreignNumber
	case 't', 'f':
		f.kind = foreignBool
	}
}

// comment hides what stands between two values, where that is more than blanks.
func (j *jsonReader) comment(start int, x hujson.Extra) {
	text := strings.TrimSpace(string(x))
	if text != "" {
		start += strings.Index(string(x), text)
		j.scan.strings = append(j.scan.strings, span{start, start + len(text)})
	}
}

// foreignPlace is how both libraries name a place.
var foreignPlace = regexp.MustCompile(`line (\d+), column (\d+)|\[(\d+):(\d+)\]`)

// placeOf is the place that a library's error names; its text may quote the file.
func (d *document) placeOf(err error) span {
	m := foreignPlace.FindStringSubmatch(err.Error())
	if m == nil {
		return span{}
	}
	line, _ := strconv.Atoi(m[1] + m[3])
	column, _ := strconv.Atoi(m[2] + m[4])
	if line < 1 || line > len(d.lines) {
		return span{}
	}
	at := min(d.lines[line-1]+max(column-1, 0), len(d.text))
	return span{at, at + 1}
}

// notForeign makes a SyntaxError of a foreign file. In a broken file nobody
// knows where values end: the excerpt shows nothing of the line.
func (d *document) notForeign(at span, text redact.Safe) *SyntaxError {
	e := &SyntaxError{Problem: model.Problem{Text: text,
		Hint: redact.Word("look for a comma, a quote or a bracket that is missing here or before it")}}
	d.place(&e.Problem, at, func(line span) []span { return []span{line} })
	return e
}
