package config

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pick is one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomTOML is a configuration of good and bad fields.
func randomTOML(r *rand.Rand) string {
	var b strings.Builder
	timing := func() string {
		return pick(r, `"5s"`, "5000", "inf", `"1m30s"`, "0.5", `"200"`, "0", "-1", "nan", "true", `"soon"`, `"${WAIT}"`, `"${UNSET}"`, "[]")
	}
	if r.IntN(3) == 0 {
		b.WriteString("[defaults]\n")
		for _, f := range timingFields {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&b, "%s = %s\n", f.name, timing())
			}
		}
	}
	for n := range 1 + r.IntN(4) {
		fmt.Fprintf(&b, "[servers.%q]\n", pick(r, "a", "b.c", "d.e-", "f g", "h_")+itoa(n))
		fields := map[string]string{
			"command": pick(r, `"x"`, `"./x"`, `"${ROLLCALL_EXE}"`, `""`, "5"), "args": pick(r, `["a", "--token", "${WAIT}"]`, "[]", `[1]`, `"a"`),
			"env": pick(r, `{ A = "b" }`, `{ A = 1 }`, `{ "A=" = "b" }`), "cwd": pick(r, `"sub"`, `"/"`, "true"), "inherit_env": pick(r, "true", "1"),
			"url":     pick(r, `"ws://127.0.0.1:1"`, `"https://h/?a=b"`, `"h"`, `"http://h:0"`, `"https://${UNSET}/"`),
			"headers": pick(r, `{ A = "b" }`, `{ "A B" = "b" }`), "protocol": pick(r, `"mcp"`, `"mcpl"`, `"x"`),
			"protocol_version": pick(r, `"2025-06-18"`, `"1"`), "enabled": pick(r, "true", "false", `"no"`), "reconnect": pick(r, "true", "false"),
			"tags": pick(r, `["a"]`, "5"), "secrets": pick(r, `{ A = "b" }`, `["abcdef"]`, "5"), "public": pick(r, `["A"]`, `[5]`),
			"wibble": "1",
		}
		for _, f := range timingFields {
			fields[f.name] = timing()
		}
		for key, value := range fields {
			often := 20
			if key == "command" || key == "url" {
				often = 2
			}
			if r.IntN(often) == 0 {
				fmt.Fprintf(&b, "%s = %s\n", key, value)
			}
		}
	}
	return b.String()
}

// TestC5_WhatIsAcceptedCanBeStartedAndWhatIsRefusedCannot holds for many files
// that an entry has a whole Spec exactly where none of its problems is an error,
// and that an order reads the same from the disk.
func TestC5_WhatIsAcceptedCanBeStartedAndWhatIsRefusedCannot(t *testing.T) {
	rounds := 300
	if os.Getenv("ROLLCALL_LONG") != "" {
		rounds = 20_000
	}
	env := testEnv("WAIT", "3s")
	accepted, refused := 0, 0
	for seed := range rounds {
		text := randomTOML(rand.New(rand.NewPCG(uint64(seed), 1)))
		path := write(t, text)
		f, err := Load(path, env)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, e := range f.Entries {
			errors := 0
			for _, p := range e.Problems {
				if !p.Warning {
					errors++
				}
			}
			if (e.Spec == nil) != (errors > 0) {
				t.Fatalf("%s has %d errors, and refused is %t:\n%s\n%s", e.Name, errors, e.Spec == nil, text, rendered(e.Problems))
			}
			if e.Spec == nil {
				refused++
				continue
			}
			accepted++
			if e.Spec.Launch == nil && e.Spec.URL.IsZero() || e.Spec.Redactor == nil || e.Spec.Shown == nil {
				t.Fatalf("%s cannot be started: %+v\n%s", e.Name, e.Spec, text)
			}
			for _, field := range timingFields {
				if d := field.at(&e.Spec.Timings).D; d <= 0 && field.name != "lasting_after" {
					t.Fatalf("%s: %s is %s\n%s", e.Name, field.name, d, text)
				}
			}
			again, ref := NewEntries(path, env).Read(e.Name)
			if ref != nil || again.Fingerprint != e.Spec.Fingerprint {
				t.Fatalf("%s: an order reads %v\n%s", e.Name, ref, text)
			}
		}
	}
	if accepted < rounds/10 || refused < rounds/10 {
		t.Errorf("%d accepted, %d refused: the files are too much alike", accepted, refused)
	}
}

// planted is part of each secret that randomClient plants.
const planted = "hunter2-"

