package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollcall/model"
)

// clientsFile is a client's file whose one server runs here.
const clientsFile = `{
  // trailing commas and comments are read
  "mcpServers": {
    "my server": { "command": "${ROLLCALL_EXE}", "args": ["demo", "healthy"], "env": { "DEMO_TOKEN": "hunter2hunter2" }, },
    "later": { "command": "${ROLLCALL_EXE}", "args": ["demo", "healthy"], "disabled": true },
  },
}`

// TestC10_FromAnotherClientsFileToRunningServers imports a file and runs what
// comes of it, and runs the file itself; an order reads it from the disk anew.
func TestC10_FromAnotherClientsFileToRunningServers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, clientsFile)
	var out, errs bytes.Buffer
	if err := (&app{out: &out, err: &errs}).importFiles([]string{path}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String()+errs.String(), "hunter2") || !strings.Contains(errs.String(), "export DEMO_TOKEN=…") {
		t.Errorf("%s\n%s", &out, &errs)
	}

	t.Setenv("DEMO_TOKEN", "hunter2hunter2")
	d, _ := openDeck(t, out.String())
	until(t, d, "my-server", in(model.Settling))
	until(t, d, "later", in(model.Off))

	direct, err := (&app{config: path}).open()
	if err != nil {
		t.Fatal(err)
	}
	direct.start()
	t.Cleanup(func() {
		if err := direct.stop(); err != nil {
			t.Error(err)
		}
	})
	before := until(t, direct, "my-server", in(model.Settling))
	direct.engine.Do(model.Order{ID: "1", Verb: model.Restart, Server: "my-server"})
	until(t, direct, "my-server", func(r *model.Row) bool { return r.Phase == model.Settling && r.Run > before.Run })
	if text, err := os.ReadFile(path); err != nil || string(text) != clientsFile {
		t.Error("the client's file was touched")
	}
}
