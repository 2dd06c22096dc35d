package ui

import (
	"os"
	"strings"
	"testing"
)

// manual is the README's table of keys: a row for each line of help, all keys
// named that do it, and after the filter's key the words of a filter.
func (m keymap) manual() string {
	code := func(keys ...string) string {
		return "`" + strings.Join(keys, "` `") + "`"
	}
	var rows []string
	for i := 0; i < len(m); {
		b := m[i]
		does := b.manual
		if does == "" {
			does = b.help
		}
		var names []string
		for ok := true; ok; ok = i < len(m) && m[i].help == "" {
			names = append(append(names, m[i].label), strings.Fields(m[i].others())...)
			i++
		}
		rows = append(rows, code(names...)+" | "+does)
		if b.do == openFilter {
			for _, w := range filterWords {
				rows = append(rows, code(w.form)+" | "+w.manual)
			}
		}
	}
	return "| key | does |\n| --- | --- |\n| " + strings.Join(rows, " |\n| ") + " |\n"
}

// TestREADMEsKeysAreTheKeymaps holds the README's table to the keymap, whole;
// -update writes it.
func TestREADMEsKeysAreTheKeymaps(t *testing.T) {
	const path, begins, ends = "../README.md", "| key | does |\n", "\n\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begins)
	table, after, ended := strings.Cut(rest, ends)
	if !ok || !ended {
		t.Fatal("the README has no table of keys")
	}
	got, want := begins+table+"\n", defaultKeys.manual()
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(path, []byte(before+want+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README's table of keys is\n%s\nwant (go test ./ui -run README -update)\n%s", got, want)
	}
}

// TestD3_HelpAndREADMENameEveryKey: each key that does something, by the words
// of the declarations, also where a label leaves it out.
func TestD3_HelpAndREADMENameEveryKey(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 60, Options{HoldsEngine: true})
	b.press("?")
	help, manual := b.screen(), defaultKeys.manual()
	for _, k := range defaultKeys {
		for _, l := range labelsOf(k.keys) {
			if !strings.Contains(manual, l) {
				t.Errorf("the README does not name %s", l)
			}
			if !strings.Contains(help, l) {
				t.Errorf("the help does not name %s", l)
			}
		}
	}
	for _, want := range []string{"PgUp PgDn move a page; ctrl-b ctrl-f", "g G       first, last; Home End", " !word    has it not"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help does not say %q:\n%s", want, help)
		}
	}
	for _, want := range []string{"| `PgUp` `ctrl-b` `PgDn` `ctrl-f` | move a page |", "| `g` `Home` `G` `End` |", "| `!word` |"} {
		if !strings.Contains(manual, want) {
			t.Errorf("the README does not say %q:\n%s", want, manual)
		}
	}
}

// TestNoHelpIsCut: on a screen of 80 columns each line of help is whole, with
// ASCII signs too, and all of it fits without scrolling.
func TestNoHelpIsCut(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		for _, holds := range []bool{false, true} {
			b := newBench(t, tenPhases(), 80, 24, Options{ASCII: ascii, HoldsEngine: holds})
			b.press("?")
			if b.app.helpMore > 0 {
				t.Errorf("ascii %t: %d lines do not fit", ascii, b.app.helpMore)
			}
			for _, it := range b.app.helpItems() {
				if s := b.screen(); !strings.Contains(s, it.said()) {
					t.Errorf("ascii %t: %q is cut in\n%s", ascii, it.said(), s)
				}
			}
		}
	}
}
