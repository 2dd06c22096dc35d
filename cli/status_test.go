package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// TestX3_StatusWritesAllTimesAlike: in UTC, with milliseconds.
func TestX3_StatusWritesAllTimesAlike(t *testing.T) {
	at := time.Date(2026, 11, 30, 4, 5, 6, 789_000_000, time.FixedZone("east", 3600))
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	if err := statusLines(out, model.Fleet{At: at, Rows: []*model.Row{{Server: "a", Since: at, Next: at, DownSince: at}, {Server: "b", Since: at}}}); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(&b)
	for _, times := range [][]string{{"at", "since", "next", "down_since"}, {"at", "since"}} {
		var line map[string]any
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"at", "since", "next", "down_since"} {
			want := any("2026-11-30T03:05:06.789Z")
			if len(times) == 2 && (key == "next" || key == "down_since") {
				want = nil
			}
			if line[key] != want {
				t.Errorf("%s of %s: %v, want %v", key, line["server"], line[key], want)
			}
		}
	}
}

func TestN3_StatusNamesCommandsWhereTheDashboardNamesKeys(t *testing.T) {
	for text, want := range map[redact.Safe]string{
		redact.Word("npx not found: install Node.js, then c; searched PATH=/bin"): "npx not found: install Node.js, then rollcall connect a; searched PATH=/bin",
		redact.Word("needs credentials: set TOKEN, then c (HTTP 401)"):            "needs credentials: set TOKEN, then rollcall connect a (HTTP 401)",
		redact.Word("no program for this machine; then c"):                        "no program for this machine; then rollcall connect a",
		redact.Word("gone: c connects"):                                           "gone: rollcall connect a",
		redact.Word("its entry changed: r applies it"):                            "its entry changed: rollcall restart a",
		redact.Word("first a, then clean up"):                                     "first a, then clean up",
	} {
		if got := remark(&model.Row{Server: "a", Note: text}).String(); got != want {
			t.Errorf("%q as a note: %q", text, got)
		}
		if got := remark(&model.Row{Server: "a", LastFailure: text}).String(); got != want {
			t.Errorf("%q as a failure: %q", text, got)
		}
	}
}
