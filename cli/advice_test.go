package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestD7_WhatIsWrongIsSaidWithWhatToDo has serve read entries that cannot come
// up as they are, and looks at why each is halted.
func TestD7_WhatIsWrongIsSaidWithWhatToDo(t *testing.T) {
	var text strings.Builder
	entry := func(name, demo, scheme, query, headers string) {
		port := freePort(t)
		fmt.Fprintf(&text, "[servers.%s]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", %q, \"--listen\", \"127.0.0.1:%s\", \"--authorization\", \"Bearer right-4711\"]\n"+
			"url = \"%s://127.0.0.1:%s/mcp%s\"\nheaders = { %s }\n", name, demo, port, scheme, port, query, headers)
	}
	const bearer = `Authorization = "Bearer ${D7_TOKEN}", X-Team = "${D7_TEAM}"`
	entry("http", "http", "http", "", bearer)
	entry("ws", "ws", "ws", "", bearer)
	entry("query", "http", "http", "?as=${D7_TEAM}", "")
	entry("bare", "http", "http", "", "")
	text.WriteString("[servers.missing]\ncommand = \"npx\"\nenv = { PATH = \"/no/such/folder\" }\n")
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, text.String())

	want := map[string]string{
		"http":    "needs credentials: set D7_TOKEN, then c (HTTP 401)",
		"ws":      "needs credentials: set D7_TOKEN, then c (HTTP 401)",
		"query":   "needs credentials: set D7_TEAM, then c (HTTP 401)",
		"bare":    "needs credentials: set headers in its entry, then c (HTTP 401)",
		"missing": "npx not found: install Node.js, then c; searched PATH=/no/such/folder",
	}
	cmd := rollcallCommand(t, "serve", "--json", "-c", path)
	cmd.Env = append(cmd.Env, "D7_TOKEN=wrong-4711", "D7_TEAM=the-blue-team")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for ev := range eventsOf(out) {
		if ev.Event != "halted" {
			continue
		}
		if ev.Error != want[ev.Server] {
			t.Errorf("%s: %q, want %q", ev.Server, ev.Error, want[ev.Server])
		}
		if delete(want, ev.Server); len(want) == 0 {
			break
		}
	}
	if len(want) > 0 {
		t.Errorf("not halted: %v", want)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
