package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestR1_WhatIsSecretAndUnderWhichName(t *testing.T) {
	env := testEnv("GITHUB_TOKEN", "ghp-from-environment", "REGION", "eu-central-9", "PW", "word-of-passage")
	tests := []struct{ fields, says, want string }{
		{`command = "x"
		  env = { API = "literal-value" }`, "got literal-value", "got ‹API›"},
		{`command = "x"
		  env = { TOKEN = "${GITHUB_TOKEN}" }`, "ghp-from-environment", "‹GITHUB_TOKEN›"},
		{`command = "x"
		  env = { WHERE = "${REGION}" }`, "eu-central-9", "‹WHERE›"},
		{`command = "x"
		  args = ["--token", "flag-value"]`, "flag-value", "‹--token›"},
		{`command = "x"
		  args = ["--api-key=flag-value"]`, "flag-value", "‹--api-key›"},
		{`command = "x"
		  args = ["-e", "PLAIN=docker-value"]`, "docker-value", "‹PLAIN›"},
		{`command = "x"
		  args = ["--env=PLAIN=docker-value"]`, "docker-value", "‹PLAIN›"},
		{`command = "x"
		  args = ["GH_TOKEN=word-value"]`, "word-value", "‹GH_TOKEN›"},
		{`command = "x"
		  args = ["--header", "Authorization: Bearer abcdefgh"]`, "sent abcdefgh", "sent ‹Authorization›"},
		{`command = "x"
		  args = ["--header=Authorization: Bearer abcdefgh"]`, "sent abcdefgh", "sent ‹Authorization›"},
		{`command = "x"
		  args = ["-H", "X-Who: ${PW}"]`, "sent word-of-passage", "sent ‹PW›"},
		{`command = "x"
		  args = ["--set", "db.password=inner-value", "--no-auth", "--token", "flag-value"]`, "inner-value flag-value", "‹db.password› ‹--token›"},
		{`command = "x"
		  args = ["--token=${GITHUB_TOKEN}"]`, "ghp-from-environment", "‹GITHUB_TOKEN›"},
		{`command = "x"
		  args = ["--db=postgres://u:db-password@h/db"]`, "for db-password", "for ‹args.userinfo›"},
		{`command = "x"
		  args = ["--ask-token", "--another-flag"]`, "unknown flag --another-flag", "unknown flag --another-flag"},
		{`command = "x"
		  args = ["--flag", "${GITHUB_TOKEN}"]`, "ghp-from-environment", "‹GITHUB_TOKEN›"},
		{`command = "x"
		  args = ["postgres://u:db-password@h/db"]`, "for db-password", "for ‹args.userinfo›"},
		{`command = "x"
		  args = ["--region", "${REGION}", "--verbose", "value-of-it"]`, "eu-central-9 value-of-it", "eu-central-9 value-of-it"},
		{`command = "/bin/${GITHUB_TOKEN}"`, "ghp-from-environment", "‹GITHUB_TOKEN›"},
		{`url = "https://h/mcp?key=query-value"`, "query-value", "‹url.key›"},
		{`url = "https://h/mcp?key=query%20value"`, "query value and query%20value", "‹url.key› and ‹url.key›"},
		{`url = "https://user-name:pass-word@h/"`, "user-name pass-word", "‹url.user› ‹url.password›"},
		{`url = "https://h/${REGION}/mcp"`, "eu-central-9", "‹REGION›"},
		{`url = "https://h/?k=${PW}"`, "word-of-passage", "‹PW›"},
		{`url = "https://h/"
		  headers = { X-Team = "blue-team" }`, "blue-team", "‹X-Team›"},
		{`url = "https://h/"
		  headers = { Authorization = "Bearer ${PW}" }`, "sent word-of-passage", "sent ‹PW›"},
		{`command = "x"
		  secrets = { DB = "another-value" }`, "another-value", "‹DB›"},
		{`command = "x"
		  secrets = ["another-value"]`, "another-value", "‹secrets[0]›"},
		{`command = "x"
		  cwd = "/srv/${GITHUB_TOKEN}"`, "ghp-from-environment", "‹GITHUB_TOKEN›"},
	}
	for _, tt := range tests {
		s := spec(t, "[servers.web]\n"+tt.fields, env)
		if got := s.Redactor.Text(tt.says).String(); got != tt.want {
			t.Errorf("%s\nsays %q, shown %q, want %q", tt.fields, tt.says, got, tt.want)
		}
	}
}

func TestR1_WhatIsNoSecret(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "existing-file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"", "abc", "true", "False", "12345", "debug", "INFO", "production", file, dir + ":/no/such/folder"} {
		s := spec(t, "[servers.web]\ncommand = \"x\"\nenv = { API_KEY = '"+value+"' }", testEnv())
		if len(s.Shown.Secrets) != 0 {
			t.Errorf("%q is taken as secret", value)
		}
	}
	for _, value := range []string{"abcd", "123456", "/no/such/file", "debugging"} {
		s := spec(t, "[servers.web]\ncommand = \"x\"\nenv = { API_KEY = '"+value+"' }", testEnv())
		if len(s.Shown.Secrets) != 1 {
			t.Errorf("%q is not taken as secret", value)
		}
	}
	s := spec(t, `[servers.web]
command = "x"
env = { API_BASE = "https://api.example.com", API_KEY = "abcdefgh" }
public = ["API_BASE"]`, testEnv())
	if got := s.Redactor.Text("GET https://api.example.com abcdefgh").String(); got != "GET https://api.example.com ‹API_KEY›" {
		t.Errorf("got %q", got)
	}
}

