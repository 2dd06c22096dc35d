package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rollcall/model"
)

// untilFleet reads snapshots until one is as wanted.
func untilFleet(t *testing.T, d *deck, want func(model.Fleet) bool) model.Fleet {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var fleet model.Fleet
	for seen := uint64(0); ; seen = fleet.Seq {
		next, err := d.engine.Next(ctx, seen)
		if err != nil {
			t.Fatalf("%v; the last snapshot: note %q, waits %+v, %d rows", err, fleet.Note, fleet.Waits, len(fleet.Rows))
		}
		if fleet = next; want(fleet) {
			return fleet
		}
	}
}

// waits is a fleet with that much to reload.
func waits(w model.Waits) func(model.Fleet) bool {
	return func(f model.Fleet) bool { return f.Waits == w }
}

// connected is a fleet of n servers that are all connected.
func connected(n int) func(model.Fleet) bool {
	return func(f model.Fleet) bool {
		return len(f.Rows) == n && !slices.ContainsFunc(f.Rows, func(r *model.Row) bool { return r.Phase != model.Settling })
	}
}

// untilTold waits for an event of the configuration that says this.
func untilTold(t *testing.T, d *deck, text string) {
	t.Helper()
	untilFleet(t, d, func(model.Fleet) bool {
		return slices.ContainsFunc(d.engine.Events("", 0, 1000), func(ev model.Event) bool {
			return ev.Kind == model.EvConfig && ev.Server == "" && strings.Contains(ev.Text.String(), text)
		})
	})
}

// life is what stays the same while a connection lives, and no longer: a run has
// one at most.
type life struct {
	pid int
	run uint64
}

func lives(f model.Fleet) map[string]life {
	m := map[string]life{}
	for _, r := range f.Rows {
		m[r.Server] = life{r.PID, r.Run}
	}
	return m
}

// entry is a healthy server, with more of its fields.
func entry(name string, more ...string) string {
	return "[servers." + name + "]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\"]\n" + strings.Join(append(more, ""), "\n")
}

func entries(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(entry(name))
	}
	return b.String()
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("s%02d", i+1)
	}
	return names
}

func TestC8_UnchangedServersKeepTheirConnection(t *testing.T) {
	t.Parallel()
	names := numbered(20)
	d, path := openDeck(t, entries(names...))
	before := lives(untilFleet(t, d, connected(20)))

	write(t, path, entry("new")+entry("s01", `env = { MODE = "other" }`)+entry("s02", "probe_interval = true")+entries(names[3:]...))
	saved := untilFleet(t, d, waits(model.Waits{Added: 1, Changed: 1, Removed: 1}))
	if got := lives(saved); !maps.Equal(got, before) {
		t.Errorf("the save touched what runs:\n%v\n%v", before, got)
	}
	marks := map[string]string{"s01": "its entry changed: r applies it", "s02": "new entry refused: probe_interval: a boolean, where a duration belongs; the one in force stays",
		"s03": "no longer in the file: reload stops it"}
	for _, r := range saved.Rows {
		if got := r.Note.String(); got != marks[r.Server] {
			t.Errorf("%s is marked %q, want %q", r.Server, got, marks[r.Server])
		}
	}
	pending := d.files.Pending()
	const want = "remove  s03\nchange  s01: env.MODE; restarts\nadd     new\nrefused s02: rollcall check says why; what runs of it stays\n"
	if got := pending.Text(); got != want {
		t.Fatalf("a reload would\n%swant\n%s", got, want)
	}

	if _, ok := d.files.Reload(pending); !ok {
		t.Fatal("what was shown was not applied")
	}
	reloaded := untilFleet(t, d, func(f model.Fleet) bool { return connected(20)(f) && lives(f)["s01"].run > before["s01"].run })
	after := lives(reloaded)
	if _, there := after["s03"]; there || after["new"].pid == 0 || after["s01"].pid == before["s01"].pid {
		t.Errorf("s03 is there: %t, new has pid %d, s01 had %d and has %d", there, after["new"].pid, before["s01"].pid, after["s01"].pid)
	}
	for _, name := range []string{"s01", "s03", "new"} {
		delete(before, name)
		delete(after, name)
	}
	if !maps.Equal(after, before) {
		t.Errorf("unchanged servers were touched:\n%v\n%v", before, after)
	}
	if reloaded.Waits != (model.Waits{}) || reloaded.Rows[0].Server != "new" {
		t.Errorf("after the reload %+v waits, the first row is %s", reloaded.Waits, reloaded.Rows[0].Server)
	}
}

