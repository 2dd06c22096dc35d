package transport

import (
	"os"
	"path/filepath"
	"testing"

	"rollcall/model"
	"rollcall/redact"
)

func TestH1_AMissingCommandIsNotLaunched(t *testing.T) {
	h := newHost(t)
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain", "#!/bin/sh\n", 0o644)
	lost := file("lost", "#!/no/such/interpreter\n", 0o755)
	const chmod = ": chmod +x it, or name its interpreter in command and the file in args, then c"
	const other = ": install it, name its whole path, or set PATH in env, then c"
	for _, c := range []struct{ path, search, cwd, want string }{
		{"npx", "/nowhere:/nor/here", "", "npx not found: install Node.js, then c; searched PATH=/nowhere:/nor/here"},
		{"uvx", "/nowhere", "", "uvx not found: install uv, then c; searched PATH=/nowhere"},
		{"mine", "/nowhere", "", "mine not found" + other + "; searched PATH=/nowhere"},
		{"my server", "/nowhere", "", "my server not found: command is the program alone: put the rest into args, then c; searched PATH=/nowhere"},
		{"npx", "", "", "npx not found: install Node.js, then c; searched PATH="},
		{"npx", "unset", "", "npx not found: install Node.js, then c; PATH is not set"},
		{"plain", dir, "", plain + " is not executable" + chmod},
		{"../" + filepath.Base(dir) + "/plain", "", dir, "../" + filepath.Base(dir) + "/plain is not executable" + chmod},
		{dir, "", "", dir + " is a folder, not a command: name the program in it, then c"},
		{dir + "/no", "", "", dir + "/no not found" + other},
		{dir + "/npx", "", "", dir + "/npx not found: install Node.js, then c"},
		{dir + "/~/npm-server", "", "", dir + "/~/npm-server not found: ~ stands for nothing here: write ${HOME}/…, then c"},
		{plain + "/under", "", "", plain + "/under not found" + other},
		{"sh", "/bin", dir + "/gone", "cwd " + dir + "/gone not found: make the folder, or name another, then c; ${HOME}/… is under the home"},
		{"sh", "/bin", plain, "cwd " + plain + " is no folder: name a folder, then c"},
		{lost, "", "", lost + " names the interpreter /no/such/interpreter, which is not found: install that or mend its first line, then c"},
	} {
		spec := commandSpec(c.path)
		spec.Launch.Dir = c.cwd
		spec.Launch.Env = []model.Pair{{Name: "PATH", Value: redact.NewSecret(c.search)}}
		if c.search == "unset" {
			spec.Launch.Env = nil
		}
		w := start(t, h, spec)
		end := await[model.Closed](w).End
		if end.Cause != model.CommandMissing || end.Text.String() != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.path, end.Cause, end.Text, c.want)
		}
		if told[model.Launched](w) {
			t.Errorf("%s: launched", c.path)
		}
	}
}

func TestO2_LookNamesTheField(t *testing.T) {
	if field, text, _ := Look(commandSpec("/bin/sh")); field != "" || !text.IsZero() {
		t.Errorf("sh: %s, %s", field, text)
	}
	if field, _, _ := Look(urlSpec(model.HTTP, "http://127.0.0.1:1/")); field != "" {
		t.Errorf("a url: %s", field)
	}
	if field, text, hint := Look(commandSpec("/no/npx")); field != "command" || text.String() != "/no/npx not found" || hint.String() != "install Node.js" {
		t.Errorf("npx: %s, %s, %s", field, text, hint)
	}
	spec := commandSpec("/bin/sh")
	spec.Launch.Dir = "/no/such/folder"
	if field, _, _ := Look(spec); field != "cwd" {
		t.Errorf("cwd: %s", field)
	}
}
