package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// answer is the engine's word on an order.
func (b *bench) answer(o model.Order, r model.Result, elsewhere bool, says string) {
	b.engine.change(func(e *fake) {
		e.events = append(e.events, model.Event{Seq: uint64(1000 + len(e.events)), At: noon, Kind: model.EvOrder, Server: o.Server, OrderID: o.ID,
			Order: model.Some(o.Verb), Outcome: redact.Name(r.String()), Elsewhere: elsewhere, Text: text("%s", says)})
	})
	b.send(fleetMsg{b.engine.fleet})
}

func TestD8_AnOrderChangesNoRow(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{Order: model.Order{By: text("anna (pts/3)")}})
	b.press("j", "j", "j")
	before := strings.Split(b.screen(), "\n")
	b.press("r")
	after := strings.Split(b.screen(), "\n")
	if got, want := after[:len(after)-2], before[:len(before)-2]; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the screen changed before the engine said anything:\n%s", strings.Join(after, "\n"))
	}
	given := b.engine.orders()
	if len(given) != 1 || given[0].Server != "github" || given[0].Verb != model.Restart || given[0].By.String() != "anna (pts/3)" || given[0].Bulk || given[0].ID == "" {
		t.Fatalf("the order was %+v", given)
	}
	if got := b.footer(); got != "restart github: given, not answered yet" {
		t.Errorf("the footer says %q", got)
	}
	b.answer(given[0], model.Done, false, "restart github: attempt 0 is queued")
	if got := b.footer(); got != "restart github: attempt 0 is queued" {
		t.Errorf("after the answer the footer says %q", got)
	}
	b.press("j")
	if got := b.footer(); !strings.HasPrefix(got, "r restart") {
		t.Errorf("after another key the footer says %q", got)
	}
}

func TestD8_AnAnswerOfAnotherIsNotOurs(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("r")
	b.answer(model.Order{ID: "another", Server: "notes"}, model.Done, false, "not for us")
	if got := b.footer(); got != "restart notes: given, not answered yet" {
		t.Errorf("the footer says %q", got)
	}
}

func TestD4_OrdersForManyAskFirst(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press("*", "d")
	if got, want := b.footer(), "disconnect 12 servers: billing, crm-sync, docs and 9 more? y/n"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
	b.press("n")
	if n := len(b.engine.orders()); n != 0 {
		t.Fatalf("n gave %d orders", n)
	}
	b.press("r")
	if got, want := b.footer(), "restart 12 servers: billing, crm-sync, docs and 9 more (1 off, skipped)? y/n"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
	b.press("y")
	given := b.engine.orders()
	ids := map[string]bool{}
	for _, o := range given {
		ids[o.ID] = true
		if !o.Bulk || o.Verb != model.Restart {
			t.Errorf("one of many is %+v", o)
		}
	}
	if len(given) != 12 || len(ids) != 12 {
		t.Fatalf("%d orders with %d ids, want 12 of each", len(given), len(ids))
	}
	for i, o := range given {
		if i == 4 {
			b.answer(o, model.Declined, false, "images: command: python3 was not found")
			continue
		}
		b.answer(o, model.Done, false, "done")
	}
	if got, want := b.footer(), "restart 12 servers: 11 done, 1 refused: images: command: python3 was not found"; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}

func TestO2_TheEntryInForceIsOffered(t *testing.T) {
	b := newBench(t, tenPhases(), 200, 40, Options{})
	b.press("r")
	first := b.engine.orders()[0]
	b.answer(first, model.Declined, true, "servers.toml:9:3: not TOML")
	if got, want := b.footer(), "servers.toml:9:3: not TOML  y: restart with the entry in force"; got != want {
		t.Errorf("the footer says %q, want %q", got, want)
	}
	b.press("y")
	given := b.engine.orders()
	if len(given) != 2 {
		t.Fatalf("%d orders, want 2", len(given))
	}
	if o := given[1]; !o.InForce || o.Server != first.Server || o.Verb != model.Restart || o.ID == first.ID {
		t.Errorf("the second order is %+v", o)
	}
}

