package ui

import (
	"image/color"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rollcall/model"
)

// contrast is how far two colours are apart, as WCAG 2 counts it: from 1 to 21.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is a rough one, without the curve's foot: enough to compare.
func luminance(c color.Color) float64 {
	part := func(v uint32) float64 { f := float64(v) / 0xffff; return f * f }
	r, g, b, _ := c.RGBA()
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

// TestD9_ColoursCanBeReadOnTheirBackground: on a white and on a black one, and
// on that of the selected row.
func TestD9_ColoursCanBeReadOnTheirBackground(t *testing.T) {
	for bg, back := range map[background]color.Color{light: color.White, dark: color.Black} {
		p := palettes[bg]
		for name, c := range map[string]color.Color{"bad": p.bad, "warn": p.warn, "good": p.good, "active": p.active, "note": p.note} {
			for where, b := range map[string]color.Color{"the screen": back, "the selected row": p.selected} {
				if got := contrast(c, b); got < 3.5 {
					t.Errorf("background %d: %s on %s has a contrast of %.1f", bg, name, where, got)
				}
			}
		}
	}
}

// TestD9_UntilTheBackgroundIsKnownItIsTakenForDark: the first frame has the
// colours, and the theme's, that the answer of a dark terminal leaves as they are.
// Nothing stands behind a text, which may be dark after all, but what the theme
// puts there.
func TestD9_UntilTheBackgroundIsKnownItIsTakenForDark(t *testing.T) {
	for _, theme := range []map[string]string{nil, {"warn": "#010203", "selected": "#070809"}} {
		b := newBench(t, tenPhases(), 120, 40, Options{Theme: Theme{Dark: theme, Light: map[string]string{"warn": "#0a0b0c"}}})
		first := b.app.View().Content
		if theme == nil && strings.Contains(first, "48;") {
			t.Error("something stands behind a text")
		}
		b.send(backgroundOf("#000000"))
		answered := b.app.View().Content
		behind := regexp.MustCompile(`;?48;2;[0-9;]*m`)
		if got, want := behind.ReplaceAllString(first, "m"), behind.ReplaceAllString(answered, "m"); got != want {
			t.Errorf("with theme %v the answer changes\n%.300q\nto\n%.300q", theme, got, want)
		}
		if theme != nil && first != answered {
			t.Error("with a theme for all that has a colour behind it the answer changes something")
		}
	}
}

// TestD9_SixteenColoursTellHaltedFromWaiting: what the terminal gets of the
// profile ANSI. The selected row is seen on whatever is behind it, and where a theme
// has a colour for it, that is taken.
func TestD9_SixteenColoursTellHaltedFromWaiting(t *testing.T) {
	for _, c := range []struct{ back, halted, waiting string }{{"", "91", "93"}, {"#000000", "91", "93"}, {"#ffffff", "31", "33"}} {
		b := newBench(t, tenPhases(), 120, 40, Options{})
		sent := func() string {
			var out strings.Builder
			w := colorprofile.Writer{Forward: &out, Profile: colorprofile.ANSI}
			if _, err := w.WriteString(b.app.View().Content); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		b.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
		if c.back != "" {
			b.send(backgroundOf(c.back))
		}
		b.press("j")
		table := strings.Split(sent(), "\n")[b.app.places.table:]
		for at, want := range map[int]string{1: "\x1b[1;" + c.halted + "m✕ halted", 4: "\x1b[" + c.waiting + "m◌ waiting"} {
			if !strings.Contains(table[at], want) {
				t.Errorf("on %q want %q in %q", c.back, want, table[at])
			}
		}
		if row := table[2]; strings.Contains(row, "[40") || strings.Contains(row, ";40") || !strings.Contains(row, "\x1b[1;7m▸") {
			t.Errorf("on %q the selected row is %q", c.back, row)
		}
	}
	few := traits{back: dark, few: true}
	if l := newLook(Options{Theme: Theme{Dark: map[string]string{"selected": "4"}}}, few); l.sets[1][plain].on != "\x1b[1;44m" {
		t.Errorf("with a theme's colour the selected row begins with %q", l.sets[1][plain].on)
	}
	for bg, p := range fewPalettes {
		seen := map[color.Color]bool{}
		for _, own := range []color.Color{p.bad, p.warn, p.good, p.active, p.note} {
			if own != nil && seen[own] {
				t.Errorf("background %d has colour %v twice", bg, own)
			}
			seen[own] = true
		}
	}
}

// TestD9_TheScreenFollowsTheBackground has the same words on both, in the
// colours of each.
func TestD9_TheScreenFollowsTheBackground(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	plain := b.screen()
	for _, c := range []struct{ back, halted, other string }{{"#ffffff", "179;38;30", "239;107;115"}, {"#000000", "239;107;115", "179;38;30"}} {
		b.send(backgroundOf(c.back))
		if b.screen() != plain {
			t.Errorf("on %s the words differ", c.back)
		}
		if f := b.app.View().Content; !strings.Contains(f, c.halted) || strings.Contains(f, c.other) {
			t.Errorf("on %s halted is not drawn in %s", c.back, c.halted)
		}
	}
}

func backgroundOf(hex string) tea.BackgroundColorMsg {
	c := color.Color(color.White)
	if hex == "#000000" {
		c = color.Black
	}
	return tea.BackgroundColorMsg{Color: c}
}

func TestAThemeChangesColours(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{Theme: Theme{Dark: map[string]string{"bad": "#010203", "dim": "#040506", "selected": "#070809"}}})
	b.send(backgroundOf("#000000"))
	frame := b.app.View().Content
	for _, want := range []string{"38;2;1;2;3", "38;2;4;5;6", "48;2;7;8;9"} {
		if !strings.Contains(frame, want) {
			t.Errorf("%s is not used", want)
		}
	}
	b.send(backgroundOf("#ffffff"))
	if strings.Contains(b.app.View().Content, "38;2;1;2;3") {
		t.Error("a dark theme's colour is used on a light background")
	}
	for _, token := range Tokens() {
		if p := (palette{}).with(map[string]string{token: "1"}); p == (palette{}) {
			t.Errorf("the token %s changes nothing", token)
		}
	}
}

// TestD11_WhatALostEngineSaidLastIsGrey: no row of it is drawn in colour.
func TestD11_WhatALostEngineSaidLastIsGrey(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	b.send(backgroundOf("#000000"))
	rows := func() string {
		lines := strings.Split(b.app.View().Content, "\n")
		p := b.app.places
		return strings.Join(lines[p.table+2:p.table+p.tableHeight], "\n") // below the heads and the selected row
	}
	if !strings.Contains(rows(), "38;2;") {
		t.Fatal("there is no colour to begin with")
	}
	b.send(lostMsg{errTest{}})
	if got := rows(); strings.Contains(got, "38;2;") {
		t.Errorf("a row is in colour: %.300q", got)
	}
	b.send(fleetMsg{with(tenPhases(), "docs", func(r *model.Row) { r.Starts++ })})
	if !strings.Contains(rows(), "38;2;") {
		t.Error("it is back, and still grey")
	}
}
