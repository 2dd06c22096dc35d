package ui

import (
	"strings"
	"testing"

	"rollcall/model"
)

// TestD6_ARefusedEntryShowsWhatIsKnown in its details; where nothing is, nothing.
func TestD6_ARefusedEntryShowsWhatIsKnown(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("j", "3", "z") // legacy-index
	for _, want := range []string{"transport               websocket\n", "tags                    prod, old\n"} {
		if !strings.Contains(b.screen(), want) {
			t.Errorf("%q is not in\n%s", want, b.screen())
		}
	}
	b.send(fleetMsg{with(tenPhases(), "legacy-index", func(r *model.Row) { r.Known = nil })})
	if s := b.screen(); strings.Contains(s, "transport") || strings.Contains(s, "protocol") || strings.Contains(s, "tags ") {
		t.Errorf("nothing is known of it, and the details say\n%s", s)
	}
}
