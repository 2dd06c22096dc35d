package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestC6_EveryProblemIsTold reads each testdata/problems/*.toml and compares all
// problems, as a person reads them, with the .golden file beside it.
func TestC6_EveryProblemIsTold(t *testing.T) {
	files, err := filepath.Glob("testdata/problems/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			own := write(t, string(text)) // so that its mode is known
			env := testEnv()
			if filepath.Base(path) == "missing.toml" {
				env.Look = lookFor("/bin/sh")
			}
			var got string
			if f, err := Load(own, env); err != nil {
				got = err.Error() + "\n"
			} else {
				got = rendered(f.Problems)
				for _, e := range f.Entries {
					if p := f.CheckCommand(e.Spec); p != nil {
						got += Render(*p) + "\n"
					}
				}
			}
			got = strings.ReplaceAll(got, own, filepath.Base(path))
			got = strings.ReplaceAll(got, filepath.Dir(own), "DIR")
			if strings.Contains(got, "hunter2") {
				t.Errorf("a value of the file is echoed:\n%s", got)
			}
			golden := strings.TrimSuffix(path, ".toml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
