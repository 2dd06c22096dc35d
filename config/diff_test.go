package config

import (
	"strings"
	"testing"

	"rollcall/model"
)

func TestC8_TheDiffNamesServersAndFields(t *testing.T) {
	const canary = "canary-4711-canary"
	before := load(t, `
[servers.same]
command = "x"
[servers.retagged]
command = "x"
tags = ["a"]
[servers.args]
command = "x"
args = ["--token", "`+canary+`1"]
env = { KEPT = "`+canary+`", TOKEN = "`+canary+`2", OLD = "`+canary+`3" }
[servers.web]
url = "https://h/?key=`+canary+`4"
headers = { Authorization = "Bearer `+canary+`5" }
[servers.stops]
command = "x"
[servers.bad]
command = "x"
[servers.was-bad]
command = false
[servers.still-bad]
command = false
[servers.quiet]
command = "x"
secrets = { PIN = "`+canary+`6" }
[servers.old]
command = "x"
`, testEnv())
	now := load(t, `
[servers.new]
command = "x"
[servers.new-bad]
command = false
[servers.same]
command = "x"
[servers.retagged]
command = "x"
tags = ["b"]
[servers.args]
command = "y"
args = ["--token", "`+canary+`7"]
cwd = "/"
env = { KEPT = "`+canary+`", TOKEN = "`+canary+`8", NEW = "`+canary+`9" }
[servers.web]
url = "wss://h/?key=`+canary+`a"
headers = { Authorization = "Bearer `+canary+`b" }
protocol_version = "2024-11-05"
probe_interval = "9s"
reconnect = false
[servers.stops]
command = "x"
enabled = false
[servers.bad]
command = false
[servers.was-bad]
command = "x"
[servers.still-bad]
command = false
[servers.quiet]
command = "x"
secrets = { PIN = "`+canary+`c" }
`, testEnv())
	d := Diff(before.Entries, now.Entries)
	const want = `remove  old
change  args: command, args, env.NEW, env.OLD, env.TOKEN, cwd; restarts
change  web: url, headers.Authorization, protocol, protocol_version, reconnect, probe_interval; restarts
change  stops: enabled; stops
change  was-bad: was refused before; restarts
change  quiet: secrets; restarts
add     new
add     new-bad
refused new-bad: rollcall check says why; what runs of it stays
refused bad: rollcall check says why; what runs of it stays
`
	if got := d.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	const line = "add new, new-bad; change args (command, args, env.NEW, env.OLD, env.TOKEN and 1 more), " +
		"web (url, headers.Authorization, protocol, protocol_version, reconnect and 1 more), stops (enabled), was-bad, quiet (secrets); remove old"
	if got := d.Line().String(); got != line {
		t.Errorf("in a line %q\nwant %q", got, line)
	}
	if got, want := d.Count().String(), "add 2, change 5, remove 1"; got != want {
		t.Errorf("counted %q, want %q", got, want)
	}
	if strings.Contains(d.Text()+d.Line().String(), "canary") {
		t.Error("the diff holds a value")
	}
	if d := Diff(now.Entries, now.Entries); !d.IsZero() || d.Before != 11 {
		t.Errorf("of the same: %+v", d)
	}
}

func TestC8_MoreThanHalfIsDrastic(t *testing.T) {
	entries := func(names string) (out []model.Entry) {
		for _, name := range strings.Split(names, "") {
			out = append(out, model.Entry{Name: name, Spec: &model.Spec{Name: name}})
		}
		return out
	}
	for _, c := range []struct {
		before, now string
		drastic     bool
	}{
		{"", "abcd", false}, {"a", "a", false}, {"a", "", true}, {"a", "b", true}, {"ab", "a", false}, {"abc", "a", true},
		{"abcd", "ab", false}, {"abcd", "axyz", true}, {"abcd", "", true}, {"abcde", "abc", false},
	} {
		if d := Diff(entries(c.before), entries(c.now)); d.Drastic() != c.drastic {
			t.Errorf("%q to %q: drastic %t, want %t", c.before, c.now, !c.drastic, c.drastic)
		}
	}
}
