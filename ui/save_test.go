package ui

import (
	"os"
	"strings"
	"testing"
)

func TestD3_WritesThePaneToAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	b := newBench(t, tenPhases(), 120, 40, Options{Redact: func(s string) string { return s }})
	b.press("j", "j", "j", "W")
	const name = "github-log-20261129-140509.log"
	if got, want := b.footer(), "wrote 8 lines to "+name; got != want {
		t.Fatalf("the footer says %q, want %q", got, want)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), "14:04:21 | Error: Bad credentials (token ‹GITHUB_TOKEN›)\n") {
		t.Errorf("the file holds\n%s", content)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	b.press("W") // the same second: what is there is not written over
	if got := b.footer(); !strings.HasPrefix(got, "not written: open "+name) {
		t.Errorf("the footer says %q", got)
	}
}
