package config

import (
	"errors"
	"strings"
	"testing"
)

func TestC6_ABrokenFileIsToldWithItsPlaceAndNoValue(t *testing.T) {
	const secret = "hunter2hunter2hunter2"
	tests := []struct {
		name, text   string
		line, column int
		says         string
	}{
		{"no quotes", "[servers.a]\ncommand = " + secret, 2, 11, "no value begins like this"},
		{"open string", "[servers.a]\nenv.TOKEN = \"" + secret + "\ncommand = \"x\"", 2, 0, "newlines"},
		{"open long string", "[servers.a]\nenv.TOKEN = \"\"\"" + secret + "\n" + secret + "=\nPASSWORD=" + secret, 4, 0, "unexpected EOF"},
		{"open array", "[servers.a]\nargs = [\"" + secret + "\"\ncommand = \"x\"", 3, 0, "comma"},
		{"no equals", "[servers.a]\n" + secret, 2, 0, "expected"},
		{"twice", "[servers.a]\ncommand = \"" + secret + "\"\ncommand = \"x\"", 3, 0, "the key servers.a.command is there twice"},
		{"table twice", "[servers.a]\n[servers.b]\n[servers.a]", 3, 2, "the key servers.a is there twice"},
		{"bad number", "[servers.a]\nenv.TOKEN = 12" + secret, 2, 0, ""},
		{"bad integer", "[servers.a]\nenv.TOKEN = 4929__1234", 2, 0, "nvalid integer …"},
		{"bad date", "[servers.a]\nenv.TOKEN = 2026-99-99", 2, 0, "invalid datetime: …"},
		{"bad escape", "[servers.a]\ncwd = \"C:\\windows\"", 2, 0, "escape"},
		{"bad UTF-8", "[servers.a]\ncwd = \"\xff\"", 2, 0, "UTF-8"},
		{"control", "[servers.a]\ncwd = \"\x1b]0;owned\a\"", 2, 0, "control"},
		{"deep", "a = " + strings.Repeat("[", 100_000), 1, 0, "nested deeper"},
		{"deep key", strings.Repeat("a.", 100_000) + "a = 1", 1, 0, "nested deeper"},
		{"UTF-16", "\xff\xfe[\x00", 1, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(write(t, tt.text), testEnv())
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("got %v", err)
			}
			p := se.Problem
			if p.Line != tt.line || tt.column != 0 && p.Column != tt.column || !strings.Contains(p.Text.String(), tt.says) {
				t.Errorf("want %d:%d … %s; got\n%s", tt.line, tt.column, tt.says, err)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.ContainsAny(err.Error(), "\x1b\a") {
				t.Errorf("the file is echoed:\n%s", err)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("%d bytes", len(err.Error()))
			}
		})
	}
}
