package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples are files in the shape of each client's, below a home and a project.
var samples = []struct{ name, path, client string }{
	{"claude-desktop", "home/.config/Claude/claude_desktop_config.json", "Claude Desktop"},
	{"claude-code", "home/.claude.json", "Claude Code"},
	{"claude-project", "project/.mcp.json", "Claude Code"},
	{"cursor", "home/.cursor/mcp.json", "Cursor"},
	{"windsurf", "home/.codeium/windsurf/mcp_config.json", "Windsurf"},
	{"gemini", "home/.gemini/settings.json", "Gemini CLI"},
	{"vscode", "project/.vscode/mcp.json", "VS Code"},
	{"zed", "home/.config/zed/settings.json", "Zed"},
	{"crush", "home/.config/crush/crush.json", "crush"},
	{"opencode", "home/.config/opencode/opencode.json", "opencode"},
	{"codex", "home/.codex/config.toml", "Codex"},
	{"goose", "home/.config/goose/config.yaml", "goose"},
}

const sampleDir = "testdata/import"

// importEnv is an Env whose home is the samples'.
func importEnv(t testing.TB) Env {
	t.Helper()
	home, err := filepath.Abs(filepath.Join(sampleDir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv()
	env.Home, env.Vars["HOME"] = home, home
	return env
}

// set sets each variable that an import asks for; one that a url begins with is
// a URL.
func set(env Env, got *Imported) Env {
	env.Vars = maps.Clone(env.Vars)
	for _, v := range got.Variables {
		env.Vars[v.Name] = "value-of-" + v.Name
		if strings.Contains(got.TOML, `url = "${`+v.Name+"}") {
			env.Vars[v.Name] = "https://value-of-" + strings.ReplaceAll(v.Name, "_", "-")
		}
	}
	return env
}

// TestC10_EachClientsFile compares what each sample becomes with its golden
// file, and holds that check accepts it once the variables are set.
func TestC10_EachClientsFile(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			env := importEnv(t)
			got, err := Import([]string{filepath.Join(sampleDir, s.path)}, env)
			if err != nil {
				t.Fatal(err)
			}
			if got.Files[0].Client != s.client {
				t.Errorf("taken for %s's", got.Files[0].Client)
			}
			if strings.Contains(got.TOML, "hunter2") {
				t.Error("a secret of the file is in the output")
			}
			accepted(t, got, env)
			text := strings.ReplaceAll(got.TOML, here+"/", "/here/")
			golden := filepath.Join(sampleDir, "golden", s.name+".toml")
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if text != string(want) {
				t.Errorf("got\n%s\nwant\n%s", text, want)
			}
		})
	}
}

// accepted holds that the output loads without an error, that it holds no
// literal secret, and that no server is lost.
func accepted(t *testing.T, got *Imported, env Env) *File {
	t.Helper()
	path := write(t, got.TOML)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, set(env, got))
	if err != nil {
		t.Fatalf("%v\n%s", err, got.TOML)
	}
	for _, p := range f.Problems {
		if !p.Warning || strings.Contains(p.Text.String(), "others may read") {
			t.Errorf("%s\nin\n%s", Render(p), got.TOML)
		}
	}
	var names []string
	for _, e := range f.Entries {
		names = append(names, e.Name)
	}
	var want []string
	for _, file := range got.Files {
		want = append(want, file.Servers...)
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("servers %v, want %v", names, want)
	}
	return f
}

