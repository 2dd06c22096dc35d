package cli

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestD7_WhatIsWrongIsSaidWithWhatToDo has serve read entries that cannot come
// up as they are, and looks at why each is halted.
func TestD7_WhatIsWrongIsSaidWithWhatToDo(t *testing.T) {
	var text strings.Builder
	t.Parallel()
	entry := func(name, demo, scheme, query, headers string) {
		addr := freeAddress(t)
		fmt.Fprintf(&text, "[servers.%s]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", %q, \"--listen\", %q, \"--authorization\", \"Bearer right-4711\"]\n"+
			"url = \"%s://%s/mcp%s\"\nheaders = { %s }\n", name, demo, addr, scheme, addr, query, headers)
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

// addresses counts what freeAddress has given away.
var addresses atomic.Uint32

// freeAddress is a loopback address on which nobody listens, and nobody else will
// before it is used: where the system has more of them than 127.0.0.1, no other
// process and no other test has its host.
func freeAddress(t *testing.T) string {
	t.Helper()
	pid := os.Getpid()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+pid>>8%250, pid%256, 1+addresses.Add(1)%250))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
