package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestD5_LinesAreBrokenWhereTheyRead: at spaces, a PATH between its folders, and
// never at a hyphen.
func TestD5_LinesAreBrokenWhereTheyRead(t *testing.T) {
	l := newLook(Options{}, traits{})
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"short", 10, []string{"short"}},
		{"npx not found: install Node.js, then c", 20, []string{"npx not found:", "install Node.js,", "then c"}},
		{"a node-modules folder", 10, []string{"a node-mod", "ules", "folder"}},
		{"in the pyenv-virtualenv", 18, []string{"in the", "pyenv-virtualenv"}},
		{"then c; searched PATH=/usr/local/sbin:/usr/local/bin:/opt/vendor-tools/bin:/bin", 34,
			[]string{"then c; searched PATH=/usr/local/", "sbin:/usr/local/bin:", "/opt/vendor-tools/bin:/bin"}},
		{"PATH=/usr/local/sbin:/usr/local/bin:/usr/bin", 24, []string{"PATH=/usr/local/sbin:", "/usr/local/bin:/usr/bin"}},
		{"    at Client.request (/srv/github-mcp/index.js:214:19)", 24, []string{"    at Client.request", "(/srv/github-mcp/", "index.js:214:19)"}},
		{strings.Repeat("x", 25), 10, []string{"xxxxxxxxxx", "xxxxxxxxxx", "xxxxx"}},
		{"日本語のエラーメッセージ", 10, []string{"日本語のエ", "ラーメッセ", "ージ"}},
		{"trailing    ", 10, []string{"trailing"}},
	} {
		if got := l.wrap(c.text, c.w); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells is\n%q, want\n%q", c.text, c.w, got, c.want)
		}
	}
}

// FuzzWrap: no row spills, and nothing but spaces is lost.
func FuzzWrap(f *testing.F) {
	f.Add("npx not found: PATH=/usr/bin:/bin", uint8(12))
	f.Add("  日本語 e\u0301 👩‍👩‍👧 -", uint8(3))
	f.Fuzz(func(t *testing.T, s string, w uint8) {
		s = text("%s", s).String()
		for _, cells := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
			l := newLook(Options{}, traits{cells: cells})
			rows := l.wrap(s, int(w))
			for _, row := range rows {
				if n := l.width(row); w > 1 && n > int(w) {
					t.Errorf("a row of %d cells in %d: %q", n, w, row)
				}
			}
			if got, want := strings.ReplaceAll(strings.Join(rows, ""), " ", ""), strings.ReplaceAll(s, " ", ""); got != want {
				t.Errorf("the rows hold %q, want %q", got, want)
			}
		}
	})
}
