package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzLoad reads whatever there is: no panic, bounded time, every refusal with a
// reason, and no string value in any problem.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/problems/*.toml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("[servers.web]\ncommand = \"x\"\nargs = [\"--token\", \"${A:-b}\", \"-H\", \"A: b\"]\nurl = \"ws://u:p@h:1/?a=b;c=%zz\"\n")
	f.Add("[servers.web]\ncommand = \"x\"\nenv_file = \"servers.toml\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		path := write(t, text)
		env := testEnv()
		env.Look = lookFor("x")
		file, err := Load(path, env)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("it took %s for %d bytes", took, len(text))
		}
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a text")
			}
			return
		}
		for _, e := range file.Entries {
			reasons := 0
			for _, p := range e.Problems {
				if !p.Warning {
					reasons++
				}
			}
			if (e.Spec == nil) != (reasons > 0) {
				t.Errorf("%s: refused is %t with %d reasons", e.Name, e.Spec == nil, reasons)
			}
			if e.Spec != nil {
				file.CheckCommand(e.Spec)
			}
			if spec, ref := NewEntries(path, env).Read(e.Name); spec == nil && ref == nil {
				t.Errorf("%s: neither spec nor refusal", e.Name)
			}
		}
		for _, p := range file.Problems {
			if p.Line < 0 || p.Width < 0 || strings.ContainsAny(p.Excerpt.String(), "\x1b\n") {
				t.Errorf("%+v", p)
			}
			Render(p)
		}
	})
}
