package config

import (
	"slices"
	"strings"
	"testing"
)

// TestTheExampleConfiguration holds that servers.toml is what its comments say:
// one entry is refused, for the reason given there, and all the others are good.
func TestTheExampleConfiguration(t *testing.T) {
	f, err := Load("../servers.toml", testEnv())
	if err != nil {
		t.Fatal(err)
	}
	var good []string
	for _, e := range f.Entries {
		if e.Spec != nil {
			good = append(good, e.Name)
		}
	}
	want := []string{"healthy", "socket", "web", "flapping", "slow-probe", "missing", "once", "disabled", "everything", "filesystem", "memory"}
	if !slices.Equal(good, want) {
		t.Errorf("good: %v\nwant: %v", good, want)
	}
	for _, p := range f.Problems {
		if !p.Warning && (p.Server != "refused" || p.Field != "reconnect_interval") {
			t.Errorf("unexpected:\n%s", Render(p))
		}
	}
	if got := f.entry(t, "flapping").Spec.Redactor.Text("bad token demo-4f1c9a7e2b").String(); got != "bad token ‹TOKEN›" {
		t.Errorf("got %q", got)
	}
}

// TestTheCommentedPartsOfTheExampleAreRight takes the comment signs away.
func TestTheCommentedPartsOfTheExampleAreRight(t *testing.T) {
	text, err := readBounded("../servers.toml", maxFile)
	if err != nil {
		t.Fatal(err)
	}
	var commented []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && (rest[0] == '[' || strings.Contains(rest, " = ") && !strings.Contains(rest, "protocol = \"mcp\" says")) {
			commented = append(commented, rest)
		}
	}
	env := testEnv("EXAMPLE_TOKEN", "abcdefgh", "DB_PASSWORD", "ijklmnop")
	withoutFile := strings.ReplaceAll(strings.Join(commented, ""), `env_file = "another.env"`, "")
	f := load(t, withoutFile, env)
	if len(f.Problems) != 0 || len(f.Entries) != 2 {
		t.Errorf("%d entries of\n%s\n%s", len(f.Entries), withoutFile, rendered(f.Problems))
	}
}
