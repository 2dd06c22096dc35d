package config

import (
	"os"
	"strings"
	"testing"
)

// TestC9_WhatIsWarnedOf loads each text from a file that others may read.
func TestC9_WhatIsWarnedOf(t *testing.T) {
	const (
		clear   = "sent in clear text"
		literal = "others may read"
		latest  = "@latest"
		entry   = "[servers.a]\n"
	)
	for _, tt := range []struct{ text, warns string }{
		{entry + `url = "http://h/"` + "\n" + `headers = { Authorization = "Bearer ${T}" }`, clear},
		{entry + `url = "ws://h/?key=${T}"`, clear},
		{entry + `url = "http://user:${T}@h/"`, clear},
		{entry + `url = "http://[::1]/?key=${T}"`, ""},
		{entry + `url = "http://localhost/?key=${T}"`, ""},
		{entry + `url = "https://h/?key=${T}"`, ""},
		{entry + `url = "http://h/"`, ""},
		{"[alerts]\n" + `webhook = "http://127.0.0.1:1/${T}"`, ""},
		{"[alerts]\n" + `webhook = "https://h/${T}"`, ""},
		{"[alerts]\n" + `webhook = "https://h/abcdefgh"`, literal},
		{"[alerts]\n" + `exec = ["notify", "--token", "abcdefgh"]`, literal},
		{"[alerts]\n" + `exec = ["notify", "--token", "${T}"]`, ""},
		{entry + `command = "x"` + "\n" + `env = { API_KEY = "abcdefgh" }`, literal},
		{entry + `command = "x"` + "\n" + `env = { API_KEY = "${T:-abcdefgh}" }`, ""},
		{entry + `command = "x"` + "\n" + `env = { API_KEY = "${UNSET:-abcdefgh}" }`, literal},
		{entry + `command = "x"` + "\n" + `env = { API_KEY = "abcdefgh" }` + "\n" + `public = ["API_KEY"]`, ""},
		{entry + `command = "x"` + "\n" + `env = { GREETING = "abcdefgh" }`, ""},
		{entry + `command = "x"` + "\n" + `env = { DB = "postgres://u:abcdefgh@h/d" }`, literal},
		{entry + `command = "x"` + "\n" + `args = ["--token", "abcdefgh"]`, literal},
		{entry + `command = "x"` + "\n" + `args = ["ghp_0123456789abcdefghij0123456789abcdef"]`, literal},
		{entry + `command = "x"` + "\n" + `args = ["https://h/?token=abcdefgh"]`, literal},
		{entry + `command = "x"` + "\n" + `secrets = { A = "abcdefgh" }`, literal},
		{entry + `url = "https://h/?key=abcdefgh"`, literal},
		{entry + `url = "https://h/"` + "\n" + `headers = { X-API-Key = "abcdefgh" }`, literal},
		{entry + `command = "npx"` + "\n" + `args = ["-y", "@scope/name@latest"]`, latest},
		{entry + `command = "/usr/bin/npx"` + "\n" + `args = ["-y", "name@1.2.3"]`, ""},
		{entry + `command = "npx"` + "\n" + `args = ["-y", "name"]`, ""},
	} {
		path := write(t, tt.text)
		for _, open := range []bool{true, false} {
			mode, want := os.FileMode(0o600), tt.warns
			if open {
				mode = 0o644
			} else if want == literal {
				want = ""
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			f, err := Load(path, testEnv("T", "value-of-T"))
			if err != nil {
				t.Fatal(err)
			}
			problems := inForce(f.Problems)
			switch {
			case want == "" && len(problems) > 0, want != "" && (len(problems) != 1 || !problems[0].Warning || !strings.Contains(problems[0].Text.String(), want)):
				t.Errorf("%s\nof mode %o, want a warning %q, got\n%s", tt.text, mode, want, rendered(problems))
			}
		}
	}
}
