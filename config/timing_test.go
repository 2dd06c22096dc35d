package config

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

func TestC3_Timings(t *testing.T) {
	const ms, inf, most = time.Millisecond, model.Forever, model.MaxTimer
	tests := []struct {
		toml  string
		fault string        // the end of the problem's text; empty where it is accepted
		base  time.Duration // as reconnect_interval, where inf is legal
		limit time.Duration // as start_timeout, where it is not; 0: refused
	}{
		{toml: `"200"`, base: 200 * ms, limit: 200 * ms},
		{toml: `0.5`, base: ms / 2, limit: ms / 2},
		{toml: `5000`, base: 5 * time.Second, limit: 5 * time.Second},
		{toml: `5_000`, base: 5 * time.Second, limit: 5 * time.Second},
		{toml: `4294967296`, base: 4294967296 * ms, limit: most},
		{toml: `"4294967296"`, base: 4294967296 * ms, limit: most},
		{toml: `2147483647`, base: most, limit: most},
		{toml: `"5s"`, base: 5 * time.Second, limit: 5 * time.Second},
		{toml: `"1m30s"`, base: 90 * time.Second, limit: 90 * time.Second},
		{toml: `"1.5h"`, base: 90 * time.Minute, limit: 90 * time.Minute},
		{toml: `" 5s "`, base: 5 * time.Second, limit: 5 * time.Second},
		{toml: `"2e3"`, base: 2 * time.Second, limit: 2 * time.Second},
		{toml: `0xff`, base: 255 * ms, limit: 255 * ms},
		{toml: `0.0001`, base: 100, limit: 100},
		{toml: `1e-300`, base: 1, limit: 1},
		{toml: `inf`, base: inf},
		{toml: `+inf`, base: inf},
		{toml: `"inf"`, base: inf},
		{toml: `"+inf"`, base: inf},
		{toml: `"Infinity"`, base: inf},
		{toml: `9e300`, base: inf, limit: most},
		{toml: `"9e300"`, base: inf, limit: most},
		{toml: `1e400`, base: inf, limit: most},
		{toml: `"1e400"`, base: inf, limit: most},
		{toml: `9223372036854775807`, base: inf, limit: most},
		{toml: `9223372036854775808`, base: inf, limit: most},
		{toml: `99999999999999999999999`, base: inf, limit: most},
		{toml: `"99999999999h"`, base: inf, limit: most},

		{toml: `0`, fault: "0 is not above 0"},
		{toml: `-0.0`, fault: "-0.0 is not above 0"},
		{toml: `"0"`, fault: "0 is not above 0"},
		{toml: `"0s"`, fault: "0s is not above 0"},
		{toml: `-1`, fault: "-1 is not above 0"},
		{toml: `-1e400`, fault: "-1e400 is not above 0"},
		{toml: `"-1"`, fault: "-1 is not above 0"},
		{toml: `"-5s"`, fault: "-5s is not above 0"},
		{toml: `-inf`, fault: "-inf is not above 0"},
		{toml: `"-inf"`, fault: "-inf is not above 0"},
		{toml: `nan`, fault: "NaN, which is no time"},
		{toml: `-nan`, fault: "NaN, which is no time"},
		{toml: `"nan"`, fault: "text that is not a duration"},
		{toml: `true`, fault: "a boolean, where a duration belongs"},
		{toml: `false`, fault: "a boolean, where a duration belongs"},
		{toml: `[5]`, fault: "an array, where a duration belongs"},
		{toml: `[]`, fault: "an array, where a duration belongs"},
		{toml: `{ s = 5 }`, fault: "a table, where a duration belongs"},
		{toml: `2026-01-01`, fault: "a date or time, where a duration belongs"},
		{toml: `""`, fault: "text that is not a duration"},
		{toml: `"5 s"`, fault: "text that is not a duration"},
		{toml: `"1_000"`, fault: "text that is not a duration"},
		{toml: `"0x10"`, fault: "text that is not a duration"},
		{toml: `"hunter2"`, fault: "text that is not a duration"},
		{toml: `"true"`, fault: "text that is not a duration"},
		{toml: `"5s5"`, fault: "text that is not a duration"},
		{toml: `"1d"`, fault: "text that is not a duration"},
	}
	for _, tt := range tests {
		t.Run(tt.toml, func(t *testing.T) {
			for _, f := range timingFields {
				if f.name == "stop_grace" {
					continue // has a bound of its own
				}
				want := tt.base
				if !f.infinite {
					want = tt.limit
				}
				file := load(t, "[servers.web]\ncommand = \"x\"\n"+f.name+" = "+tt.toml, testEnv())
				e := file.Entries[0]
				if want != 0 {
					if e.Spec == nil {
						t.Fatalf("%s refused:\n%s", f.name, rendered(file.Problems))
					}
					if got := *f.at(&e.Spec.Timings); got.D != want || got.From != model.FromEntry {
						t.Errorf("%s = %d from %s, want %d", f.name, got.D, got.From, want)
					}
					continue
				}
				if e.Spec != nil || len(file.Problems) != 1 {
					t.Fatalf("%s: not refused, or not once:\n%s", f.name, rendered(file.Problems))
				}
				p, fault := file.Problems[0], tt.fault
				if fault == "" {
					fault = "inf is not accepted here"
				}
				if got := p.Text.String(); got != "server web: "+f.name+": "+fault {
					t.Errorf("text = %q, want … %q", got, fault)
				}
				if p.Server != "web" || p.Field != f.name || p.Line != 3 || p.Column != len(f.name)+4 {
					t.Errorf("place: %+v", p)
				}
				if strings.Contains(p.Text.String()+p.Excerpt.String()+p.Hint.String(), "hunter2") {
					t.Errorf("the value is echoed:\n%s", Render(p))
				}
			}
		})
	}
}