func TestO2_TheOfferEndsWithAnotherKey(t *testing.T) {
	b := newBench(t, tenPhases(), 200, 40, Options{})
	b.press("r")
	b.answer(b.engine.orders()[0], model.Declined, true, "servers.toml:9:3: not TOML")
	b.press("j", "y")
	if n := len(b.engine.orders()); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

func TestD4_QuittingAsksWhileServersRun(t *testing.T) {
	for _, c := range []struct {
		holds bool
		keys  string
		quits bool
	}{
		{false, "q", true}, {false, "ctrl+c", true},
		{true, "q", false}, {true, "q y", true}, {true, "q n", false}, {true, "q n q y", true},
		{true, "ctrl+c", false}, {true, "ctrl+c ctrl+c", true}, {true, "/ ctrl+c y", true}, {true, "* r ctrl+c n", false},
	} {
		b := newBench(t, tenPhases(), 120, 40, Options{HoldsEngine: c.holds})
		b.press(strings.Fields(c.keys)...)
		if b.quit != c.quits {
			t.Errorf("holds %t, keys %q: quits %t, want %t", c.holds, c.keys, b.quit, c.quits)
		}
	}
	b := newBench(t, model.Fleet{Seq: 1, At: noon}, 80, 24, Options{HoldsEngine: true})
	if b.press("q"); !b.quit {
		t.Error("with nothing running q asks")
	}
	b = newBench(t, tenPhases(), 120, 40, Options{HoldsEngine: true})
	b.press("q")
	if got, want := b.footer(), "quit and stop 6 running servers? y/n"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
}

func TestFirstOf(t *testing.T) {
	for n, want := range []string{"", "a", "a, b", "a, b, c", "a, b, c, d", "a, b, c and 2 more", "a, b, c and 3 more"} {
		names := strings.Split("abcdefg"[:n], "")
		if n == 0 {
			names = nil
		}
		if got := firstOf(names, 3); got != want {
			t.Errorf("%d names: %q, want %q", n, got, fmt.Sprint(want))
		}
	}
}

func TestD4_MarksGoWithTheirOrder(t *testing.T) {
	for _, keys := range []string{"space r", "space space r y"} {
		b := newBench(t, tenPhases(), 120, 40, Options{})
		b.press(strings.Fields(keys)...)
		if n := len(b.engine.orders()); n == 0 || len(b.app.table.marks) > 0 {
			t.Errorf("%q: %d orders, and %d marks are left", keys, n, len(b.app.table.marks))
		}
	}
}

// TestD4_WhatIsNotOnTheScreenIsAskedFor: a single mark behind a filter, or
// beyond what is visible.
func TestD4_WhatIsNotOnTheScreenIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		fleet      model.Fleet
		keys, want string
	}{
		{tenPhases(), "j j j space / b i l l enter r", "restart 1 server: github (1 not shown)? y/n"},
		{tenPhases(), "j j j space G k space / c r m enter d", "disconnect 2 servers: billing, github (2 not shown)? y/n"},
		{busyFleet(500), "space G d", "disconnect 1 server: notes8 (1 not shown)? y/n"},
		{tenPhases(), "j j j space z r", "restart 1 server: github (1 not shown)? y/n"}, // the pane alone, of another
	} {
		b := newBench(t, c.fleet, 120, 40, Options{})
		b.press(strings.Fields(c.keys)...)
		if got := b.footer(); got != c.want || len(b.engine.orders()) > 0 {
			t.Errorf("%q: %d orders, the footer is %q, want %q", c.keys, len(b.engine.orders()), got, c.want)
		}
		b.press("y")
		if n := len(b.engine.orders()); n == 0 || len(b.app.table.marks) > 0 {
			t.Errorf("%q, then y: %d orders, %d marks", c.keys, n, len(b.app.table.marks))
		}
	}
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.press(strings.Fields("j j j space G r")...) // it can be seen
	if given := b.engine.orders(); len(given) != 1 || given[0].Server != "github" {
		t.Errorf("a mark that can be seen: %v", given)
	}
}

