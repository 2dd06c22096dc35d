package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rollcall/model"
)

func TestC1_EveryField(t *testing.T) {
	s := spec(t, `
[servers."my.server-1_A"]
command = "srv"
args = ["--port", "8080"]
env = { GREETING = "hello there" }
cwd = "sub"
url = "http://127.0.0.1:8080/mcp"
headers = { X-Team = "blue team" }
protocol = "mcpl"
protocol_version = "2024-11-05"
enabled = false
reconnect = false
tags = ["prod-eu", "billing"]
reconnect_interval = "1s"
reconnect_max_interval = inf
lasting_after = "400s"
start_timeout = "10s"
request_timeout = "11s"
probe_interval = inf
probe_timeout = "3s"
stop_grace = "4s"
secrets = { DB = "very secret" }
public = ["GREETING"]
`, testEnv())
	if s.Name != "my.server-1_A" || s.Transport != model.HTTP || s.Protocol != model.MCPL || s.Revision != "2024-11-05" || s.Enabled || s.Reconnect {
		t.Errorf("got %+v", s)
	}
	if s.Launch == nil || s.Launch.Path != "srv" || len(s.Launch.Args) != 2 || filepath.Base(s.Launch.Dir) != "sub" || !filepath.IsAbs(s.Launch.Dir) {
		t.Errorf("launch: %+v", s.Launch)
	}
	if s.URL.Reveal() != "http://127.0.0.1:8080/mcp" || len(s.Headers) != 1 || s.Headers[0].Name != "X-Team" {
		t.Errorf("remote: %v", s.Headers)
	}
	if tm := s.Timings; tm.StopGrace.D != 4*time.Second || tm.ReconnectMaxInterval.D != model.Forever || tm.Lasting() != 400*time.Second {
		t.Errorf("timings: %+v", tm)
	}
	if got := s.Shown.Command.String(); got != "srv --port 8080" {
		t.Errorf("command shown: %s", got)
	}
}

func TestC2_TransportAndProtocolFollowFromCommandAndURL(t *testing.T) {
	tests := []struct {
		fields    string
		transport model.Transport
		protocol  model.Protocol
		launched  bool
	}{
		{`command = "x"`, model.Stdio, model.MCP, true},
		{`url = "ws://localhost:1"`, model.WebSocket, model.MCPL, false},
		{`url = "WSS://h/p"`, model.WebSocket, model.MCPL, false},
		{`url = "http://localhost:1"`, model.HTTP, model.MCP, false},
		{`url = "https://h"`, model.HTTP, model.MCP, false},
		{"command = \"x\"\nurl = \"wss://h\"", model.WebSocket, model.MCPL, true},
		{"command = \"x\"\nprotocol = \"mcpl\"", model.Stdio, model.MCPL, true},
		{"url = \"ws://[::1]:1\"\nprotocol = \"mcp\"", model.WebSocket, model.MCP, false},
	}
	for _, tt := range tests {
		s := spec(t, "[servers.web]\n"+tt.fields, testEnv())
		if s.Transport != tt.transport || s.Protocol != tt.protocol || (s.Launch != nil) != tt.launched {
			t.Errorf("%s: %s, %s, launched %t", tt.fields, s.Transport, s.Protocol, s.Launch != nil)
		}
	}
}

func TestC5_OneBadEntryFailsAlone(t *testing.T) {
	f := load(t, "[servers.z]\ncommand = \"x\"\n[servers.bad]\ncommand = 5\n[servers.a]\nurl = \"https://h\"\n[servers.odd]\n", testEnv())
	var names []string
	for _, e := range f.Entries {
		names = append(names, e.Name)
		bad := e.Name == "bad" || e.Name == "odd"
		if (e.Spec == nil) != bad || (len(e.Problems) > 0) != bad {
			t.Errorf("%s: refused is %t\n%s", e.Name, e.Spec == nil, rendered(e.Problems))
		}
	}
	if !slices.Equal(names, []string{"z", "bad", "a", "odd"}) {
		t.Errorf("not in the file's order: %v", names)
	}
}

// TestC5_WhatIsKnownOfARefusedEntry: its tags, and how it would be reached where
// its fields tell. What is secret in a tag stays so.
func TestC5_WhatIsKnownOfARefusedEntry(t *testing.T) {
	f := load(t, `
[servers.launched]
command = "x"
tags = ["prod", "for-hunter2hunter2"]
env = { TOKEN = "hunter2hunter2" }
probe_interval = 0
[servers.socket]
url = "wss://h/mcp"
tags = ["eu"]
protocol = "other"
[servers.broken]
command = "x"
url = "no url at all"
tags = "none"
[servers.empty]
tags = ["lost"]
`, testEnv())
	for name, want := range map[string]string{"launched": "stdio [prod for-‹TOKEN›]", "socket": "websocket [eu]", "broken": "unknown []", "empty": "unknown [lost]"} {
		i := slices.IndexFunc(f.Entries, func(e model.Entry) bool { return e.Name == name })
		e := f.Entries[i]
		if e.Spec != nil || e.Known == nil {
			t.Errorf("%s was not refused, or nothing is known of it", name)
			continue
		}
		got := "unknown"
		if e.Known.Transport.Ok {
			got = e.Known.Transport.V.String()
		}
		if got = fmt.Sprint(got, " ", e.Tags()); got != want {
			t.Errorf("of %s is known: %s, want %s", name, got, want)
		}
	}
}

