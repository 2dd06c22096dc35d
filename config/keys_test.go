package config

import (
	"strings"
	"testing"
)

func TestC6_AnUnknownKeyNamesTheNearestKnownOne(t *testing.T) {
	for key, want := range map[string]string{
		"comand": "did you mean command?", "Command": "did you mean command?", "probe_intervall": "did you mean probe_interval?",
		"reconect": "did you mean reconnect?", "reconnect_intreval": "did you mean reconnect_interval?", "argz": "did you mean args?",
		"environment": "write env for it", "timeout": "write request_timeout for it", "disabled": "write enabled = false for it",
		"type": "nearest known key is url", "zzzzzzzzzzzz": "the nearest known key is ",
		strings.Repeat("x", 1<<20): "the nearest known key is ",
	} {
		if got := unknownHint(key, entryKeys).String(); !strings.Contains(got, want) {
			t.Errorf("%.40s: %q does not say %q", key, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}} {
		if got := edits(tt.a, tt.b); got != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