// TestD4_AnAnswerThatIsNoYesIsSaid: enter is no yes, and that nothing was done
// must not be left to guessing.
func TestD4_AnAnswerThatIsNoYesIsSaid(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"* r enter", "not restarted"}, {"* r Y", "not restarted"}, {"* d n", "not disconnected"}, {"* c esc", "not connected"},
		{"q enter", "not quit"}, {"R x", "not reloaded"},
	} {
		b := newBench(t, tenPhases(), 120, 40, Options{HoldsEngine: true})
		b.engine.pending = aReload()
		b.press(strings.Fields(c.keys)...)
		if got := b.footer(); got != c.want {
			t.Errorf("after %s the footer says %q, want %q", c.keys, got, c.want)
		}
		if len(b.engine.orders()) > 0 || len(b.engine.reloads) > 0 || b.quit || b.app.mode != browsing {
			t.Errorf("%s was a yes, or is still asked", c.keys)
		}
		if b.press("j"); b.footer() == c.want {
			t.Errorf("after another key the footer still says %q", c.want)
		}
	}
	down := tenPhases()
	for _, r := range down.Rows {
		r.DownSince = noon.Add(-time.Hour)
	}
	b := newBench(t, down, 120, 40, Options{})
	if b.press("*", "a", "enter"); b.footer() != "not acknowledged" {
		t.Errorf("the footer says %q", b.footer())
	}
}

// TestARefusalNamesItsServerOnce: at 80 columns what was refused is what is cut.
func TestARefusalNamesItsServerOnce(t *testing.T) {
	refused := func(e *model.Event, why string) {
		e.Error, e.Text = text("%s", why), text("restart %s: refused: %s", e.Server, why)
	}
	for _, c := range []struct{ why, one, many string }{
		{"servers.toml:7: server notes: command: nope not found", "restart notes: refused: servers.toml:7: command: nope not found", "notes: servers.toml:7: command: nope not found"},
		{"server notes: servers.toml:3: not TOML", "restart notes: refused: servers.toml:3: not TOML", "notes: servers.toml:3: not TOML"},
		{"server notes is not in servers.toml any more: reload takes it away", "restart notes: refused: not in servers.toml any more: reload takes it away", "notes: not in servers.toml any more: reload takes it away"},
		{"server notes inherits url", "restart notes: refused: inherits url", "notes: inherits url"},
		{"server notes-2: taken", "restart notes: refused: server notes-2: taken", "notes: server notes-2: taken"}, // another one
	} {
		e := model.Event{Server: "notes", Kind: model.EvOrder, OrderID: "x", Outcome: redact.Name(model.Declined.String())}
		refused(&e, c.why)
		if got := (&ledger{total: 1}).reason(e); got != c.one {
			t.Errorf("one order: %q\nwant       %q", got, c.one)
		}
		if got := (&ledger{total: 2}).reason(e); got != c.many {
			t.Errorf("one of two: %q\nwant        %q", got, c.many)
		}
	}
}

// TestARefusalNamesTheFileAsTheHeaderDoes: its folder is what takes most cells, and
// says least.
func TestARefusalNamesTheFileAsTheHeaderDoes(t *testing.T) {
	b := newBench(t, tenPhases(), 80, 24, Options{})
	b.press("r")
	b.answer(b.engine.orders()[0], model.Declined, false, "restart notes: refused: /etc/rollcall/servers.toml:17: cwd: /etc/rollcall/x not found")
	if got, want := b.footer(), "restart notes: refused: servers.toml:17: cwd: /etc/rollcall/x not found"; got != want {
		t.Errorf("the footer says %q, want %q", got, want)
	}
}
