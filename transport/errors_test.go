package transport

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"rollcall/model"
	"rollcall/redact"
)

// TestErrorsSayWhatAnOperatorNeeds has one failure of each kind: what must be
// in its report, and, among the lines told before Reaped, what the server said
// last. The url's query, which no field names as a secret, is never in either.
func TestErrorsSayWhatAnOperatorNeeds(t *testing.T) {
	const query = "?token=sesame"
	h := newHost(t)
	dialled := func(via model.Transport, flags ...string) *model.Spec {
		return urlSpec(via, listen(t, flags...).url+query)
	}
	missing := commandSpec("uvx")
	missing.Launch.Env = []model.Pair{{Name: "PATH", Value: redact.NewSecret("/opt/none")}}
	refusing := urlSpec(model.WebSocket, socketServer(t, func(c *websocket.Conn, req *http.Request) {
		_, _, _ = c.Read(req.Context())
		_ = c.Close(1008, "policy violation")
	})+"/"+query)
	for _, c := range []struct {
		name string
		spec *model.Spec
		want string // in the report
		last string // among the lines
	}{
		{"exit code", commandSpec("/bin/sh", "-c", "/bin/sleep 0.1; echo cannot open the database >&2; exit 3"), "exit code 3", "stderr: cannot open the database"},
		{"signal", commandSpec("/bin/sh", "-c", "/bin/sleep 0.1; echo oh >&2; kill -SEGV $$"), "signal: segmentation fault", "stderr: oh"},
		{"PATH", missing, "uvx not found: install uv, then c; searched PATH=/opt/none", ""},
		{"close code", refusing, "close code 1008: policy violation", ""},
		{"HTTP status", dialled(model.HTTP, "http", "--status", "500"), "HTTP 500 Internal Server Error", ""},
		{"a WebSocket's HTTP status", dialled(model.WebSocket, "ws", "--status", "502"), "HTTP 502 Bad Gateway", ""},
		{"credentials", dialled(model.HTTP, "http", "--status", "401"), "needs credentials: set headers in its entry, then c (HTTP 401)", ""},
		{"redirect", dialled(model.HTTP, "http", "--page", "redirect"), "/login: if that is right, make it the url", ""},
		{"page", dialled(model.HTTP, "http", "--page", "login"), "of type text/html", ""},
		{"no WebSocket there", dialled(model.WebSocket, "http"), "HTTP 405 Method Not Allowed", ""},
		{"refused", urlSpec(model.HTTP, "http://"+freeAddress(t)+"/"+query), "connection refused", ""},
		{"answered with an error", dialled(model.HTTP, "http", "--initialize", "error"), "error -32603: the database is locked", ""},
		{"revision", dialled(model.WebSocket, "ws", "--revision", "1999-01-01"), "protocol version 1999-01-01; rollcall speaks 2024-11-05 to 2026-07-28", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, h, c.spec, func(d *model.Dial) { d.Legacy = true })
			end := await[model.Closed](w).End
			report := end.Reason().String()
			if !strings.Contains(report, c.want) {
				t.Errorf("%s: %s", end.Cause, report)
			}
			await[model.Reaped](w)
			if c.last != "" && !strings.Contains(w.String(), c.last) {
				t.Errorf("%s was not told before the reap\n%s", c.last, w)
			}
			if strings.Contains(report+w.String(), "sesame") || strings.Contains(report, "token=") {
				t.Errorf("the query was told: %s\n%s", report, w)
			}
		})
	}
}
