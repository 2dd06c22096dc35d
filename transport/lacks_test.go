package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollcall/model"
	"rollcall/redact"
)

// TestT6_AServerThatReadNothingDoesNotRefuseDiscovery: it exits while it is sent
// that, before, or after.
func TestT6_AServerThatReadNothingDoesNotRefuseDiscovery(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var runs []*watched
	for _, code := range []string{"3", "126", "127"} {
		for range 15 { // which of them comes first is a race
			runs = append(runs, start(t, h, commandSpec("/bin/sh", "-c", "exit "+code)))
		}
	}
	for _, w := range runs {
		if end := await[model.Closed](w).End; end.Cause != model.Exited {
			t.Errorf("closed: %+v", end)
		}
	}
}

func TestT6_AWrapperThatCannotRunItsServerDoesNotRefuseDiscovery(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for code, cause := range map[string]model.Cause{"126": model.Exited, "127": model.Exited, "1": model.DiscoveryRefused} {
		w := start(t, h, commandSpec("/bin/sh", "-c", "read request; exit "+code))
		if end := await[model.Closed](w).End; end.Cause != cause {
			t.Errorf("closed: %+v", end)
		}
	}
}

func TestT6_WhatWasNotReadIsKnownAtWhateverTime(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll([]*os.File{out, in})
	p := &process{stdin: in}
	if !p.unheard() {
		t.Error("it read what was not sent yet")
	}
	if err := p.write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if unread(in) && !p.unheard() { // elsewhere than on Linux it cannot be told
		t.Error("it read what is in the pipe")
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	if p.unheard() {
		t.Error("it has read everything")
	}
	r := &Run{}
	r.setDiscovery(discoveryUnread)
	r.setDiscovery(discoveryAsked) // what was sent meanwhile
	if r.discovery != discoveryUnread {
		t.Error("a process that has exited may still be asked")
	}
}

func TestD7_WhatALaunchLacksIsSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	script := func(text string) *model.Spec {
		path := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return commandSpec(path)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spec *model.Spec
		want string
	}{
		"env":       {script("#!/usr/bin/env nosuchnode\n"), "nosuchnode not found, which it needs: install it, name its whole path, or set PATH in env; launched with PATH=/opt/none (exit code 127)"},
		"a shell":   {script("#!/bin/sh\nnpx server\n"), "npx not found, which it needs: install Node.js; launched with PATH=/opt/none (exit code 127)"},
		"exec":      {script("#!/bin/sh\nexec uvx server\n"), "uvx not found, which it needs: install uv; launched with PATH=/opt/none (exit code 127)"},
		"a path":    {script("#!/bin/sh\n/no/such/node server.js\n"), "/no/such/node not found, which it needs: install Node.js (exit code 127)"},
		"nothing":   {script("#!/bin/sh\nexit 127\n"), "a program that it needs was not found: see its stderr; launched with PATH=/opt/none (exit code 127)"},
		"mode":      {script("#!/bin/sh\nexec " + plain + "\n"), plain + " cannot be run, which it needs: check that it is executable, and built for this machine (exit code 126)"},
		"returns":   {script("#!/usr/bin/env nosuch\r\n"), "nosuch and a carriage return is the interpreter named: take the carriage returns out of the file (exit code 127)"},
		"a secret":  {script("#!/bin/sh\nghp_0123456789abcdefghijkl\n"), "‹TOKEN› not found, which it needs: install it, name its whole path, or set PATH in env; launched with PATH=/opt/none (exit code 127)"},
		"a library": {script("#!/bin/sh\necho 'node: error while loading shared libraries: libz.so.1: cannot open shared object file: No such file or directory' >&2\nexit 127\n"), "library libz.so.1 not found, which it needs: install it (exit code 127)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Launch.Env[0].Value = redact.NewSecret("/opt/none")
			w := start(t, h, c.spec)
			end := await[model.Closed](w).End
			if got := end.Reason().String(); end.Cause != model.Exited || got != c.want {
				t.Errorf("%v: %s\nwant %s\n%s", end.Cause, got, c.want, w)
			}
		})
	}
}

func TestLackedProgram(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"sh: 1: npx: not found":                                     "npx",
		"sh: npx: not found":                                        "npx",
		"bash: line 1: npx: command not found":                      "npx",
		"zsh:1: command not found: uvx":                             "uvx",
		"/usr/bin/env: ‘node’: No such file or directory":           "node",
		`/usr/bin/env: 'python3'$'\r': No such file or directory`:   `python3'$'\r`,
		"env: node: No such file or directory":                      "node",
		"env: can't execute 'node': No such file or directory":      "",
		"/x/server: 3: exec: node: not found":                       "node",
		"/x/server: line 3: exec: node: not found":                  "node",
		"./x: /no/such: bad interpreter: No such file or directory": "/no/such",
		"./x: cannot execute: required file not found":              "./x",
		"sh: 1: ./x: Permission denied":                             "./x",
		"/system/bin/sh: npx: inaccessible or not found":            "npx",
		"listening on port 80":                                      "",
		"error: not found":                                          "error",
		"not found":                                                 "",
		"":                                                          "",
	} {
		if got := lackedProgram(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if !strings.Contains(lackedLibrary("a: error while loading shared libraries: libz.so: no"), "libz.so") {
		t.Error("no library")
	}
}
