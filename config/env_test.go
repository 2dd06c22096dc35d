package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollcall/model"
)

func TestT10_TheChildsEnvironmentIsAnAllowlist(t *testing.T) {
	env := testEnv("LANG", "C", "LC_ALL", "C", "XDG_RUNTIME_DIR", "/run/user/1", "TMPDIR", "/tmp", "https_proxy", "http://u:proxypassword@proxy:3128",
		"NPM_CONFIG_CACHE", "/c", "NPM_CONFIG__AUTH", "npm-credential", "UV_INDEX_PASSWORD", "uv-credential", "GITHUB_TOKEN", "ghp_12345678", "EDITOR", "vi",
		"UV_INDEX", "own=https://index-token@h/simple two=https://u:p%40ss-word@h/")
	s := spec(t, "[servers.web]\ncommand = \"x\"\nenv = { LANG = \"de\", OWN = \"1\" }", env)
	got := childEnv(s)
	want := map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/home/anna", "LANG": "de", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/run/user/1", "TMPDIR": "/tmp",
		"https_proxy": "http://u:proxypassword@proxy:3128", "NPM_CONFIG_CACHE": "/c", "OWN": "1",
		"UV_INDEX": "own=https://index-token@h/simple two=https://u:p%40ss-word@h/"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if text := s.Redactor.Text("407 for proxypassword, index-token, p@ss-word").String(); text != "407 for ‹https_proxy›, ‹UV_INDEX›, ‹UV_INDEX›" {
		t.Errorf("got %q", text)
	}
	if !slices.IsSortedFunc(s.Launch.Env, func(a, b model.Pair) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted by name")
	}
}

func TestT10_InheritEnvPassesAll(t *testing.T) {
	env := testEnv("GITHUB_TOKEN", "ghp_12345678", "EDITOR", "editor-of-choice")
	s := spec(t, "[servers.web]\ncommand = \"x\"\ninherit_env = true", env)
	if !maps.Equal(childEnv(s), env.Vars) {
		t.Errorf("got %v", childEnv(s))
	}
	if text := s.Redactor.Text("editor-of-choice ghp_12345678").String(); strings.Contains(text, "12345678") || !strings.Contains(text, "editor-of-choice") {
		t.Errorf("got %q", text)
	}
}

func TestEnvFileIsOverriddenByEnv(t *testing.T) {
	path := write(t, "[servers.web]\ncommand = \"x\"\nenv_file = \"a.env\"\nenv = { B = \"env\" }")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "a.env"), []byte("A=file ${HOME}\nB=file\nHOME=/other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, testEnv())
	if err != nil || f.Entries[0].Spec == nil {
		t.Fatal(err, rendered(f.Problems))
	}
	s := f.Entries[0].Spec
	if got := childEnv(s); got["A"] != "file ${HOME}" || got["B"] != "env" || got["HOME"] != "/other" {
		t.Errorf("got %v", got)
	}
	if got := s.Redactor.Text("it said: file ${HOME}").String(); got != "it said: ‹A›" {
		t.Errorf("got %q", got)
	}
	var shown []string
	for _, n := range s.Shown.Env {
		shown = append(shown, n.String())
	}
	if !slices.Equal(shown, []string{"A", "B", "HOME"}) {
		t.Errorf("shown %v", shown)
	}
}

func TestC9_AnEnvFileThatOthersMayReadIsWarned(t *testing.T) {
	path := write(t, "[servers.web]\ncommand = \"x\"\nenv_file = \"a.env\"")
	envFile := filepath.Join(filepath.Dir(path), "a.env")
	for text, want := range map[string]int{"API_KEY=abcdefgh": 1, "API_KEY=debug": 0, "MODE=abcdefgh": 0} {
		if err := os.WriteFile(envFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[os.FileMode]int{0o600: 0, 0o644: want} {
			if err := os.Chmod(envFile, mode); err != nil {
				t.Fatal(err)
			}
			f, err := Load(path, testEnv())
			if err != nil || f.Entries[0].Spec == nil || len(f.Problems) != want {
				t.Errorf("%s, %o: %v\n%s", text, mode, err, rendered(f.Problems))
			}
		}
	}
}

func TestDotenv(t *testing.T) {
	text := "\uFEFF# comment\n\n A = 1 \nexport B=two words # c\r\nC='single $X \\n'\nD=\"a\\nb \\\"q\\\" \\$\"\nE=\nF=a#b\nG=\"two\nlines\" # c\nexport=x\nH=last"
	want := []dotenvLine{{"A", "1"}, {"B", "two words"}, {"C", `single $X \n`}, {"D", "a\nb \"q\" $"}, {"E", ""}, {"F", "a#b"}, {"G", "two\nlines"}, {"export", "x"}, {"H", "last"}}
	got, _, err := dotenv(text)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	for bad, at := range map[string]int{"A=1\nnonsense": 2, "A=\"x\ny\"\n=b": 3, "A=\"open": 1, "\n\nA='x' y": 3, "A B=c": 1, "A=a\x00": 1} {
		if _, line, err := dotenv(bad); !errors.Is(err, errDotenv) || line != at {
			t.Errorf("dotenv(%q) failed at line %d: %v; want %d", bad, line, err, at)
		}
	}
}

func TestABadEnvFileRefusesWithItsLineAndNoValue(t *testing.T) {
	path := write(t, "[servers.web]\ncommand = \"x\"\nenv_file = \"a.env\"")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "a.env"), []byte("A=1\nhunter2hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, testEnv())
	if err != nil || f.Entries[0].Spec != nil {
		t.Fatal("not refused", err)
	}
	if got := rendered(f.Problems); !strings.Contains(got, "line 2") || strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}
