package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
)

// openDeck runs an engine on a configuration of the test's own.
func openDeck(t *testing.T, text string) (*deck, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, text)
	d, err := (&app{config: path}).open()
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	t.Cleanup(func() {
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	})
	return d, path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// until reads snapshots until a server's row is as wanted.
func until(t *testing.T, d *deck, server string, want func(*model.Row) bool) *model.Row {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last *model.Row
	for seen := uint64(0); ; {
		fleet, err := d.engine.Next(ctx, seen)
		if err != nil {
			t.Fatalf("%s: %v; its row: %+v", server, err, last)
		}
		seen = fleet.Seq
		for _, r := range fleet.Rows {
			if r.Server == server {
				if last = r; want(r) {
					return r
				}
			}
		}
	}
}

func in(p model.Phase) func(*model.Row) bool {
	return func(r *model.Row) bool { return r.Phase == p }
}

func TestO2_ATypoNeverTakesDownWhatRuns(t *testing.T) {
	t.Parallel()
	const good = "[servers.a]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\"]\n"
	d, path := openDeck(t, good)
	before := until(t, d, "a", in(model.Settling))

	write(t, path, good+"reconnect_interval = true\n")
	d.engine.Do(model.Order{ID: "1", Verb: model.Restart, Server: "a"})
	answerOf(t, d, "1")
	refused := until(t, d, "a", func(r *model.Row) bool { return !r.Note.IsZero() })
	if note := refused.Note.String(); !strings.Contains(note, "a") || !strings.Contains(note, "reconnect_interval") {
		t.Errorf("the refusal names neither server nor field: %q", note)
	}
	if refused.PID != before.PID || refused.Run != before.Run || refused.Phase != model.Settling {
		t.Errorf("pid %d → %d, run %d → %d, %s: it was touched", before.PID, refused.PID, before.Run, refused.Run, refused.Phase)
	}

	write(t, path, good+"this is not TOML\n")
	d.engine.Do(model.Order{ID: "2", Verb: model.Restart, Server: "a"})
	answer := answerOf(t, d, "2")
	if answer.Outcome.String() != "refused" || !answer.Elsewhere {
		t.Errorf("a file that is broken elsewhere: %+v, want a refusal that offers the entry in force", answer)
	}

	d.engine.Do(model.Order{ID: "3", Verb: model.Restart, Server: "a", InForce: true})
	after := until(t, d, "a", func(r *model.Row) bool { return r.Phase == model.Settling && r.Run > before.Run })
	if after.PID == before.PID {
		t.Error("the restart did not launch anew")
	}
}

func answerOf(t *testing.T, d *deck, id string) model.Event {
	t.Helper()
	var answer model.Event
	until(t, d, "a", func(*model.Row) bool {
		for _, ev := range d.engine.Events("", 0, 100) {
			if ev.OrderID == id {
				answer = ev
				return true
			}
		}
		return false
	})
	return answer
}

func TestC5_OneBadEntryFailsAlone(t *testing.T) {
	t.Parallel()
	d, _ := openDeck(t, `
[servers.bad]
command = "sh"
probe_interval = false
[servers.folder]
command = "/"
[servers.nobody]
url = "http://127.0.0.1:1/mcp"
start_timeout = "2s"
[servers.a]
command = "${ROLLCALL_EXE}"
args = ["demo", "healthy"]
`)
	until(t, d, "a", in(model.Settling))
	until(t, d, "bad", in(model.Refused))
	if r := until(t, d, "folder", in(model.Halted)); !strings.Contains(r.LastFailure.String(), "folder") {
		t.Errorf("a command that is a folder: %q", r.LastFailure)
	}
	if r := until(t, d, "nobody", in(model.Waiting)); !strings.Contains(r.LastFailure.String(), "refused") {
		t.Errorf("a port that nobody listens on: %q", r.LastFailure)
	}
}

func TestX3_ServeWritesEventsAndStopsInOrder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, `
[servers.a]
command = "${ROLLCALL_EXE}"
args = ["demo", "flap"]
env = { TOKEN = "canary-4711-canary" }
`)
	cmd := rollcallCommand(t, "serve", "--json", "--logs", "-c", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var raw strings.Builder
	for dec := json.NewDecoder(out); ; {
		var m map[string]any
		if err := dec.Decode(&m); err != nil {
			break // end of file: it has stopped
		}
		b, _ := json.Marshal(m)
		raw.Write(b)
		for _, key := range []string{"at", "event", "server", "run"} {
			if _, ok := m[key]; !ok {
				t.Errorf("no %q in %s", key, b)
			}
		}
		kind, _ := m["event"].(string)
		seen[kind] = true
		if seen["attempt-failed"] && seen["stderr"] {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM: %v, want exit 0", err)
	}
	for _, kind := range []string{"starting", "connected", "attempt-failed", "stderr"} {
		if !seen[kind] {
			t.Errorf("no %s among the events", kind)
		}
	}
	if strings.Contains(raw.String(), "canary-4711") || !strings.Contains(raw.String(), "‹TOKEN›") {
		t.Error("the token is not redacted")
	}
}

func TestStateFileKeepsAndForgets(t *testing.T) {
	dir := t.TempDir()
	s := newStateFile(dir, "x.toml")
	if got, err := s.Load(); err != nil || len(got) != 0 {
		t.Fatalf("a file that is not there: %v, %v", got, err)
	}
	want := map[string]supervise.Saved{"a": {HeldBy: redact.Word("anna"), HeldSince: time.Unix(1, 0).UTC()}}
	if err := s.Save(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load()
	if err != nil || got["a"] != want["a"] {
		t.Errorf("loaded %+v, %v", got, err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("%d files in the folder, %v; want the state alone", len(list), err)
	}
}
