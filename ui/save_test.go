package ui

import (
	"fmt"
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
	for n := 2; n <= 3; n++ { // the same second: what is there is not written over
		other := fmt.Sprintf("github-log-20261129-140509-%d.log", n)
		b.press("W")
		if got, want := b.footer(), "wrote 8 lines to "+other; got != want {
			t.Errorf("the footer says %q, want %q", got, want)
		}
		if again, err := os.ReadFile(other); err != nil || string(again) != string(content) {
			t.Errorf("%s: %v, holds\n%s", other, err, again)
		}
	}
	if first, err := os.ReadFile(name); err != nil || string(first) != string(content) {
		t.Errorf("the first file is now (%v)\n%s", err, first)
	}
}

// TestAPaneThatCannotBeWrittenSaysWhy: a folder that is not there, and names
// that are all taken.
func TestAPaneThatCannotBeWrittenSaysWhy(t *testing.T) {
	t.Chdir(t.TempDir())
	b := newBench(t, tenPhases(), 120, 40, Options{Redact: func(s string) string { return s }})
	b.press("j", "j", "j")
	const name = "github-log-20261129-140509"
	if err := os.Mkdir(name+".log", 0o700); err != nil { // taken, if not by a file
		t.Fatal(err)
	}
	for n := 2; n < maxSaves; n++ {
		if err := os.WriteFile(fmt.Sprintf("%s-%d.log", name, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.press("W")
	if got, want := b.footer(), fmt.Sprintf("wrote 8 lines to %s-%d.log", name, maxSaves); got != want {
		t.Errorf("the last name: the footer says %q, want %q", got, want)
	}
	b.press("W")
	if got := b.footer(); !strings.HasPrefix(got, "not written: open "+name) || !strings.HasSuffix(got, "file exists") {
		t.Errorf("the footer says %q", got)
	}
	gone := t.TempDir()
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	b.press("W")
	if got := b.footer(); !strings.HasPrefix(got, "not written: open "+name+".log: no such file") {
		t.Errorf("the footer says %q", got)
	}
}
