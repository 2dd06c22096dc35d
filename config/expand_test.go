package config

import (
	"strings"
	"testing"
)

func TestC7_Expansion(t *testing.T) {
	env := testEnv("NAME", "anna", "EMPTY", "", "env", "x")
	tests := []struct{ in, want, fault string }{
		{in: "plain", want: "plain"},
		{in: "${NAME}", want: "anna"},
		{in: "a${NAME}b${NAME}c", want: "aannabannac"},
		{in: "${env:NAME}", want: "anna"},
		{in: "${env}", want: "x"},
		{in: "${NOPE:-other}", want: "other"},
		{in: "${env:NOPE:-other}", want: "other"},
		{in: "${NAME:-other}", want: "anna"},
		{in: "${EMPTY}", want: ""},
		{in: "${EMPTY:-other}", want: "other"},
		{in: "${NOPE:-}", want: ""},
		{in: "${NOPE:-http://h:1/}", want: "http://h:1/"},
		{in: "${NOPE:-${NAME}!}", want: "anna!"},
		{in: "${NOPE:-{}}", want: "{}"},
		{in: "${ROLLCALL_EXE}", want: "/opt/rollcall"},
		{in: "$$", want: "$"},
		{in: "$${NAME}", want: "${NAME}"},
		{in: "$$$${NAME}", want: "$${NAME}"},
		{in: "$$(id)", want: "$(id)"},
		{in: "$NAME $ 5$", want: "$NAME $ 5$"},
		{in: "$(id)", fault: "is not run"},
		{in: "a$(", fault: "is not run"},
		{in: "${NOPE}", fault: "NOPE is not set"},
		{in: "${NAME", fault: "not closed"},
		{in: "${", fault: "not closed"},
		{in: "${}", fault: "names no variable"},
		{in: "${NAME:?x}", fault: "names no variable"},
		{in: "${1A}", fault: "names no variable"},
		{in: "${A B}", fault: "names no variable"},
		{in: "a\x00b", fault: "NUL"},
		{in: strings.Repeat("${N:-", 20) + strings.Repeat("}", 20), fault: "not closed"},
	}
	for _, tt := range tests {
		got, f := env.expand(tt.in)
		if f.bad() != (tt.fault != "") || !strings.Contains(f.text.String(), tt.fault) || got.text != tt.want {
			t.Errorf("expand(%q) = %q, %q; want %q, %q", tt.in, got.text, f.text, tt.want, tt.fault)
		}
	}
}

func TestC7_AnUnsetVariableRefusesItsEntryAlone(t *testing.T) {
	f := load(t, "[servers.a]\ncommand = \"x\"\nenv.DB = \"${DB_URL}\"\n[servers.b]\ncommand = \"x\"", testEnv())
	if f.entry(t, "a").Spec != nil || f.entry(t, "b").Spec == nil {
		t.Fatal(rendered(f.Problems))
	}
	if p := f.Problems[0]; p.Text.String() != "server a: DB_URL is not set: env.DB" || p.Field != "env.DB" || p.Line != 3 {
		t.Errorf("got %+v", p)
	}
}

func TestC7_NeitherKeysNorAnEnvFileAreExpanded(t *testing.T) {
	f := load(t, "[servers.a]\ncommand = \"x\"\nenv = { \"${HOME}\" = \"y\" }", testEnv())
	if _, ok := childEnv(f.Entries[0].Spec)["${HOME}"]; !ok {
		t.Error("a key was expanded")
	}
}
