package ui

import (
	"strings"
	"testing"

	"rollcall/model"
)

// TestN2_ADashboardThatOnlyReadsOffersNoOrder, and asks about none.
func TestN2_ADashboardThatOnlyReadsOffersNoOrder(t *testing.T) {
	f := tenPhases()
	f.Waits = model.Waits{Added: 1}
	b := newBench(t, f, 200, 50, Options{ReadOnly: true})
	for _, word := range []string{"restart", "disconnect", "connect", "reload"} {
		if strings.Contains(b.footer(), word) {
			t.Errorf("it offers to %s: %s", word, b.footer())
		}
	}
	for _, key := range []string{"r", "d", "c", "R"} {
		b.press(key)
		if got := b.footer(); b.app.mode == asking || !strings.HasPrefix(got, "this dashboard only reads") {
			t.Errorf("%s: %s", key, got)
		}
		b.press("esc")
	}
	if n := len(b.engine.orders()); n > 0 {
		t.Errorf("%d orders were given", n)
	}
}
