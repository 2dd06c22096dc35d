package ui

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// TestD2_WhatIsWrongIsCountedOnEveryScreen, down to 20×3: on those that have no
// line for it, it stands first of all.
func TestD2_WhatIsWrongIsCountedOnEveryScreen(t *testing.T) {
	refused := tenPhases()
	refused.Note = text("servers.toml:7:12: a value is missing after \"=\"")
	for _, r := range refused.Rows {
		r.DownSince = time.Time{}
	}
	stopping := tenPhases()
	stopping.Stopping = true
	for _, c := range []struct {
		name  string
		fleet model.Fleet
		lost  bool
		want  []string // one of them
	}{
		{"down", with(tenPhases(), "notes", func(r *model.Row) { r.DownSince = noon }), false, []string{" 2 down"}},
		{"lost", tenPhases(), true, []string{" engine lost"}},
		{"refused", refused, false, []string{" file refused", " servers.toml:7:12"}},
		{"stopping", stopping, false, []string{" stopping"}},
	} {
		b := newBench(t, c.fleet, 20, 3, Options{})
		if c.lost {
			b.send(lostMsg{errTest{}})
		}
		for height := 3; height <= 50; height++ {
			for width := 20; width <= 200; width += 4 {
				b.send(sized(width, height))
				head, says := strings.Join(strings.Split(b.screen(), "\n")[:min(4, height-1)], "\n"), false
				for _, want := range c.want {
					says = says || strings.HasPrefix(head, want) || strings.Contains(head, "\n"+want)
				}
				if !says {
					t.Fatalf("%s at %d×%d: the header says\n%s", c.name, width, height, head)
				}
			}
		}
	}
}

// TestD2_CountsThatFitBesideTheTitleTakeNoLine: on a low screen what is well
// needs no word, and the program no name.
func TestD2_CountsThatFitBesideTheTitleTakeNoLine(t *testing.T) {
	f := quietFleet(60)
	f.At = noon
	for i, r := range f.Rows {
		switch {
		case i < 2:
			r.Phase = model.Waiting
		case i < 3:
			r.Phase = model.Halted
		case i < 6:
			r.Phase = model.Settling
		}
	}
	b := newBench(t, f, 80, 24, Options{})
	if got, want := b.line(0), " rollcall  edge-7 · servers.toml  ● 54  ◕ 3  ◌ 2 waiting  ✕ 1 halted   14:05:09"; got != want {
		t.Errorf("the first line is %q\nwant              %q", got, want)
	}
	b.send(fleetMsg{with(f, "server-059", func(r *model.Row) { r.Phase = model.Off })})
	if got, want := b.line(0), " edge-7 · servers.toml       ● 53  ◕ 3  ◌ 2 waiting  ✕ 1 halted  ◦ 1   14:05:09"; got != want {
		t.Errorf("the first line is %q\nwant              %q", got, want)
	}
	if got := b.line(1); !strings.Contains(got, "SERVER") {
		t.Errorf("the second line is %q, want the table's heads", got)
	}
	b.send(sized(80, minDay))
	if got := b.line(1); !strings.HasPrefix(got, " ● 53 up  ◕ 3 settling  ◌ 2 waiting  ✕ 1 halted") {
		t.Errorf("on a high screen the second line is %q, want the counts with all their words", got)
	}
}