func TestC8_WhatWasNotShownIsNotApplied(t *testing.T) {
	t.Parallel()
	d, path := openDeck(t, entries("a", "b"))
	untilFleet(t, d, connected(2))
	write(t, path, entries("a", "b", "c"))
	shown := d.files.Pending()
	write(t, path, entries("a"))
	now, ok := d.files.Reload(shown)
	if ok || now.Text() != "remove  b\n" {
		t.Errorf("applied %t, it would %q", ok, now.Text())
	}
	if f := untilFleet(t, d, waits(model.Waits{Removed: 1})); len(f.Rows) != 2 {
		t.Errorf("%d servers, want both", len(f.Rows))
	}
}

func TestC8_ABrokenFileChangesNothingUntilItIsMended(t *testing.T) {
	t.Parallel()
	d, path := openDeck(t, entries("a", "b"))
	before := lives(untilFleet(t, d, connected(2)))

	write(t, path, entries("a", "b")+"[servers.c\n")
	broken := untilFleet(t, d, func(f model.Fleet) bool { return !f.Note.IsZero() })
	if note := broken.Note.String(); !strings.HasPrefix(note, "servers.toml:7: ") {
		t.Errorf("the note does not begin with the place: %q", note)
	}
	if r := d.files.Pending(); r.Problem != broken.Note {
		t.Errorf("a reload would: %+v", r)
	}
	d.files.reload()
	untilTold(t, d, "not reloaded: servers.toml:7: ")

	write(t, path, "") // a save that is under way, or went wrong
	emptied := untilFleet(t, d, func(f model.Fleet) bool { return f.Note.IsZero() && f.Waits.Removed == 2 })
	d.files.reload()
	untilTold(t, d, "not reloaded: the file has no servers, and 2 are in force")

	write(t, path, entries("a", "b"))
	mended := untilFleet(t, d, waits(model.Waits{}))
	for _, f := range []model.Fleet{broken, emptied, mended} {
		if got := lives(f); !maps.Equal(got, before) {
			t.Errorf("what runs was touched:\n%v\n%v", before, got)
		}
	}
}

func TestC8_AutoAppliesAtOnceButAsksBeforeItRemovesMost(t *testing.T) {
	t.Parallel()
	const auto = "[defaults]\nreload = \"auto\"\n"
	d, path := openDeck(t, auto+entries("a", "b", "c", "d"))
	untilFleet(t, d, connected(4))

	write(t, path, auto+entries("b", "c", "d", "e"))
	after := untilFleet(t, d, func(f model.Fleet) bool { return connected(4)(f) && f.Rows[3].Server == "e" })
	untilTold(t, d, "reloaded: add e; remove a")

	write(t, path, auto+entries("b"))
	untilTold(t, d, `reload = "auto" would remove 3 of 4 servers, so nothing was applied: remove c, d, e: R applies it`)
	if f := untilFleet(t, d, waits(model.Waits{Removed: 3})); !maps.Equal(lives(f), lives(after)) {
		t.Errorf("what runs was touched:\n%v\n%v", lives(after), lives(f))
	}
	if _, ok := d.files.Reload(d.files.Pending()); !ok {
		t.Error("confirmed, and not applied")
	}
	untilFleet(t, d, connected(1))
}

func TestO2_ARefusalNamesTheFieldAndTouchesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := filepath.Join(dir, "a.env")
	write(t, env, "MODE=one\n")
	good := entry("a", "env_file = '"+env+"'")
	d, path := openDeck(t, good+entry("b"))
	before := lives(untilFleet(t, d, connected(2)))
	for i, c := range []struct {
		name, text, says string
		prepare          func() error
	}{
		{"an env_file that vanished", good + entry("b"), "env_file", func() error { return os.Remove(env) }},
		{"a variable that is not set", entry("a", `env = { TOKEN = "${NOT_SET_ANYWHERE}" }`) + entry("b"), "NOT_SET_ANYWHERE", nil},
		{"a cwd that is not there", entry("a", `cwd = "/not/there"`) + entry("b"), "cwd", nil},
		{"an entry that was removed", entry("b"), "is not in", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.prepare != nil {
				if err := c.prepare(); err != nil {
					t.Fatal(err)
				}
			}
			write(t, path, c.text)
			id := fmt.Sprint(i)
			d.engine.Do(model.Order{ID: id, Verb: model.Restart, Server: "a"})
			answer := answerOf(t, d, id)
			if answer.Outcome.String() != "refused" || answer.Elsewhere || !strings.Contains(answer.Text.String(), c.says) {
				t.Errorf("the answer is %s: %q, want a refusal that names %s", answer.Outcome, answer.Text, c.says)
			}
			f := untilFleet(t, d, func(model.Fleet) bool { return true })
			if got := lives(f); !maps.Equal(got, before) {
				t.Errorf("what runs was touched:\n%v\n%v", before, got)
			}
		})
	}
}