func TestC5_BadDefaultsRefuseWhoInheritsThemWithOneProblem(t *testing.T) {
	f := load(t, `
[servers.own]
command = "x"
probe_timeout = "2s"
[servers.one]
command = "x"
[servers.two]
command = "x"
[defaults]
probe_timeout = "soon"
start_timeout = "40s"
`, testEnv())
	if len(f.Problems) != 1 || !slices.Equal(f.Problems[0].Inherit, []string{"one", "two"}) || f.Problems[0].Line != 10 {
		t.Fatalf("got\n%s", rendered(f.Problems))
	}
	for _, name := range []string{"one", "two"} {
		if e := f.entry(t, name); e.Spec != nil || len(e.Problems) != 1 || len(e.Problems[0].Inherit) != 2 {
			t.Errorf("%s: %v\n%s", name, e.Spec != nil, rendered(e.Problems))
		}
	}
	own := f.entry(t, "own")
	if own.Spec == nil {
		t.Fatalf("own is refused:\n%s", rendered(own.Problems))
	}
	if got := own.Spec.Timings.StartTimeout; got != (model.Timing{D: 40 * time.Second, From: model.FromDefaults}) {
		t.Errorf("start_timeout is %v", got)
	}
}

func TestC5_AFileThatIsNotTOMLIsRefusedWhole(t *testing.T) {
	_, err := Load(write(t, "[servers.web]\ncommand = \"x\"\nenv = { TOKEN = \"hunter2hunter2\" \n\n[ui"), testEnv())
	var se *SyntaxError
	if !errors.As(err, &se) {
		t.Fatalf("got %v", err)
	}
	if se.Problem.Line == 0 || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestC5_AHugeNumberIsOneBadFieldNotABrokenFile(t *testing.T) {
	f := load(t, "[servers.a]\ncommand = \"x\"\nstop_grace = 1e999\n[servers.b]\ncommand = \"x\"\nargs = [99999999999999999999]\n[servers.c]\ncommand=\"x\"", testEnv())
	if f.entry(t, "a").Spec != nil || f.entry(t, "b").Spec != nil || f.entry(t, "c").Spec == nil {
		t.Errorf("got\n%s", rendered(f.Problems))
	}
}

func TestC1_TheOtherTables(t *testing.T) {
	f := load(t, "", testEnv())
	if f.StartConcurrency != 4*runtime.NumCPU() || f.AutoReload || f.LogDir != "/home/anna/.local/state/rollcall" || f.Alerts.Format != "json" || len(f.Entries) != 0 {
		t.Errorf("an empty file: %+v", f)
	}
	f = load(t, `
defaults = { start_concurrency = 3, reload = "auto" }
[alerts]
webhook = "https://hooks.example.com/services/${HOOK_PART}"
format = "slack"
[log]
dir = "logs"
[ui]
on_hangup = "stop"
`, testEnv("HOOK_PART", "T0/B1/abcdefgh"))
	if f.StartConcurrency != 3 || !f.AutoReload || filepath.Base(f.LogDir) != "logs" || !filepath.IsAbs(f.LogDir) || f.Alerts.Format != "slack" || !f.UI.StopOnHangup {
		t.Errorf("got %+v\n%s", f, rendered(f.Problems))
	}
	if got := f.Alerts.Redactor.Text("post https://hooks.example.com/services/T0/B1/abcdefgh: refused").String(); strings.Contains(got, "abcdefgh") {
		t.Errorf("the webhook is shown: %s", got)
	}
}

func TestO2_AnEntryIsReadAnew(t *testing.T) {
	env := testEnv()
	env.Look = lookFor("tool")
	const good = "[servers.other]\ncommand = 5\n[servers.web]\ncommand = \"tool\"\n"
	tests := []struct {
		name, text, server string
		field              string // of the refusal
		says               []string
	}{
		{name: "good, though another is bad", text: good, server: "web"},
		{name: "timing", text: good + "probe_interval = 0", server: "web", field: "probe_interval", says: []string{"servers.toml:5: server web: probe_interval: 0 is not above 0"}},
		{name: "two errors", text: good + "probe_interval = 0\nenabled = 1", server: "web", field: "probe_interval", says: []string{"1 more"}},
		{name: "inherited", text: good + "[defaults]\nprobe_timeout = -1", server: "web", field: "probe_timeout", says: []string{"web", "defaults"}},
		{name: "command", text: "[servers.web]\ncommand = \"npx\"", server: "web", field: "command", says: []string{"servers.toml:2: server web: command: npx not found: install it"}},
		{name: "cwd", text: "[servers.web]\ncommand = \"tool\"\ncwd = \"gone\"", server: "web", field: "cwd", says: []string{"servers.toml:3: server web: cwd: ", "gone not found: make the folder"}},
		{name: "env_file", text: "[servers.web]\ncommand = \"tool\"\nenv_file = \"gone.env\"", server: "web", field: "env_file", says: []string{"cannot be read"}},
		{name: "variable", text: "[servers.web]\ncommand = \"tool\"\nargs = [\"${NOPE}\"]", server: "web", field: "args[0]", says: []string{"NOPE is not set"}},
		{name: "url", text: "[servers.web]\nurl = \"nowhere\"", server: "web", field: "url", says: []string{"scheme"}},
		{name: "removed", text: good, server: "gone", says: []string{"server gone is not in"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, ref := NewEntries(write(t, tt.text), env).Read(tt.server)
			if (s == nil) == (ref == nil) {
				t.Fatalf("spec %v, refusal %v", s, ref)
			}
			if tt.says == nil {
				if s == nil || s.Name != tt.server {
					t.Fatalf("refused: %s", ref.Text)
				}
				return
			}
			if ref == nil {
				t.Fatal("not refused")
			}
			if ref.Field != tt.field || ref.Elsewhere {
				t.Errorf("field %q, elsewhere %t", ref.Field, ref.Elsewhere)
			}
			for _, want := range append(tt.says, tt.server) {
				if !strings.Contains(ref.Text.String(), want) {
					t.Errorf("%q does not say %q", ref.Text, want)
				}
			}
		})
	}
}

// What is remembered is the parsed text alone: a file that changed is read anew,
// side by side too, and so is what it points to.
func TestO2_EachOrderReadsTheEntryAsItIsNow(t *testing.T) {
	env := testEnv()
	env.Look = nil
	path := write(t, "[servers.web]\ncommand = \"one\"\nenv_file = \"web.env\"\n")
	dotenv := filepath.Join(filepath.Dir(path), "web.env")
	put := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries := NewEntries(path, env)
	var last [32]byte
	for i, change := range []func(){
		func() { put(dotenv, "A=first") },
		func() { put(dotenv, "A=second") },
		func() { put(path, "[servers.web]\ncommand = \"two\"\nenv_file = \"web.env\"\n") },
	} {
		change()
		var together sync.WaitGroup
		for range 4 {
			together.Go(func() {
				if s, ref := entries.Read("web"); s == nil {
					t.Errorf("change %d: refused: %s", i, ref.Text)
				}
			})
		}
		together.Wait()
		s, ref := entries.Read("web")
		if s == nil || s.Fingerprint == last {
			t.Fatalf("change %d: the entry is as before: %v", i, ref)
		}
		last = s.Fingerprint
	}
}

func TestO2_AFileBrokenElsewhereOffersTheEntryInForce(t *testing.T) {
	for _, path := range []string{write(t, "[servers.web]\ncommand = \"x\"\n[servers.b\n"), filepath.Join(t.TempDir(), "gone.toml")} {
		s, ref := NewEntries(path, testEnv()).Read("web")
		if s != nil || ref == nil || !ref.Elsewhere || ref.Field != "" || !strings.Contains(ref.Text.String(), "web") {
			t.Errorf("got %v, %+v", s, ref)
		}
	}
}

func TestH1_AMissingCommandIsNoRefusalAtStartUp(t *testing.T) {
	env := testEnv()
	env.Look = lookFor("tool")
	f := load(t, "[servers.web]\ncommand = \"no-such-thing\"\ncwd = \"/no/such/folder\"", env)
	s := f.Entries[0].Spec
	if s == nil {
		t.Fatalf("refused:\n%s", rendered(f.Problems))
	}
	if p := f.CheckCommand(s); p == nil || p.Field != "cwd" || p.Line != 3 || p.Warning {
		t.Errorf("got %+v", p)
	}
}

func TestFingerprintChangesWithWhatMattersForRunning(t *testing.T) {
	const base = "[servers.web]\ncommand = \"x\"\nurl = \"https://h/\"\n"
	of := func(more string, env ...string) [32]byte { return spec(t, base+more, testEnv(env...)).Fingerprint }
	plain := of("")
	for _, same := range []string{"", "# a comment", "enabled = false", `tags = ["a"]`, `probe_timeout = "8s"`, "reconnect = true", `request_timeout = "9s"`} {
		if of(same) != plain {
			t.Errorf("changed with %q", same)
		}
	}
	seen := map[[32]byte]string{plain: "nothing"}
	for _, other := range []string{`args = ["a"]`, `args = ["a", ""]`, `args = ["", "a"]`, `env = { A = "b" }`, `cwd = "/"`, `probe_timeout = "9s"`,
		"reconnect = false", `headers = { A = "b" }`, `protocol = "mcpl"`, `protocol_version = "2025-06-18"`, `secrets = { A = "12345678" }`} {
		f := of(other)
		if seen[f] != "" {
			t.Errorf("%s is the same as %s", other, seen[f])
		}
		seen[f] = other
	}
	if of("", "TZ", "UTC") == plain {
		t.Error("the child's environment does not count")
	}
}
