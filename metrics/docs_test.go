package metrics

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// names are the names of all samples that a scrape holds.
func names(t *testing.T) []string {
	t.Helper()
	_, text := get(t, hanging(newFake(), twoServers()), "/metrics")
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^(rollcall_\w+)`).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestTheFilesNameOnlyWhatExists reads what operators are given: every metric
// that it names is one that a scrape holds.
func TestTheFilesNameOnlyWhatExists(t *testing.T) {
	there := names(t)
	for _, path := range []string{"../docs/grafana.json", "../docs/prometheus-rules.yml", "../docs/prometheus-rules-test.yml", "../docs/monitoring.md"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`\brollcall_\w+`).FindAllString(string(b), -1)
		if len(named) == 0 {
			t.Errorf("%s names no metric", path)
		}
		for _, name := range named {
			// The manual names a histogram without what its samples end with.
			if !slices.Contains(there, name) && !slices.Contains(there, name+"_bucket") {
				t.Errorf("%s names %s, and there is none", path, name)
			}
		}
	}
}

// TestTheManualNamesEveryMetric holds the table of docs/monitoring.md to the
// metrics that there are.
func TestTheManualNamesEveryMetric(t *testing.T) {
	b, err := os.ReadFile("../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t) {
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, end)
		}
		if !regexp.MustCompile("`" + name + "[`{]").Match(b) {
			t.Errorf("docs/monitoring.md does not name %s", name)
		}
	}
}

// TestTheDashboardIsOneThatGrafanaTakes looks at what Grafana would trip over:
// panels that share an id or have nothing to ask.
func TestTheDashboardIsOneThatGrafanaTakes(t *testing.T) {
	b, err := os.ReadFile("../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Title, UID string
		Panels     []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, RefID string }
		}
	}
	if err := json.Unmarshal(b, &dashboard); err != nil {
		t.Fatal(err)
	}
	if dashboard.Title == "" || dashboard.UID == "" || len(dashboard.Panels) == 0 {
		t.Fatalf("%q (%q) has %d panels", dashboard.Title, dashboard.UID, len(dashboard.Panels))
	}
	taken := map[[2]int]string{}
	for i, p := range dashboard.Panels {
		if p.ID != i+1 || p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d (%q) has the id %d and %d targets", i+1, p.Title, p.ID, len(p.Targets))
		}
		for _, q := range p.Targets {
			if q.Expr == "" || q.RefID == "" {
				t.Errorf("%s: a target asks nothing", p.Title)
			}
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies over %q, or beside the grid", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// promtool runs Prometheus' own checks. Where it is not installed the test is
// skipped, or fails under ROLLCALL_REAL=1.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		const how = "promtool is not installed: apt-get install --no-install-recommends prometheus"
		if os.Getenv("ROLLCALL_REAL") == "1" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestPromtoolTakesTheMetrics(t *testing.T) {
	_, text := get(t, hanging(newFake(), twoServers()), "/metrics")
	promtool(t, text, "check", "metrics")
}

func TestPromtoolTakesTheRules(t *testing.T) {
	promtool(t, "", "check", "rules", "../docs/prometheus-rules.yml")
	promtool(t, "", "test", "rules", "../docs/prometheus-rules-test.yml")
}

// TestPromtoolTakesTheDashboardsQueries has promtool read each of the
// dashboard's queries, as a rule of its own.
func TestPromtoolTakesTheDashboardsQueries(t *testing.T) {
	b, err := os.ReadFile("../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(b, &dashboard); err != nil {
		t.Fatal(err)
	}
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	for _, p := range dashboard.Panels {
		for _, q := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5m", "$__range", "6h").Replace(q.Expr)
			rules = append(rules, rule{"a:query", expr})
		}
	}
	text, err := json.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}}) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/rules.yml"
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "", "check", "rules", "--lint=none", path)
}
