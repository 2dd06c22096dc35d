package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rollcall/model"
)

// manualTables are the keys and defaults of each section of the manual, in its
// order.
func manualTables(t *testing.T) map[string][][2]string {
	t.Helper()
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("^\\| `([a-z_]+)` \\| (.*?) \\|")
	tables, section, inside := map[string][][2]string{}, "", false
	for line := range strings.Lines(string(text)) {
		switch m := row.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "## "):
			section, inside = strings.TrimSpace(line[3:]), false
		case strings.HasPrefix(line, "<!-- keys:"):
			inside = true
		case inside && m != nil:
			tables[section] = append(tables[section], [2]string{m[1], m[2]})
		}
	}
	return tables
}

func TestTheManualHasEachKeyAndNoOther(t *testing.T) {
	tables := manualTables(t)
	for section, keys := range map[string][]string{
		"[servers.NAME]": entryKeys, "[defaults]": defaultsKeys, "[alerts]": alertsKeys, "[log]": logKeys, "[ui]": uiKeys,
	} {
		var got []string
		for _, row := range tables[section] {
			got = append(got, row[0])
		}
		if !slices.Equal(got, keys) {
			t.Errorf("%s: the manual has\n%v\nthe code\n%v", section, got, keys)
		}
	}
}

func TestTheManualHasTheDefaults(t *testing.T) {
	f := load(t, "[servers.a]\ncommand = \"x\"\n[servers.ws]\nurl = \"ws://h\"\n", testEnv())
	s := f.entry(t, "a").Spec
	word := map[bool]string{true: "true", false: "false"}
	want := map[string]string{
		"enabled": word[s.Enabled], "reconnect": word[s.Reconnect], "inherit_env": "false", "protocol": f.entry(t, "ws").Spec.Protocol.String(),
		"max_mb": fmt.Sprint(f.Log.MaxBytes >> 20), "keep": fmt.Sprint(f.Log.Keep), "stderr": word[f.Log.Stderr], "stderr_mb": fmt.Sprint(f.Log.StderrBytes >> 20),
		"format": f.Alerts.Format, "reload": map[bool]string{false: "ask", true: "auto"}[f.AutoReload],
		"on_hangup": map[bool]string{false: "serve", true: "stop"}[f.UI.StopOnHangup],
	}
	if len(childEnv(s)) != 2 { // PATH and HOME: inherit_env is off
		t.Errorf("the child's environment: %v", childEnv(s))
	}
	for _, field := range timingFields {
		at := *field.at(&s.Timings)
		if field.name == "lasting_after" {
			at = model.Timing{D: s.Timings.Lasting()}
		}
		want[field.name] = at.Text().String()
	}
	first := regexp.MustCompile("`([^`]*)`")
	seen := 0
	for section, rows := range manualTables(t) {
		for _, row := range rows {
			m := first.FindStringSubmatch(row[1])
			if want[row[0]] == "" {
				continue
			}
			if seen++; m == nil || m[1] != want[row[0]] {
				t.Errorf("%s %s: the manual has %s, the code %s", section, row[0], row[1], want[row[0]])
			}
		}
	}
	if seen != len(want)+len(timingFields) {
		t.Errorf("%d defaults compared, want %d", seen, len(want)+len(timingFields))
	}
}

// TestTheManualsExamplesAreRight loads each, alone, and holds that together they
// show every key.
func TestTheManualsExamplesAreRight(t *testing.T) {
	text, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv("GITHUB_TOKEN", "abcdefgh", "LAB_KEY", "ijklmnop", "OPS_WEBHOOK", "https://hooks.example.com/a")
	var all strings.Builder
	for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all.WriteString(m[1])
		path := write(t, m[1])
		if err := os.WriteFile(strings.TrimSuffix(path, "servers.toml")+"reports.env", []byte("MODE=fast\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path, env)
		if err != nil {
			t.Fatal(err)
		}
		if problems := inForce(f.Problems); len(problems) > 0 {
			t.Errorf("%s\nin\n%s", rendered(problems), m[1])
		}
	}
	for _, keys := range [][]string{entryKeys, {"start_concurrency", "reload"}, alertsKeys, logKeys, uiKeys} {
		for _, k := range keys {
			if !regexp.MustCompile(`(?m)^` + k + ` = `).MatchString(all.String()) {
				t.Errorf("no example shows %s", k)
			}
		}
	}
}

// TestTheTemplatePassesCheck holds it for what init writes, and for its commented
// parts once the comment signs are taken away.
func TestTheTemplatePassesCheck(t *testing.T) {
	if f := load(t, Template, testEnv()); len(f.Problems) > 0 || len(f.Entries) != 1 {
		t.Errorf("%s", rendered(f.Problems))
	}
	field := regexp.MustCompile(`(?m)^# (\[|[a-z_]+ = )`)
	f := load(t, field.ReplaceAllString(Template, "$1"), testEnv("GITHUB_TOKEN", "abcdefgh", "LAB_KEY", "ijklmnop", "OPS_WEBHOOK", "https://hooks.example.com/a"))
	if len(f.Problems) > 0 || len(f.Entries) != 4 {
		t.Errorf("%d entries\n%s", len(f.Entries), rendered(f.Problems))
	}
}
