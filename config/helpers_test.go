package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollcall/model"
	"rollcall/redact"
)

// testEnv is an Env with the variables of name, value pairs.
func testEnv(pairs ...string) Env {
	e := Env{Vars: map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/home/anna"}, Exe: "/opt/rollcall", Home: "/home/anna"}
	for i := 0; i+1 < len(pairs); i += 2 {
		e.Vars[pairs[i]] = pairs[i+1]
	}
	return e
}

// lookFor is an Env.Look that knows one command and no cwd.
func lookFor(command string) func(*model.Spec) (string, redact.Safe, redact.Safe) {
	return func(s *model.Spec) (field string, text, hint redact.Safe) {
		switch {
		case s.Launch.Dir != "":
			return "cwd", redact.Sprintf("%s not found", clean(s.Launch.Dir)), redact.Word("make the folder")
		case s.Launch.Path != command:
			return "command", redact.Sprintf("%s not found", clean(s.Launch.Path)), redact.Word("install it")
		}
		return "", text, hint
	}
}

// write puts a configuration into a folder of its own, readable by its owner.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "servers.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load loads a text that is TOML.
func load(t testing.TB, text string, env Env) *File {
	t.Helper()
	f, err := Load(write(t, text), env)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return f
}

// entry is the entry of that name.
func (f *File) entry(t testing.TB, name string) model.Entry {
	t.Helper()
	for _, e := range f.Entries {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no entry %s", name)
	return model.Entry{}
}

// spec loads a text whose one entry must be good.
func spec(t testing.TB, text string, env Env) *model.Spec {
	t.Helper()
	f := load(t, text, env)
	if len(f.Entries) != 1 || f.Entries[0].Spec == nil {
		t.Fatalf("want one good entry, got\n%s", rendered(f.Problems))
	}
	return f.Entries[0].Spec
}

// rendered are problems as a person reads them.
func rendered(problems []model.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(Render(p) + "\n")
	}
	return b.String()
}

// childEnv is a spec's child environment.
func childEnv(s *model.Spec) map[string]string {
	m := map[string]string{}
	for _, p := range s.Launch.Env {
		m[p.Name] = p.Value.Reveal()
	}
	return m
}

// inForce is without the warnings of what does nothing in this version.
func inForce(problems []model.Problem) []model.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p model.Problem) bool {
		return p.Warning && strings.Contains(p.Text.String(), "in this version")
	})
}