func TestS_AnEntryRemovedAndAddedAgainWhileItStopsIsNew(t *testing.T) {
	t.Parallel()
	slow := strings.Replace(entry("slow", `stop_grace = "1m"`), "healthy", "stubborn", 1)
	d, path := openDeck(t, slow+entry("a"))
	before := lives(untilFleet(t, d, connected(2)))
	write(t, path, entry("a"))
	d.files.reload()
	until(t, d, "slow", in(model.Stopping))
	write(t, path, strings.Replace(slow, "1m", "100ms", 1)+entry("a"))
	d.files.reload()
	if err := syscall.Kill(before["slow"].pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	untilFleet(t, d, func(f model.Fleet) bool {
		if alive(before["slow"].pid) && lives(f)["slow"].run > before["slow"].run {
			t.Fatal("it was launched before the old one was reaped")
		}
		return connected(2)(f) && lives(f)["slow"].pid != before["slow"].pid
	})
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestS_EnabledTurnedOffStopsUponReloadAndOnStartsAtOnce(t *testing.T) {
	t.Parallel()
	d, path := openDeck(t, entries("a", "b"))
	before := lives(untilFleet(t, d, connected(2)))
	write(t, path, entry("a", "enabled = false", `tags = ["new"]`)+entry("b", `tags = ["new"]`))
	marked := until(t, d, "a", func(r *model.Row) bool { return r.Note.String() == "disabled in the file: reload stops it" })
	if marked.PID != before["a"].pid {
		t.Error("a save stopped it")
	}
	if got, want := d.files.Pending().Text(), "change  a: enabled; stops\n"; got != want {
		t.Errorf("a reload would %q, want %q", got, want)
	}
	if b := until(t, d, "b", func(r *model.Row) bool { return len(r.Shown.Tags) == 1 }); b.PID != before["b"].pid {
		t.Error("a tag restarted it")
	}
	d.files.reload()
	until(t, d, "a", in(model.Off))
	write(t, path, entries("a", "b"))
	until(t, d, "a", in(model.Settling))

	d.engine.Do(model.Order{ID: "1", Verb: model.Disconnect, Server: "a"})
	until(t, d, "a", in(model.Off))
	write(t, path, entry("a", "enabled = false")+entry("b"))
	d.files.reload()
	write(t, path, entry("a", `env = { MODE = "other" }`)+entry("b"))
	d.files.reload()
	untilTold(t, d, "reloaded: what runs is as the file has it")
	if r := until(t, d, "a", func(*model.Row) bool { return true }); r.Phase != model.Off || r.HeldSince.IsZero() {
		t.Errorf("an operator disconnected it, and it is %s", r.Phase)
	}
}

// TestX2_SIGHUPReloadsServe runs the program itself: what waits is told, a
// SIGHUP applies it.
func TestX2_SIGHUPReloadsServe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, entries("a"))
	cmd := rollcallCommand(t, "serve", "--json", "-c", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(out)
	said := func(event, server, text string) {
		t.Helper()
		for {
			var ev struct{ Event, Server, Text string }
			if err := dec.Decode(&ev); err != nil {
				t.Fatalf("%s of %q, %q: %v", event, server, text, err)
			}
			if ev.Event == event && ev.Server == server && strings.Contains(ev.Text, text) {
				return
			}
		}
	}
	said("connected", "a", "")
	write(t, path, entries("a", "b"))
	said("config", "", "the configuration was saved, not applied yet: add b: rollcall reload --yes or SIGHUP applies it")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	said("config", "", "reloaded: add b")
	said("connected", "b", "")
	write(t, path, "[")
	said("config", "", "servers.toml:1: ")
	write(t, path, entries("a", "b"))
	said("config", "", "the configuration can be read again")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	said("off", "b", "")
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
}
