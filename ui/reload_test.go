package ui

import (
	"fmt"
	"strings"
	"testing"

	"rollcall/model"
	"rollcall/redact"
)

// aReload is one that does something of each kind.
func aReload() model.Reload {
	return model.Reload{Before: 12, Added: []string{"wiki"}, Removed: []string{"old-crm"}, Refused: []string{"mail"},
		Changed: []model.Change{
			{Server: "github", Fields: fields("args", "env.GITHUB_TOKEN")},
			{Server: "translate", Fields: fields("enabled"), Stops: true},
		}}
}

func fields(names ...string) []redact.Safe {
	out := make([]redact.Safe, len(names))
	for i, name := range names {
		out[i] = text("%s", name)
	}
	return out
}

func TestC8_ReloadShowsWhatItWillDoAndAsks(t *testing.T) {
	f := tenPhases()
	f.Waits = model.Waits{Added: 1, Changed: 2, Removed: 1}
	b := newBench(t, f, 80, 24, Options{})
	b.engine.pending = aReload()
	if got, want := b.line(2), " reload (R): 1 new, 2 changed, 1 removed   1 down: github for 13 min"; got != want {
		t.Errorf("the header says %q, want %q", got, want)
	}
	if !strings.Contains(b.footer(), "R reload") {
		t.Errorf("the footer offers no reload: %q", b.footer())
	}
	b.press("R")
	golden(t, "reload-80x24", b.screen())
	if b.press("n"); len(b.engine.reloads) != 0 {
		t.Fatal("n is yes")
	}
	b.press("R", "y")
	if n := len(b.engine.reloads); n != 1 || b.engine.reloads[0].Text() != aReload().Text() {
		t.Fatalf("%d reloads, want the one that was shown", n)
	}
	if got, want := b.footer(), "reloaded: add 1, change 2, remove 1"; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}

// TestC8_WhatNeedsAStartIsShownAndAnswered: a reload that leaves a setting as it
// is must not look as if it had applied all.
func TestC8_WhatNeedsAStartIsShownAndAnswered(t *testing.T) {
	b := newBench(t, tenPhases(), 80, 24, Options{})
	b.engine.pending = aReload()
	b.engine.pending.Later = []redact.Safe{redact.Word("[log] dir")}
	if b.press("R"); !strings.Contains(b.screen(), "later   [log] dir: at the next start") {
		t.Errorf("not shown:\n%s", b.screen())
	}
	b.press("y")
	if got, want := b.footer(), "reloaded: add 1, change 2, remove 1; [log] dir: at the next start"; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}

func TestC8_AFileThatChangedMeanwhileIsShownAnew(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 24, Options{})
	b.engine.pending = aReload()
	b.press("R")
	b.engine.pending = model.Reload{Before: 12, Removed: strings.Split("abcdefghij", "")}
	b.press("y")
	if len(b.engine.reloads) != 0 {
		t.Fatal("what was not shown was applied")
	}
	if got, want := b.footer(), "the file changed meanwhile; reload removes most of them: remove 10 of 12 servers? y/n"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
	if b.press("y"); len(b.engine.reloads) != 1 {
		t.Error("what was shown then was not applied")
	}
}

func TestC8_ReloadSaysWhyThereIsNothingToAsk(t *testing.T) {
	for want, r := range map[string]model.Reload{
		"nothing to reload now: [log] dir, [ui] keys: at the next start":                                  {Before: 12, Later: []redact.Safe{redact.Word("[log] dir"), redact.Word("[ui] keys")}},
		"nothing to reload: what is in force is as the file has it":                                       {Before: 12},
		"nothing to reload: refused, so what is in force stays: mail; rollcall check says why":            {Before: 12, Refused: []string{"mail"}},
		"not reloaded: servers.toml:7: a value is missing: what runs stays as it is until this is mended": {Problem: text("servers.toml:7: a value is missing: what runs stays as it is until this is mended")},
	} {
		b := newBench(t, tenPhases(), 120, 24, Options{})
		b.engine.pending = r
		if b.press("R"); b.footer() != want {
			t.Errorf("the footer says %q, want %q", b.footer(), want)
		}
		if b.press("y"); len(b.engine.reloads) != 0 {
			t.Error("y reloads though nothing was asked")
		}
	}
}

// TestC8_ALateQuestionTakesNoKey: what was asked of a slow disk may come when
// the operator types something else, to which y is no answer.
func TestC8_ALateQuestionTakesNoKey(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 24, Options{})
	b.engine.pending = aReload()
	_, late := b.app.Update(keyMsg("R"))
	b.press("j")
	b.run(late)
	if got, want := b.footer(), "R shows what a reload would do: add 1, restart 1 changed, stop 1 disabled, remove 1"; got != want {
		t.Errorf("the footer says %q, want %q", got, want)
	}
	if b.press("y"); len(b.engine.reloads) != 0 {
		t.Error("y answered a question that was not there")
	}
}

func TestC8_ALongReloadIsCutAndSaysSo(t *testing.T) {
	r := model.Reload{Before: 12}
	for i := range 100 {
		r.Added = append(r.Added, fmt.Sprintf("new-%d", i))
	}
	b := newBench(t, tenPhases(), 80, 24, Options{})
	b.engine.pending = r
	b.press("R")
	lines := strings.Split(b.screen(), "\n")
	if got := strings.TrimSpace(lines[22]); !strings.HasPrefix(got, "… and ") || !strings.HasSuffix(got, " more lines") {
		t.Errorf("the last line is %q", got)
	}
}

// TestD11_AnEmptyConfigurationLeadsToItsFirstServer: R is what is missing after
// the save, and it works where there is no row.
func TestD11_AnEmptyConfigurationLeadsToItsFirstServer(t *testing.T) {
	f := model.Fleet{Seq: 1, At: noon, Config: text("servers.toml"), Waits: model.Waits{Added: 1}}
	b := newBench(t, f, 80, 24, Options{})
	if !strings.Contains(b.screen(), "Press R") {
		t.Errorf("the screen does not say what to press:\n%s", b.screen())
	}
	b.engine.pending = model.Reload{Added: []string{"everything"}}
	b.press("R")
	if got, want := b.footer(), "reload: add 1? y/n"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
	if b.press("y"); len(b.engine.reloads) != 1 {
		t.Error("y did not reload")
	}
}

// TestC8_TheQuestionSaysWhatIsRestarted: a changed server runs, else its entry
// would be in force already, and a reload starts it anew or stops it.
func TestC8_TheQuestionSaysWhatIsRestarted(t *testing.T) {
	three := []model.Change{{Server: "a"}, {Server: "b", Stops: true}, {Server: "c"}}
	for want, r := range map[string]model.Reload{
		"reload: restart 2 changed, stop 1 disabled of 60 servers? y/n":              {Before: 60, Changed: three},
		"reload: stop 1 disabled of 60 servers? y/n":                                 {Before: 60, Changed: three[1:2]},
		"reload: add 1, restart 1 changed, remove 1 of 60 servers? y/n":              {Before: 60, Changed: three[:1], Added: []string{"d"}, Removed: []string{"e"}},
		"reload removes most of them: restart 1 changed, remove 2 of 3 servers? y/n": {Before: 3, Changed: three[:1], Removed: []string{"d", "e"}},
		"reload: add 2? y/n": {Added: []string{"d", "e"}},
	} {
		if got := reloadText(r); got != want {
			t.Errorf("the question is %q\nwant            %q", got, want)
		}
	}
}
