package ui

import (
	"os"
	"strings"
	"testing"
)

// TestREADMENamesEveryKey holds the README's table to the keymap.
func TestREADMENamesEveryKey(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "<!-- keys")
	if !ok {
		t.Fatal("the README has no table of keys")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, b := range defaultKeys {
		if !strings.Contains(table, "`"+b.label+"`") {
			t.Errorf("the README does not name the key %q: %s", b.label, b.help)
		}
	}
}
