package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
