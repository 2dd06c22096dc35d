package config

import (
	"fmt"
	"slices"
	"testing"

	"rollcall/redact"
)

// TestC8_LaterNamesEachSettingThatNeedsAStart, and none that takes effect with a
// reload. The tables hold it to the manual's keys: one that is added there is
// added here.
func TestC8_LaterNamesEachSettingThatNeedsAStart(t *testing.T) {
	given := map[string]string{
		"[defaults] start_concurrency": "start_concurrency = 3", "[defaults] reload": `reload = "auto"`,
		"[alerts] webhook": `webhook = "https://example.com/canary"`, "[alerts] format": `format = "slack"`, "[alerts] exec": `exec = ["/bin/true", "canary"]`,
		"[log] dir": `dir = "elsewhere"`, "[log] max_mb": "max_mb = 3", "[log] keep": "keep = 3", "[log] stderr": "stderr = true", "[log] stderr_mb": "stderr_mb = 3",
		"[ui] on_hangup": `on_hangup = "stop"`, "[ui] ascii": "ascii = true", "[ui] mouse": "mouse = false", "[ui] keys": `keys = { restart = "x" }`,
		"[ui] theme": "theme = { dark = { bad = \"#ff0000\" } }",
	}
	atOnce := []string{"[defaults] reload"}
	before := load(t, "", testEnv())
	for table, keys := range map[string][]string{"defaults": defaultsKeys, "alerts": alertsKeys, "log": logKeys, "ui": uiKeys} {
		for _, key := range keys {
			name := fmt.Sprintf("[%s] %s", table, key)
			switch {
			case slices.Contains(timingKeys, key):
				continue // the servers': Diff has them
			case given[name] == "":
				t.Errorf("nothing is known of %s", name)
				continue
			}
			now := load(t, "["+table+"]\n"+given[name]+"\n", testEnv())
			var want []redact.Safe
			if !slices.Contains(atOnce, name) {
				want = append(want, (*redact.Redactor)(nil).Text(name))
			}
			got := append(Later(before, now), LaterOnScreen(before, now)...)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
			if got := append(Later(now, now), LaterOnScreen(now, now)...); got != nil {
				t.Errorf("%s, of the same: %v", name, got)
			}
		}
	}
}
