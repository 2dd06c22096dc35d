package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/alert"
	"rollcall/config"
	"rollcall/model"
)

// failuresOf runs rollcall failures on a folder.
func failuresOf(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(dir, "servers.toml")
	write(t, path, "[log]\ndir = \".\"\n")
	return rollcallCommand(t, "failures", "-c", path)
}

const aFailure = `{"at":"2026-11-30T08:00:03.005Z","server":"github","kind":"down","attempt":5,"error":"no"}` + "\n"

// TestA4_WhatOfTheLogIsNotShownIsNamed: the rest of it is shown.
func TestA4_WhatOfTheLogIsNotShownIsNamed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "failures-2026-11-30T09-00-00.000.log"), aFailure)
	if err := syscall.Mkfifo(filepath.Join(dir, "failures.log"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := failuresOf(t, dir)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != exitFailure || !strings.Contains(out.String(), "github") ||
		!strings.Contains(errs.String(), "failures.log could not be read to its end, after 0 records: no regular file") {
		t.Errorf("%v, %q, %q", err, out.String(), errs.String())
	}
}

// TestX4_AReaderThatHasHadEnoughIsNoFailure, and no signal's end.
func TestX4_AReaderThatHasHadEnoughIsNoFailure(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "failures.log"), strings.Repeat(aFailure, 10_000))
	cmd := failuresOf(t, dir)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = w, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := cmd.Wait(); err != nil || errs.Len() > 0 {
		t.Errorf("%v, %q", err, errs.String())
	}
}

// TestA4_ConfigurationsThatShareALogAreToldApart: what an engine wrote is read
// back by its own configuration, whatever link it is named by. A line that does
// not say whose it is, as older versions wrote them, may be of any.
func TestA4_ConfigurationsThatShareALogAreToldApart(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "failures.log"), aFailure)
	link := filepath.Join(dir, "link.toml")
	for _, name := range []string{"one", "two"} {
		path := filepath.Join(dir, name+".toml")
		write(t, path, "[log]\ndir = \".\"\n")
		file, err := config.Load(path, processEnv())
		if err != nil {
			t.Fatal(err)
		}
		log := newOutlets(file, hostName(), newKnown(nil)).log
		log.Event(model.Event{At: time.Now(), Kind: model.EvDown, Server: "of-" + name, Attempt: model.Some(5)}, 3)
		log.Close()
		if name == "one" {
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ args, want, said string }{
		{"-c one.toml", "github of-one", "2 lines of other configurations not shown: --all shows all"},
		{"-c ./two.toml", "github of-two", "2 lines of other configurations not shown"},
		{"-c link.toml", "github of-one", "2 lines of other configurations not shown"},
		{"-c one.toml --since 1h of-two", "", "2 lines of other configurations not shown"},
		{"-c one.toml --all", "github of-one of-two", ""},
		{"-c one.toml --all of-two", "of-two", ""},
	} {
		cmd := rollcallCommand(t, append([]string{"failures", "--json"}, strings.Fields(c.args)...)...)
		cmd.Dir = dir
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatal(err, errs.String())
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			var r alert.Record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			if r.Kind != alert.Gap {
				got = append(got, r.Server)
			}
		}
		if strings.Join(got, " ") != c.want || !strings.Contains(errs.String(), c.said) || c.said == "" && errs.Len() > 0 {
			t.Errorf("%s: %v, and said %q", c.args, got, errs.String())
		}
	}
	cmd := rollcallCommand(t, "failures", "--all", "-c", link)
	out, err := cmd.Output()
	whose := " (" + configName(filepath.Join(dir, "two.toml")).String() + ")\n"
	if err != nil || !strings.Contains(string(out), "down (attempt 5)"+whose) || !strings.Contains(string(out), "3 lines are missing here"+whose) {
		t.Errorf("%v\n%s", err, out)
	}
}
