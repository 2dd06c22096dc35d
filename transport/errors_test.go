package transport

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

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
	script := func(text string) *model.Spec {
		path := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return commandSpec(path)
	}
	for _, c := range []struct {
		name string
		spec *model.Spec
		want string // in the report
		last string // among the lines
	}{
		{"exit code", commandSpec("/bin/sh", "-c", "/bin/sleep 0.1; echo cannot open the database >&2; exit 3"), "exit code 3", "stderr: cannot open the database"},
		{"signal", commandSpec("/bin/sh", "-c", "/bin/sleep 0.1; echo oh >&2; kill -SEGV $$"), "signal: segmentation fault", "stderr: oh"},
		{"PATH", missing, "uvx not found: install uv, then c; searched PATH=/opt/none", ""},
		{"interpreter", script("#!/no/such/node\n"), "names the interpreter /no/such/node, which is not found: install Node.js or mend its first line, then c", ""},
		{"carriage returns", script("#!/bin/sh\r\n"), "names the interpreter /bin/sh, which is not found: take the carriage returns out of the file, then c", ""},
		{"no program", script("hello"), "is no program for this machine: if it is a script, name its interpreter in its first line (#!/bin/sh)", ""},
		{"nothing answered", answering(`null`), "no protocol version in the server's answer to initialize; rollcall speaks 2024-11-05 to 2026-07-28", ""},
		{"text answered", answering(`"hello"`), "the answer to initialize is not as MCP has it: it is no object", ""},
		{"wrong field", answering(`{"protocolVersion":"2025-11-25","capabilities":{"tools":true}}`), "the answer to initialize is not as MCP has it: capabilities.tools is no object", ""},
		{"echo", commandSpec("/bin/cat"), "it sends back what it is sent (initialize): that is no MCP server", ""},
		{"close code", refusing, "close code 1008: policy violation", ""},
		{"HTTP status", dialled(model.HTTP, "http", "--status", "500"), "HTTP 500 Internal Server Error", ""},
		{"a WebSocket's HTTP status", dialled(model.WebSocket, "ws", "--status", "502"), "HTTP 502 Bad Gateway", ""},
		{"credentials", dialled(model.HTTP, "http", "--status", "401"), "needs credentials: set headers in its entry, then c (HTTP 401)", ""},
		{"redirect", dialled(model.HTTP, "http", "--page", "redirect"), "/login: if that is right, make it the url", ""},
		{"page", dialled(model.HTTP, "http", "--page", "login"), "the answer is text/html and no MCP: check the url", ""},
		{"no WebSocket there", dialled(model.WebSocket, "http"), "HTTP 405 Method Not Allowed", ""},
		{"refused", urlSpec(model.HTTP, "http://"+freeAddress(t)+"/"+query), "connection refused", ""},
		{"answered with an error", dialled(model.HTTP, "http", "--initialize", "error"), "error -32603: the database is locked, in answer to initialize", ""},
		{"revision", dialled(model.WebSocket, "ws", "--revision", "1999-01-01"), "unknown protocol version 1999-01-01 from the server; rollcall speaks 2024-11-05 to 2026-07-28", ""},
		{"revision refused", commandSpec("/bin/sh", "-c", `read request; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too new","data":{"supported":["1999-01-01"]}}}'; read more`),
			"protocol version refused: error -32602: too new; rollcall speaks 2024-11-05 to 2026-07-28", ""},
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

// answering is a server that answers each of the first three requests or
// notifications with a result of its own: to initialize, and, where that says
// that it has tools, to tools/list and a probe.
func answering(results ...string) *model.Spec {
	var b strings.Builder
	for i, result := range results {
		fmt.Fprintf(&b, `read request; echo '{"jsonrpc":"2.0","id":%d,"result":%s}'; `, i+1, result)
		if i == 0 {
			b.WriteString("read initialized; ")
		}
	}
	return commandSpec("/bin/sh", "-c", b.String()+"while read more; do :; done")
}

// TestP1_AnAnswerOfTheWrongShapeBreaksNothing: it was answered, so the connection
// stays, and a probe counts as an error (P3).
func TestP1_AnAnswerOfTheWrongShapeBreaksNothing(t *testing.T) {
	const shaken = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`
	w := start(t, newHost(t), answering(shaken, `{"tools":"many"}`, `7`), func(d *model.Dial) { d.Legacy = true })
	if tools := await[model.Connected](w).Tools; tools.Ok {
		t.Errorf("tools: %+v", tools)
	}
	p := probe(w, patience)
	if p.Outcome != model.ProbeError || p.Text.String() != "the answer to ping is not as MCP has it: it is no object" {
		t.Errorf("probe: %+v", p)
	}
	if told[model.Closed](w) {
		t.Errorf("it closed the connection\n%s", w)
	}
}

// TestL4_TheSDKsOwnWordIsNoAnswer: what ended the connection meanwhile is told.
func TestL4_TheSDKsOwnWordIsNoAnswer(t *testing.T) {
	r := &Run{spec: commandSpec("x")}
	for _, c := range []struct {
		code int64
		text string
		want bool
	}{
		{-32003, "client is closing", false}, {-32004, "server is closing: EOF", false},
		{-32003, "no such tenant", true}, {-32603, "client is closing", true},
	} {
		err := fmt.Errorf("calling %q: %w", "initialize", &jsonrpc.Error{Code: c.code, Message: c.text})
		if end, ok := r.answered(err); ok != c.want {
			t.Errorf("%v: %+v", err, end)
		}
	}
}

func TestAShortStartTimeoutIsNotSaidAsZero(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "never"), func(d *model.Dial) { d.Timeout = 200 * time.Microsecond })
	if text := await[model.Closed](w).End.Text.String(); !strings.HasPrefix(text, "no handshake within 1ms") {
		t.Error(text)
	}
}