// randomClient is a client's entry of good, bad and odd fields.
func randomClient(r *rand.Rand) map[string]any {
	value := func() any {
		return pick[any](r, "plain", "", "$HOME/x", "${A}", "${A:-b}", "${A:-${B}}", "${env:C}", "${input:d-e}", "${workspaceFolder}/x", "$(cat x)", "${", "$$5", "${file:/x}",
			"a\x00b", "é\u202e", "\x1b[31m", 5, 1.5, true, nil, []any{"x"}, map[string]any{"a": "b"}, "{env:X}", `quote " and \`, "line\nline")
	}
	table := func() any {
		t := map[string]any{}
		for range r.IntN(4) {
			t[pick(r, "A", "B", "API_KEY", "X-Team", "", "a=b", "é")] = value()
		}
		if r.IntN(2) == 0 {
			t["SERVICE_TOKEN"] = planted + "token"
		}
		return pick[any](r, t, t, t, "no table", nil)
	}
	all := map[string]any{
		"command": pick[any](r, "npx", "./run", "~/run", value(), map[string]any{"path": "npx", "args": []any{"a"}}, []any{"npx", "a"}),
		"cmd":     value(), "args": pick[any](r, []any{"-y", value(), "--api-key", planted + "flag", "--token=" + planted + "flag"}, []any{value()}, value()),
		"env": table(), "envs": table(), "cwd": value(), "envFile": value(),
		"url":       pick[any](r, "https://h/mcp", "ws://h", "https://h/sse", "https://u:"+planted+"url@h/", "https://h/?key="+planted+"url", "https://h/${A}", "unix:///x", value()),
		"serverUrl": pick[any](r, "https://h/", value()), "httpUrl": pick[any](r, "https://h/", value()), "uri": value(),
		"headers": pick[any](r, table(), map[string]any{"Authorization": "Bearer " + planted + "header"}), "type": pick[any](r, "stdio", "http", "sse", "ws", "streamable-http", "x", value()),
		"disabled": value(), "enabled": value(), "timeout": pick[any](r, 0, -1, 1e300, 5, 60000, 0.0001, value()), "alwaysAllow": []any{"a"}, "oauth": table(),
		"env_vars": []any{"PASSED", value(), map[string]any{"name": "NAMED"}}, "bearer_token_env_var": pick[any](r, "BEARER", value()),
		"env_http_headers": table(), "startup_timeout_sec": value(), "tool_timeout_sec": pick[any](r, 10, value()),
	}
	for key := range all {
		if r.IntN(3) > 0 && key != "command" && key != "url" || r.IntN(3) == 0 {
			delete(all, key)
		}
	}
	return all
}

// TestC10_WhateverIsImportedIsAccepted holds it for many files and each section:
// check accepts the output once the variables are set, no planted secret is in
// it, and Load reads the file itself with the same servers.
func TestC10_WhateverIsImportedIsAccepted(t *testing.T) {
	rounds := 300
	if os.Getenv("ROLLCALL_LONG") != "" {
		rounds = 20_000
	}
	servers := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		section := map[string]any{}
		for range 1 + r.IntN(4) {
			section[pick(r, "a", "my server", "ü", "", "A", "x.y", "a-2", strings.Repeat("n", 70))] = randomClient(r)
		}
		root := map[string]any{pick(r, "mcpServers", "servers", "context_servers", "mcp", "extensions"): section}
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), pick(r, "mcp.json", "crush.json", "opencode.json", "settings.json", "cline_mcp_settings.json"))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Import([]string{path}, testEnv())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if strings.Contains(got.TOML, planted) {
			t.Errorf("a secret is in the output:\n%s\nof\n%s", got.TOML, text)
		}
		servers += len(accepted(t, got, testEnv()).Entries)
		f, err := Load(path, set(testEnv(), got))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, p := range f.Problems {
			if !p.Warning {
				t.Errorf("%s\nof\n%s", Render(p), text)
			}
			if strings.Contains(Render(p), planted) {
				t.Errorf("a secret is echoed: %s", Render(p))
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if servers < rounds {
		t.Errorf("%d servers in %d files", servers, rounds)
	}
}

// FuzzImport reads whatever there is as each kind of client's file: no panic, and
// what is made of it is accepted.
func FuzzImport(f *testing.F) {
	for i, s := range samples {
		text, err := os.ReadFile(filepath.Join(sampleDir, s.path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), string(text))
	}
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		path := filepath.Join(t.TempDir(), filepath.Base(samples[int(kind)%len(samples)].path))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if file, err := Load(path, testEnv()); err == nil {
			rendered(file.Problems)
		}
		got, err := Import([]string{path}, testEnv())
		if err != nil {
			return
		}
		loaded, err := Load(write(t, got.TOML), set(testEnv(), got))
		if err != nil {
			t.Fatalf("%v\nof\n%s", err, got.TOML)
		}
		for _, p := range loaded.Problems {
			if !p.Warning && p.Field != "url" { // a variable may be all of its host
				t.Errorf("%s\nof\n%s", Render(p), got.TOML)
			}
		}
	})
}
