package ui

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

func TestD1_TheBeginningThatNamesHaveInCommon(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"mcp-prod-eu-west-api mcp-prod-eu-west-search mcp-prod-eu-west-crm docs", "mcp-prod-eu-west-"},
		{"mcp-prod-eu-west-api mcp-prod-eu-west-search docs", ""},                                                                 // two are soon told apart
		{"srv-1 srv-2 srv-3 srv-4", ""},                                                                                           // they are short
		{"mcp-prod-eu-west-api mcp-prod-eu-west-crm mcp-prod-us-east-api mcp-prod-us-east-crm mcp-prod-us-west-api", "mcp-prod-"}, // and not eu-west's alone
		{"mcp-prod-eu-west- mcp-prod-eu-west-- mcp-prod-eu-west-a", "mcp-prod-eu-"},                                               // nobody loses all
		{"aaaaaaaaaaaaaaaaaaaaa1 aaaaaaaaaaaaaaaaaaaaa2 aaaaaaaaaaaaaaaaaaaaa3", ""},                                              // no word ends there
	} {
		var rows []*model.Row
		for name := range strings.FieldsSeq(c.names) {
			rows = append(rows, &model.Row{Server: name})
		}
		if got := commonBeginning(rows); got != c.want {
			t.Errorf("%s begin with %q, want %q", c.names, got, c.want)
		}
	}
}

// TestD1_ANarrowScreenSaysWhy: what the names have in common, and what no wait
// and no time needs, is the last failure's. The row says which, since when, why,
// and when next.
func TestD1_ANarrowScreenSaysWhy(t *testing.T) {
	f := tenPhases()
	for i, r := range f.Rows {
		c := *r
		c.Server = "mcp-prod-eu-west-" + r.Server
		f.Rows[i] = &c
	}
	b := newBench(t, f, 80, 24, Options{})
	for _, want := range []string{
		"…notes        ✕ halted     0         1h4m npx not found: install Node.js, th…",
		"…github       ◌ waiting    6  4:12   ↓13m exit code 1 · Error: Bad credentia…",
		"…search       ◕ settling   2           1m up in 3:08 · close code 1011 after…",
	} {
		if !strings.Contains(b.screen(), want) {
			t.Errorf("want %s in\n%s", want, b.screen())
		}
	}
	b.send(fleetMsg{with(f, "mcp-prod-eu-west-github", func(r *model.Row) { r.Since, r.Next = noon, noon.Add(2*time.Hour) })})
	if !strings.Contains(b.screen(), "2:00:00   ↓13m exit code 1") {
		t.Errorf("a wait of two hours is cut:\n%s", b.screen())
	}
	b.send(sized(240, 24))
	if !strings.Contains(b.screen(), "▸  mcp-prod-eu-west-notes") {
		t.Errorf("a wide screen leaves the names' beginning out:\n%s", b.screen())
	}
}

func TestD1_WhatTellsLeastGoesFirst(t *testing.T) {
	l := newLook(Options{}, traits{})
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"exit code 1 after 14 s · Error: no", 34, "exit code 1 after 14 s · Error: no"},
		{"exit code 1 after 14 s · Error: no", 33, "exit code 1 · Error: no"},
		{"exit code 1 after 14 s", 9, "exit code 1 after 14 s"}, // nothing tells more
		{"dial tcp 127.0.0.1:9: connect: connection refused", 40, "connection refused: dial tcp 127.0.0.1:9"},
		{"dial tcp: lookup nowhere.test: no such host", 20, "no such host: dial tcp: lookup nowhere.test"},
		{"dialled twice: no", 5, "dialled twice: no"},
		{"probe timed out after 3001 ms, 3 of 3 in a row, after 19 s · 128 entries", 70,
			"probe timed out after 3001 ms, 3 of 3 in a row · 128 entries"},
	} {
		if got := l.telling(c.text, c.w); got != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

// TestD1_ANoteOnARowTellsNotWhatTheRowDoes: what was refused there, at 80 columns.
func TestD1_ANoteOnARowTellsNotWhatTheRowDoes(t *testing.T) {
	f := with(quietFleet(3), "server-001", func(r *model.Row) {
		r.Phase, r.Note = model.Halted, redact.Word("servers.toml:77: server server-001: command: nope not found: install it")
	})
	b := newBench(t, f, 80, 24, Options{})
	if !strings.Contains(b.screen(), "command: nope not found") || strings.Contains(b.screen(), "servers.toml:77") {
		t.Errorf("the row does not say what was refused:\n%s", b.screen())
	}
	b.send(sized(240, 24))
	if !strings.Contains(b.screen(), "servers.toml:77: server server-001: command: nope not found: install it") {
		t.Errorf("where there is room for the whole note it is not there:\n%s", b.screen())
	}
}