func TestR1_ShownNamesWhatIsSecretAndHoldsNone(t *testing.T) {
	s := spec(t, `[servers.web]
command = "x"
args = ["--token", "abcdefgh", "two words", ""]
env = { API_KEY = "ijklmnop", MODE = "debug" }
url = "https://user-name:pass-word@example.com/a/${PART}?key=query-value&v=2"
headers = { Authorization = "Bearer qrstuvwx" }
`, testEnv("PART", "part-of-path"))
	if got := s.Shown.Command.String(); got != "x --token ‹--token› 'two words' ''" {
		t.Errorf("command: %s", got)
	}
	if got := s.Shown.URL.String(); got != "https://example.com/a/‹PART›?key=‹url.key›&v=‹url.v›" {
		t.Errorf("url: %s", got)
	}
	var names []string
	for _, n := range s.Shown.Secrets {
		names = append(names, n.Name.String())
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "--token API_KEY Authorization PART url.key url.password url.user" {
		t.Errorf("secrets: %s", got)
	}
}

// TestR1_AProgramsTextIsNoName: what stands before a = in it is shown nowhere as
// the name of a secret, and hides nothing.
func TestR1_AProgramsTextIsNoName(t *testing.T) {
	for _, args := range []string{
		`["-c", "import os,sys;print(os.environ.get('MY_TOKEN'),file=sys.stderr)"]`,
		`["-e", "const key = process.env.KEY; run(key)"]`,
		`["--env", "a b=value-of-it"]`,
		`["` + strings.Repeat("TOKEN_", 11) + `=value-of-it"]`,
	} {
		s := spec(t, "[servers.web]\ncommand = \"x\"\nargs = "+args, testEnv())
		if len(s.Shown.Secrets) > 0 {
			t.Errorf("%s: %v", args, s.Shown.Secrets)
		}
	}
	s := spec(t, "[servers.web]\ncommand = \"x\"\nargs = [\"--set[0].token=abcdefgh\", \"-DAPI_KEY=ijklmnop\", \"db.password=qrstuvwx\"]", testEnv())
	if got := s.Redactor.Text("abcdefgh ijklmnop qrstuvwx").String(); got != "‹--set[0].token› ‹-DAPI_KEY› ‹db.password›" {
		t.Errorf("%s", got)
	}
}

func TestR1_NamesThatSpeakOfASecret(t *testing.T) {
	for _, name := range []string{"GITHUB_TOKEN", "api-key", "--apiKey", "MYSECRET", "PGPASSWORD", "db_pass", "Authorization", "AWS_CREDENTIALS",
		"GITHUB_PAT", "SENTRY_DSN", "DB_PWD", "PRIVATE_PEM", "X-Cookie", "AUTH", "authorized"} {
		if !speaks(name) {
			t.Errorf("%s does not speak", name)
		}
	}
	for _, name := range []string{"PATH", "HOME", "GIT_AUTHOR_NAME", "KEYBOARD_LAYOUT", "HTTP_BYPASS", "PATTERN", "SPIN", "REGION", "XDG_SESSION_TYPE", "--author", "--max-tokens"} {
		if speaks(name) {
			t.Errorf("%s speaks", name)
		}
	}
}

func TestC9_Warnings(t *testing.T) {
	tests := []struct {
		name, fields string
		mode         os.FileMode
		want         string // empty: none
	}{
		{"header in clear text", "url = \"http://example.com/\"\nheaders = { Authorization = \"${TOK}\" }", 0o600, "clear text"},
		{"query in clear text", "url = \"ws://10.0.0.1/?key=${TOK}\"", 0o600, "clear text"},
		{"loopback", "url = \"ws://127.0.0.1:1/?key=${TOK}\"", 0o600, ""},
		{"localhost", "url = \"http://localhost:1/?key=${TOK}\"", 0o600, ""},
		{"encrypted", "url = \"wss://example.com/?key=${TOK}\"", 0o600, ""},
		{"nothing to hide", "url = \"http://example.com/mcp\"", 0o600, ""},
		{"env is not sent", "command = \"x\"\nurl = \"http://example.com/mcp\"\nenv = { A = \"abcdefgh\" }", 0o600, ""},
		{"literal, others read", "command = \"x\"\nenv = { API_KEY = \"abcdefgh\" }", 0o644, "others may read"},
		{"literal in a flag", "command = \"x\"\nargs = [\"--token\", \"abcdefgh\"]", 0o644, "others may read"},
		{"literal, own file", "command = \"x\"\nenv = { API_KEY = \"abcdefgh\" }", 0o640, ""},
		{"variable, others read", "command = \"x\"\nenv = { API_KEY = \"${TOK}\" }", 0o644, ""},
		{"default, others read", "command = \"x\"\nenv = { API_KEY = \"${NOPE:-abcdefgh}\" }", 0o644, "others may read"},
		{"no secret, others read", "command = \"x\"\nenv = { MODE = \"fancy-mode\" }", 0o644, ""},
		{"latest", "command = \"npx\"\nargs = [\"-y\", \"@scope/name@latest\"]", 0o600, "@latest"},
		{"pinned", "command = \"npx\"\nargs = [\"-y\", \"@scope/name@1.2.3\"]", 0o600, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "[servers.web]\n"+tt.fields)
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			f, err := Load(path, testEnv("TOK", "value-of-tok"))
			if err != nil {
				t.Fatal(err)
			}
			got := rendered(f.Problems)
			if f.Entries[0].Spec == nil || (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("want %q, got\n%s", tt.want, got)
			}
		})
	}
}