// TestC10_AClientsFileIsAConfiguration holds that Load reads each sample itself,
// with the same servers as its import has, the values in place, and the problems
// at the file's own places.
func TestC10_AClientsFileIsAConfiguration(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			env, path := importEnv(t), filepath.Join(sampleDir, s.path)
			got, err := Import([]string{path}, env)
			if err != nil {
				t.Fatal(err)
			}
			imported := accepted(t, got, env)
			f, err := Load(path, set(env, got))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Entries) != len(imported.Entries) {
				t.Fatalf("%d entries, imported %d", len(f.Entries), len(imported.Entries))
			}
			for i, e := range f.Entries {
				other := imported.Entries[i]
				if e.Spec == nil {
					t.Fatalf("%s is refused:\n%s", e.Name, rendered(e.Problems))
				}
				if e.Name != other.Name || e.Spec.Transport != other.Spec.Transport || e.Spec.Enabled != other.Spec.Enabled || e.Spec.Timings != other.Spec.Timings {
					t.Errorf("%s: %+v\nimported: %+v", e.Name, e.Spec, other.Spec)
				}
				if spec, ref := NewEntries(path, set(env, got)).Read(e.Name); spec == nil && ref.Field != "command" && ref.Field != "cwd" {
					t.Errorf("an order on %s: %s", e.Name, ref.Text)
				}
			}
			for _, p := range f.Problems {
				if p.Line == 0 || strings.Contains(Render(p), "hunter2") {
					t.Errorf("%s", Render(p))
				}
			}
		})
	}
}

