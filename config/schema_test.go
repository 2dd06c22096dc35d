package config

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the JSON Schema for editors, ready to validate.
func schema(t *testing.T) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	text, err := os.ReadFile("../docs/servers.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &s, r
}

func TestTheSchemaHasEachKeyAndNoOther(t *testing.T) {
	s, _ := schema(t)
	for _, tt := range []struct {
		name   string
		schema *jsonschema.Schema
		keys   []string
	}{
		{"the file", s, fileKeys}, {"servers", s.Defs["server"], entryKeys}, {"defaults", s.Defs["defaults"], defaultsKeys},
		{"alerts", s.Properties["alerts"], alertsKeys}, {"log", s.Properties["log"], logKeys}, {"ui", s.Properties["ui"], uiKeys},
	} {
		got, want := slices.Sorted(maps.Keys(tt.schema.Properties)), slices.Sorted(slices.Values(tt.keys))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has\n%v\nthe code\n%v", tt.name, got, want)
		}
	}
	for _, f := range timingFields {
		def := s.Defs["server"].Properties[f.name].Default
		if string(s.Defs["defaults"].Properties[f.name].Default) != string(def) {
			t.Errorf("%s has two defaults", f.name)
		}
		if def == nil {
			continue
		}
		var v any
		if err := json.Unmarshal(def, &v); err != nil {
			t.Fatal(err)
		}
		timings := spec(t, "[servers.a]\ncommand = \"x\"", testEnv()).Timings
		if d, bad := f.read(v, ""); !bad.IsZero() || d != f.at(&timings).D {
			t.Errorf("%s: the schema's default is %s", f.name, def)
		}
	}
}

// instance is a TOML text as the validator wants it: JSON has no inf, and an
// editor's validator takes it for a number.
func instance(t *testing.T, text string) any {
	t.Helper()
	var v map[string]any
	if _, err := toml.Decode(text, &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	finite(v)
	return v
}

func finite(table map[string]any) {
	for k, x := range table {
		switch x := x.(type) {
		case float64:
			if math.IsInf(x, 1) {
				table[k] = math.MaxFloat64
			}
		case map[string]any:
			finite(x)
		}
	}
}

// TestTheSchemaAcceptsWhatCheckAccepts holds it for the template, the example
// without the entry that is refused, each import, and each timing.
func TestTheSchemaAcceptsWhatCheckAccepts(t *testing.T) {
	_, r := schema(t)
	texts := map[string]string{"template": Template}
	example, err := os.ReadFile("../servers.toml")
	if err != nil {
		t.Fatal(err)
	}
	texts["example"] = strings.Replace(string(example), "reconnect_interval = 0\n", "", 1)
	for _, s := range samples {
		got, err := Import([]string{filepath.Join(sampleDir, s.path)}, importEnv(t))
		if err != nil {
			t.Fatal(err)
		}
		texts[s.name] = got.TOML
	}
	for _, timing := range []string{`"5s"`, `"1m30s"`, `"200"`, `" 2s "`, `"+3s"`, "0.5", "4294967296", "inf", `"inf"`, `"1.5h"`, `".5s"`, `"${WAIT}"`, `"${WAIT:-5s}"`} {
		texts[timing] = "[servers.a]\ncommand = \"x\"\nreconnect_interval = " + timing
		if f := load(t, texts[timing], testEnv("WAIT", "3s")); len(f.Problems) > 0 {
			t.Errorf("%s: %s", timing, rendered(f.Problems))
		}
	}
	for name, text := range texts {
		if err := r.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v\nin\n%s", name, err, text)
		}
	}
}

// TestTheSchemaRefusesWhatCheckRefuses holds it for what a schema can know.
func TestTheSchemaRefusesWhatCheckRefuses(t *testing.T) {
	_, r := schema(t)
	const entry = "[servers.a]\ncommand = \"x\"\n"
	for _, text := range []string{
		entry + "comand = \"y\"", entry + "[default]\n", "start_concurrency = 5", entry + "[ui]\nx = 1", entry + "[alerts]\nurl = \"x\"", entry + "[log]\nfile = \"x\"",
		entry + "[defaults]\ncommand = \"x\"", entry + "probe_interval = 0", entry + "probe_interval = -1", entry + "probe_interval = true",
		entry + "probe_interval = \"soon\"", entry + "probe_interval = \"-5s\"", entry + "args = \"a\"", entry + "args = [1]", entry + "env = { A = 1 }",
		entry + "enabled = 1", entry + "protocol = \"x\"", entry + "protocol_version = \"x\"", "[servers.a]\ntags = []", "[servers.\"a b\"]\ncommand = \"x\"",
		"[servers.a]\ncommand = \"\"", entry + "[defaults]\nreload = \"x\"", entry + "[defaults]\nstart_concurrency = 0",
	} {
		errors := 0
		for _, p := range load(t, text, testEnv()).Problems {
			if !p.Warning {
				errors++
			}
		}
		if err := r.Validate(instance(t, text)); err == nil || errors == 0 {
			t.Errorf("the schema says %v, check has %d errors:\n%s", err, errors, text)
		}
	}
}
