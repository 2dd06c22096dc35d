package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestC10_WhereTheClientsKeepTheirs(t *testing.T) {
	env := importEnv(t)
	project, err := filepath.Abs(filepath.Join(sampleDir, "project"))
	if err != nil {
		t.Fatal(err)
	}
	found, looked := FindClients(env, project, "linux")
	var got, want []string
	for _, f := range found {
		if !f.Problem.IsZero() || len(f.Servers) == 0 {
			t.Errorf("%+v", f)
		}
		got = append(got, f.Client+" "+f.Path)
	}
	for _, s := range samples {
		path, err := filepath.Abs(filepath.Join(sampleDir, s.path))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, s.client+" "+path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(looked) < len(found) {
		t.Errorf("looked at %v", looked)
	}
	_, looked = FindClients(env, project, "darwin")
	if !slices.Contains(looked, filepath.Join(env.Home, "Library/Application Support/Claude/claude_desktop_config.json")) {
		t.Errorf("macOS: looked at %v", looked)
	}
}

func TestC10_AFileThatCannotBeReadIsListedWithItsReason(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".mcp.json": "{", "opencode.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := testEnv()
	env.Home = t.TempDir()
	found, _ := FindClients(env, dir, "linux")
	if len(found) != 1 || !strings.Contains(found[0].Problem.String(), "not JSON") {
		t.Errorf("%+v", found)
	}
}

func TestC10_TheProjectOfAFile(t *testing.T) {
	for path, want := range map[string]string{
		"/home/anna/.cursor/mcp.json": "", "/home/anna/shop/.cursor/mcp.json": "/home/anna/shop", "/home/anna/shop/.mcp.json": "/home/anna/shop",
		"/home/anna/.claude.json": "", "/home/anna/.config/crush/crush.json": "", "/srv/crush.json": "/srv", "/tmp/any.json": "",
	} {
		if got := projectOf(path, "/home/anna"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