func TestC10_ValuesOfAClientsFileAreKept(t *testing.T) {
	f, err := Load(filepath.Join(sampleDir, "home/.config/Claude/claude_desktop_config.json"), importEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	s := f.entry(t, "brave-search").Spec
	if got := childEnv(s)["BRAVE_API_KEY"]; got != "BSA-sample-hunter2hunter2" {
		t.Errorf("the key is %q", got)
	}
	if got := s.Redactor.Text("key BSA-sample-hunter2hunter2").String(); got != "key ‹BRAVE_API_KEY›" {
		t.Errorf("shown as %q", got)
	}
}

func TestC10_ALiteralSecretIsAVariableInTheOutput(t *testing.T) {
	const s = "hunter2-hunter2"
	for _, tt := range []struct{ entry, want string }{
		{`"command": "x", "env": {"API_KEY": "` + s + `"}`, `env = { API_KEY = "${API_KEY}" }`},
		{`"command": "x", "env": {"DB": "postgres://u:` + s + `@h/d"}`, `env = { DB = "${DB}" }`},
		{`"command": "x", "env": {"GREETING": "hello there"}`, `env = { GREETING = "hello there" }`},
		{`"command": "x", "env": {"PRICE": "$5 ${A}"}`, `env = { PRICE = "$$5 ${A}" }`},
		{`"command": "x", "args": ["--token", "` + s + `"]`, `args = ["--token", "${A_TOKEN}"]`},
		{`"command": "x", "args": ["--api-key=` + s + `"]`, `args = ["--api-key=${A_API_KEY}"]`},
		{`"command": "x", "args": ["-H", "Authorization: Bearer ` + s + `"]`, `args = ["-H", "Authorization: Bearer ${A_TOKEN}"]`},
		{`"command": "x", "args": ["-e", "API_KEY=` + s + `"]`, `args = ["-e", "API_KEY=${API_KEY}"]`},
		{`"command": "x", "args": ["https://h/?token=` + s + `"]`, `args = ["${A_ARGS_0}"]`},
		{`"url": "https://u:` + s + `@h/mcp"`, `url = "https://u:${A_PASSWORD}@h/mcp"`},
		{`"url": "https://h/mcp?key=` + s + `&on=true"`, `url = "https://h/mcp?key=${A_KEY}&on=true"`},
		{`"url": "https://h/s/` + s + `-0123456789/mcp"`, `url = "https://h/s/${A_KEY}/mcp"`},
		{`"url": "https://h/", "headers": {"Authorization": "Bearer ` + s + `"}`, `headers = { Authorization = "Bearer ${A_TOKEN}" }`},
		{`"url": "https://h/", "headers": {"X-Team": "blue"}`, `headers = { X-Team = "blue" }`},
	} {
		got := imported(t, `{"mcpServers": {"a": {`+tt.entry+`}}}`)
		if !strings.Contains(got.TOML, tt.want) || strings.Contains(got.TOML, s) {
			t.Errorf("%s\ngot\n%swant %s", tt.entry, got.TOML, tt.want)
		}
	}
}

// imported imports a JSON text.
func imported(t *testing.T, text string) *Imported {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Import([]string{path}, testEnv())
	if err != nil {
		t.Fatal(err)
	}
	accepted(t, got, testEnv())
	return got
}

func TestC10_WhatIsNotCarriedOverIsSaid(t *testing.T) {
	for _, tt := range []struct{ entry, says, has string }{
		{`"url": "https://h/sse", "type": "sse"`, "HTTP with SSE", `url = "https://h/sse"`},
		{`"command": "x", "url": "https://h/"`, "url is not carried over", `command = "x"`},
		{`"command": "x", "httpUrl": "https://h/"`, "command is not carried over", `url = "https://h/"`},
		{`"url": "https://h/", "serverUrl": "https://other/"`, "serverUrl is not carried over: url is given too", `url = "https://h/"`},
		{`"command": "x", "timeout": 0`, "timeout is not carried over: it is no time above 0", `command`},
		{`"command": "x", "timeout": "soon"`, "timeout is not carried over", `command`},
		{`"command": "x", "timeout": 20`, "taken for seconds", `request_timeout = "20s"`},
		{`"command": "x", "timeout": 1500`, "taken for milliseconds", `request_timeout = "1500ms"`},
		{`"command": "x", "oauth": {}`, "oauth is not carried over", `command`},
		{`"command": "x", "args": "a b"`, "args is not carried over: it is no list", `command`},
		{`"command": "x", "env": {"A=B": "c"}`, "a variable is not carried over", `command`},
		{`"url": "https://h/", "headers": {"A B": "c"}`, "a header is not carried over", `url`},
		{`"command": "x", "disabled": true`, "", `enabled = false`},
		{`"command": "x", "enabled": false`, "", `enabled = false`},
		{`"url": "${API_BASE}/mcp"`, "", `url = "${API_BASE}/mcp"`},
		{`"url": "ws://h/"`, "", `protocol = "mcp"`},
	} {
		got := imported(t, `{"mcpServers": {"a": {`+tt.entry+`}}}`)
		if !strings.Contains(got.TOML, tt.says) || !strings.Contains(got.TOML, tt.has) {
			t.Errorf("%s\ngot\n%swant %q and %q", tt.entry, got.TOML, tt.says, tt.has)
		}
	}
}

func TestC10_NamesAreMended(t *testing.T) {
	got := imported(t, `{"mcpServers": {"my server!": {"command": "x"}, "my-server": {"command": "y"}, "": {"command": "z"}, "`+strings.Repeat("n", 100)+`": {"command": "x"}}}`)
	want := []string{"my-server", "my-server-2", "server", strings.Repeat("n", 64)}
	if strings.Join(got.Files[0].Servers, " ") != strings.Join(want, " ") {
		t.Errorf("got %v", got.Files[0].Servers)
	}
	if !strings.Contains(got.TOML, "its name there is my server!") {
		t.Errorf("the old name is not told:\n%s", got.TOML)
	}
}

// TestC10_SeveralFilesBecomeOne holds that an entry which two clients share is
// there once, and one that differs is there twice, each with a secret of its own.
func TestC10_SeveralFilesBecomeOne(t *testing.T) {
	var paths []string
	for _, key := range []string{"hunter2-first", "hunter2-second"} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		text := `{"mcpServers": {"same": {"command": "x"}, "other": {"command": "x", "env": {"KEY": "` + key + `"}}}}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	got, err := Import(paths, testEnv())
	if err != nil {
		t.Fatal(err)
	}
	f := accepted(t, got, testEnv())
	if len(f.Entries) != 3 || !strings.Contains(got.TOML, "same: left out: the same is there already") {
		t.Errorf("%d servers\n%s", len(f.Entries), got.TOML)
	}
	if !strings.Contains(got.TOML, `KEY = "${KEY}"`) || !strings.Contains(got.TOML, `KEY = "${OTHER_2_KEY}"`) {
		t.Errorf("not two variables:\n%s", got.TOML)
	}
}

func TestC10_AFileWithoutServersSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "no servers", `{"mcpServers": {}}`: "no servers", `[]`: "no JSON object", `{"mcpServers": {"a": }}`: "mcp.json:1:22: not JSON",
		strings.Repeat(`{"a":`, 200): "nested deeper", `{"mcpServers": "hunter2"}`: "no servers",
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Import([]string{path}, testEnv())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.40s: import: %v", text, err)
		}
		if _, err := Load(path, testEnv()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: load: %v", text, err)
		}
	}
}
