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

// TestC6_AMisspelledCommandIsNotSaidToBeMissing: the row has room for one
// problem, and it is the one that helps.
func TestC6_AMisspelledCommandIsNotSaidToBeMissing(t *testing.T) {
	for text, want := range map[string]string{
		`comand = "x"`:                          "server a: comand: unknown key",
		`cmd = "x"`:                             "server a: cmd: unknown key",
		`ulr = "https://mcp.example.com/mcp"`:   "server a: ulr: unknown key",
		`serverUrl = "https://mcp.example.com"`: "server a: serverUrl: unknown key",
		"tag = \"x\"\nCOMMAND = \"x\"":          "server a: tag: unknown key\nserver a: COMMAND: unknown key",
		`type = "stdio"`:                        "server a: neither command nor url is set\nserver a: type: unknown key",
		`argz = ["x"]`:                          "server a: neither command nor url is set\nserver a: argz: unknown key",
		`tags = ["x"]`:                          "server a: neither command nor url is set",
	} {
		f := load(t, "[servers.a]\n"+text, testEnv())
		var got []string
		for _, p := range f.Entries[0].Problems {
			got = append(got, p.Text.String())
		}
		if f.Entries[0].Spec != nil || strings.Join(got, "\n") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
