package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a hostile server sends changes nothing of the terminal, and is shown
// nowhere but in its pane.
func TestR3_AHostileServerStaysInItsPane(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, "[servers.hostile]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"hostile\", \"--beat\", \"0\"]\n")
	x := onTerminal(t, rollcallCommand(t, "-c", path), 100, 30)
	screen := x.Shows("after everything")
	x.Shows("settling")
	var pane bool
	for line := range strings.Lines(screen) {
		pane = pane || strings.Contains(line, "hostile ──")
		for _, said := range []string{"before", "bell", "top", "turned around", "HACK", "done", "after everything"} {
			if !pane && strings.Contains(line, said) {
				t.Errorf("%q is outside the pane: %s", said, line)
			}
		}
	}
	if !pane || !strings.HasPrefix(strings.TrimSpace(screen), "rollcall") {
		t.Errorf("the screen is not rollcall's:\n%s", screen)
	}
	if strings.Contains(screen, "HACKED") {
		t.Errorf("the text of a control sequence is shown:\n%s", screen)
	}
	x.Types("qy")
	if code := x.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	x.AsItWas()
	if did := x.Misdeeds(); len(did) > 0 {
		t.Errorf("the terminal: %q", did)
	}
	raw := string(x.Raw())
	// The emulator keeps no clipboard: nothing was sent that would change one.
	if m := regexp.MustCompile(`\x1b\](?:0|1|2|7|8|52);|\x1bP[^+>]|\x1b_|\x1b\^|[\x{202a}-\x{202e}\x{2066}-\x{2069}\x{200b}]`).FindString(raw); m != "" {
		i := strings.Index(raw, m)
		t.Errorf("the terminal was sent %q: %q", m, raw[max(0, i-60):min(len(raw), i+60)])
	}
}