func TestH2_StopGraceIsAtMost60Seconds(t *testing.T) {
	for value, ok := range map[string]bool{`"60s"`: true, `60000`: true, `60001`: false, `"2m"`: false, `9e300`: false, `inf`: false, `1`: true} {
		f := load(t, "[servers.web]\ncommand = \"x\"\nstop_grace = "+value, testEnv())
		if got := f.Entries[0].Spec != nil; got != ok {
			t.Errorf("stop_grace = %s: accepted is %t, want %t", value, got, ok)
		}
	}
}

func TestC4_TimingsOfADisabledEntryAreChecked(t *testing.T) {
	f := load(t, "[servers.web]\ncommand = \"x\"\nenabled = false\nreconnect_interval = 0\nprobe_timeout = true", testEnv())
	if f.Entries[0].Spec != nil || len(f.Problems) != 2 {
		t.Fatalf("got\n%s", rendered(f.Problems))
	}
}

func TestC4_WithReconnectOffBadReconnectTimingsAreWarnings(t *testing.T) {
	f := load(t, `
[defaults]
reconnect_max_interval = -1
[servers.web]
command = "x"
reconnect = false
reconnect_interval = 0
[servers.bad]
command = "x"
reconnect = false
probe_interval = 0
`, testEnv())
	if e := f.entry(t, "web"); e.Spec == nil || len(e.Problems) != 1 || !e.Problems[0].Warning {
		t.Errorf("web: %v\n%s", e.Spec != nil, rendered(e.Problems))
	}
	if e := f.entry(t, "bad"); e.Spec != nil {
		t.Error("a bad probe_interval is no error")
	}
	if d := f.entry(t, "web").Spec.Timings.ReconnectInterval; d.D != 5*time.Second || d.From != model.FromDefault {
		t.Errorf("the timing in force is %v", d)
	}
}

func TestC4_L2_LegalTimingsThatHardlyAnyoneMeansAreWarned(t *testing.T) {
	f := load(t, `
[servers.web]
command = "x"
reconnect_interval = "10s"
reconnect_max_interval = 999
lasting_after = "299s"
[servers.fine]
command = "x"
reconnect_interval = "10s"
reconnect_max_interval = "2s"
lasting_after = "300s"
`, testEnv())
	web := f.entry(t, "web")
	if web.Spec == nil || len(web.Problems) != 2 || !web.Problems[0].Warning || !web.Problems[1].Warning {
		t.Errorf("got\n%s", rendered(web.Problems))
	}
	fine := f.entry(t, "fine")
	if fine.Spec == nil || len(fine.Problems) != 0 {
		t.Errorf("a cap below the base is legal (B4):\n%s", rendered(fine.Problems))
	}
}

func TestC3_ATimingFromAVariableIsNotEchoed(t *testing.T) {
	f := load(t, "[servers.web]\ncommand = \"x\"\nprobe_interval = \"${EVERY}\"\nstart_timeout = \"${PIN}\"", testEnv("EVERY", "7s", "PIN", "-12345678"))
	if e := f.Entries[0]; e.Spec != nil || len(e.Problems) != 1 || strings.Contains(rendered(e.Problems), "12345678") {
		t.Errorf("got\n%s", rendered(e.Problems))
	}
}
