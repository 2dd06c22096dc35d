package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// alt is a key as it is read right after an escape.
func alt(key rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: key, Mod: tea.ModAlt} }

// TestD4_WhatFollowsAnEscapeIsNoOrder: a terminal sends esc and a key alike with
// a key with alt, and a slow link sends both at once.
func TestD4_WhatFollowsAnEscapeIsNoOrder(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.send(alt('/'))
	b.press("b", "a", "d")
	if n := len(b.engine.orders()); n > 0 || b.app.mode != filtering || b.app.table.filter != "bad" {
		t.Errorf("esc / b a d: %d orders, the filter is %q", n, b.app.table.filter)
	}
	b.press("enter")
	b.send(alt('/'))
	b.press("x")
	if b.app.table.filter != "x" {
		t.Errorf("esc / x, with a filter: it is %q", b.app.table.filter)
	}

	b = newBench(t, tenPhases(), 120, 40, Options{})
	at := noon
	b.app.now = func() time.Time { return at }
	b.send(alt('d'))
	b.press("d", "a", "r")
	if n := len(b.engine.orders()); n > 0 {
		t.Errorf("alt-d d a r gave %d orders", n)
	}
	at = at.Add(escapeTime)
	if b.press("d"); len(b.engine.orders()) != 1 {
		t.Errorf("a key that comes later gave %d orders", len(b.engine.orders()))
	}
}

func TestAKeyWithAltCanBeBound(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{Keys: map[string][]string{"restart": {"alt+r"}}})
	if b.send(alt('r')); len(b.engine.orders()) != 1 {
		t.Errorf("%d orders", len(b.engine.orders()))
	}
}

func TestD4_PastedTextIsNoOrder(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	for _, keys := range [][]string{nil, {"tab"}, {"*", "d"}, {"?"}} {
		b.press(keys...)
		b.send(tea.PasteMsg{Content: "rdcay\n"})
		if n := len(b.engine.orders()); n > 0 {
			t.Errorf("after %q a pasted text gave %d orders", keys, n)
		}
		b.press("esc", "esc")
	}
}
