package config

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheDashboardsSettingsAreRead(t *testing.T) {
	f := load(t, `[ui]
on_hangup = "stop"
ascii = true
mouse = false
keys = { restart = "d", disconnect = ["r", "ctrl+alt+x", "é"], search = "s", filter = "$$" }
theme = { dark = { bad = "#ff5f5f", selected = 236 }, light = { note = "#2457B3" } }
`, testEnv())
	if len(f.Problems) > 0 {
		t.Fatal(rendered(f.Problems))
	}
	ui := f.UI
	if !ui.StopOnHangup || !ui.ASCII || !ui.NoMouse {
		t.Errorf("%+v", ui)
	}
	want := map[string][]string{"restart": {"d"}, "disconnect": {"r", "ctrl+alt+x", "é"}, "search": {"s"}, "filter": {"$"}}
	if !maps.EqualFunc(ui.Keys, want, slices.Equal) {
		t.Errorf("the keys are %v, want %v", ui.Keys, want)
	}
	if !maps.Equal(ui.Dark, map[string]string{"bad": "#ff5f5f", "selected": "236"}) || !maps.Equal(ui.Light, map[string]string{"note": "#2457B3"}) {
		t.Errorf("the theme is %v and %v", ui.Dark, ui.Light)
	}
}

// TestAConflictChangesNoKey: a key that would mean two things is left out, and
// what is right beside it holds.
func TestAConflictChangesNoKey(t *testing.T) {
	f := load(t, "[ui.keys]\nrestart = \"d\"\nconnect = \"x\"\n", testEnv())
	if len(f.Problems) != 1 || f.Problems[0].Line != 2 {
		t.Errorf("%s", rendered(f.Problems))
	}
	if !maps.EqualFunc(f.UI.Keys, map[string][]string{"connect": {"x"}}, slices.Equal) {
		t.Errorf("the keys are %v", f.UI.Keys)
	}
}

func TestTheSchemaAndTheManualHaveEachActionAndToken(t *testing.T) {
	s, _ := schema(t)
	names := slices.Sorted(slices.Values(actionNames()))
	if got := slices.Sorted(maps.Keys(s.Properties["ui"].Properties["keys"].Properties)); !slices.Equal(got, names) {
		t.Errorf("the schema's actions are\n%v\nthe code's\n%v", got, names)
	}
	colours := slices.Sorted(slices.Values(tokens))
	if got := slices.Sorted(maps.Keys(s.Defs["colours"].Properties)); !slices.Equal(got, colours) {
		t.Errorf("the schema's tokens are\n%v\nthe code's\n%v", got, colours)
	}
	if got := slices.Sorted(maps.Keys(s.Properties["ui"].Properties["theme"].Properties)); !slices.Equal(got, themeKeys) {
		t.Errorf("the schema's backgrounds are %v", got)
	}
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "<!-- actions:")
	list, _, _ = strings.Cut(list, "\n\n")
	var got []string
	for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(list, -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, actionNames()) {
		t.Errorf("the manual's actions are\n%v\nthe code's\n%v", got, actionNames())
	}
	for _, token := range tokens {
		if !strings.Contains(string(text), "`"+token+"`") {
			t.Errorf("the manual does not name the token %s", token)
		}
	}
}

// TestTheSchemaRefusesBadSettings holds it for what a schema can know of [ui].
func TestTheSchemaRefusesBadSettings(t *testing.T) {
	_, r := schema(t)
	for _, text := range []string{"ascii = 1", "mouse = \"no\"", "keys = { restrat = \"x\" }", "keys = { restart = 1 }", "keys = { restart = [] }", "theme = { grey = {} }",
		"theme = { dark = { bad = \"red\" } }", "theme = { dark = { bad = 256 } }", "theme = { light = { god = 1 } }"} {
		text = "[servers.a]\ncommand = \"x\"\n[ui]\n" + text
		problems := load(t, text, testEnv()).Problems
		if err := r.Validate(instance(t, text)); err == nil || len(problems) == 0 {
			t.Errorf("the schema says %v, check has %d problems\n%s", err, len(problems), text)
		}
	}
	good := instance(t, "[servers.a]\ncommand = \"x\"\n[ui]\nkeys = { restart = [\"x\", \"f1\"] }\ntheme = { dark = { bad = 9 } }")
	if err := r.Validate(good); err != nil {
		t.Error(err)
	}
}
