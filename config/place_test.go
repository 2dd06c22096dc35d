package config

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"rollcall/redact"
)

// placed checks that every value that the library decoded has a place, and that
// the place holds what the value was decoded from.
func placed(t *testing.T, d *document, n *node, path string, v any) {
	t.Helper()
	if n == nil {
		t.Fatalf("%s has no place", path)
	}
	if n.key.start > n.key.end || n.val.start > n.val.end || n.val.end > len(d.text) {
		t.Fatalf("%s: impossible place %v %v", path, n.key, n.val)
	}
	written := ""
	if n != d.root {
		written = d.written(n.val)
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			placed(t, d, n.kid(k), path+"."+k, x)
		}
	case []map[string]any:
		for i, x := range v {
			placed(t, d, n.kid("["+strconv.Itoa(i)+"]"), path+"[]", x)
		}
	case []any:
		for i, x := range v {
			placed(t, d, n.kid("["+strconv.Itoa(i)+"]"), path+"[]", x)
		}
	default:
		var again struct{ K any }
		if _, err := toml.Decode("K = "+soften(written, []span{{0, len(written)}}), &again); err != nil || fmt.Sprint(again.K) != fmt.Sprint(v) {
			t.Fatalf("%s: %v stands at %q: %v", path, v, written, err)
		}
	}
}

const everyShape = "\uFEFFtop = 1\r\n" + `
a.b."c.d".'e' = "x" # not "this"
'lit\eral' = 'C:\path' # nor 'this'
"esc\"aped\u00e9" = "a \" quote # no comment"
long = """one "two" ""three""
four \""""
long2 = '''it''s'''''
empty = "" 
list = [ 1, "two", [3, 4], { k = "v", n.m = [ "x" ] }, # comment ]
  "]", 5 ]
date = 1979-05-27 07:32:00
day = 1979-05-27
floats = [1.5, -inf, +nan, 1e5, 0x1f, 1_000]
inline = { a = 1, b = { c = true }, "d e" = false }
[ table . "quoted key" ]
k = 'v'
[[rows]]
k = 1
[rows.sub]
deep = "x"
[[rows]]
k = 2
[servers.web.env]
A = "b"
[servers.web]
command = "x"`

func TestC6_EveryValueHasItsPlace(t *testing.T) {
	d, err := parse(redact.Word("t"), everyShape)
	if err != nil {
		t.Fatal(err)
	}
	placed(t, d, d.root, "", d.values)
}

func TestC6_ColumnsAreCharacters(t *testing.T) {
	f := load(t, "[servers.web]\ncommand = \"x\"\nenv = { \"Ü\" = \"éé\", \"ключ\" = true }\n", testEnv())
	if p := f.Problems[0]; p.Column != 30 || p.Caret != 29 || p.Width != 4 || p.Excerpt.String() != `env = { "?" = "…", "????" = true }` {
		t.Errorf("got %+v", p)
	}
}

func TestC6_ALongLineIsCutAroundTheCaret(t *testing.T) {
	text := "[servers.web]\ncommand = \"x\"\nenv = { "
	for i := range 200 {
		text += "NAME_" + strconv.Itoa(i) + " = \"value\", "
	}
	f := load(t, text+"BAD = true, "+"LAST = \"x\" }", testEnv())
	p := f.Problems[0]
	shown := []rune(p.Excerpt.String())
	if len(shown) > excerptWidth || string(shown[p.Caret-1:p.Caret-1+p.Width]) != "true" {
		t.Errorf("got\n%s", Render(p))
	}
}

func FuzzScan(f *testing.F) {
	f.Add(everyShape)
	f.Add("a = \"\\")
	f.Add("[[a")
	f.Add("a = {b = '''")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parse(redact.Word("t"), text)
		if err != nil {
			_ = err.Error()
			return
		}
		placed(t, d, d.root, "", d.values)
	})
}

func TestC6_AProblemFarInALongLine(t *testing.T) {
	f := load(t, "[servers.web]\ncommand = \"x\"\nargs = ["+strings.Repeat(`"é", `, 5000)+`5, "hunter2hunter2"]`, testEnv())
	p := f.entry(t, "web").Problems[0]
	excerpt := []rune(p.Excerpt.String())
	if p.Column != 9+5000*5 || len(excerpt) > excerptWidth+1 || excerpt[0] != '…' || string(excerpt[p.Caret-1]) != "5" || strings.Contains(string(excerpt), "hunter2") {
		t.Errorf("column %d, caret %d under %q", p.Column, p.Caret, string(excerpt))
	}
}
