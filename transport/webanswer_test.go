package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"rollcall/model"
)

// TestAStalledBodyEndsNoConnection: what is asked meanwhile times out, and the
// rest is answered.
func TestAStalledBodyEndsNoConnection(t *testing.T) {
	t.Parallel()
	stallsEvents := func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": here it comes\n\ndata: {\"jsonrpc\":")
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	}
	late := func(w http.ResponseWriter, req *http.Request) { // after more than is looked at
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","x":"`)
		_, _ = w.Write(bytes.Repeat([]byte{'x'}, 3*bigMessage/2))
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	}
	for name, stall := range map[string]func(http.ResponseWriter, *http.Request){
		"json":   func(w http.ResponseWriter, req *http.Request) { stalls(w, req, http.StatusOK) },
		"events": stallsEvents, "long": late,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.waits.discover, h.waits.settle = 300*time.Millisecond, 500*time.Millisecond
			first := once("ping", stall)
			s := webServer(t, func(w http.ResponseWriter, req *http.Request, method string) bool {
				if method == methodDiscover || method == methodListTools {
					stall(w, req)
					return true
				}
				return first(w, req, method)
			})
			w := start(t, h, urlSpec(model.HTTP, s.URL))
			if tools := await[model.Connected](w).Tools; tools.Ok || !await[model.Handshaken](w).Handshake.Legacy {
				t.Errorf("tools: %+v", tools)
			}
			if p := probe(w, 300*time.Millisecond); p.Outcome != model.TimedOut {
				t.Errorf("the probe that stalls: %+v", p)
			}
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("the next probe: %+v\n%s", p, w)
			}
		})
	}
}

const toNobody = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`

// rpc is a request as answering sees it.
type rpc struct {
	ID     json.RawMessage
	Method string
}

// sound is what a server of 2025-11-25 answers.
func (m rpc) sound() string {
	result := `{}`
	switch m.Method {
	case methodDiscover:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	case methodInitialize:
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`
	case methodListTools:
		result = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// webAnswers is the url of a server that answers each request with a body of a
// media type.
func webAnswers(t *testing.T, media string, body func(m rpc) string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var m rpc
		if json.NewDecoder(req.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, body(m))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestT2_WhatElseComesWithAnAnswerIsNoise: over HTTP as on stdout.
func TestT2_WhatElseComesWithAnAnswerIsNoise(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	const notification = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`
	for name, c := range map[string]struct {
		media string
		body  func(m rpc) string
		noise string // none: the rest is JSON-RPC
	}{
		"a line before":         {"application/json", func(m rpc) string { return "listening on 80\n" + m.sound() }, "listening on 80"},
		"a line after":          {"application/json", func(m rpc) string { return m.sound() + "\nanswered in 3 ms\n" }, ""},
		"a line of JSON before": {"application/json", func(m rpc) string { return `{"level":"info"}` + "\n" + m.sound() }, `{"level":"info"}`},
		"lines around lines": {"application/json", func(m rpc) string {
			return "[1] ready\n" + strings.ReplaceAll(m.sound(), ",", ",\n")
		}, "[1] ready"},
		"a notification before": {"application/json", func(m rpc) string { return notification + "\n" + m.sound() }, ""},
		"an error to nobody":    {"application/json", func(m rpc) string { return toNobody + "\n" + m.sound() }, toNobody},
		"a batch":               {"application/json", func(m rpc) string { return "[" + notification + "," + m.sound() + "]" }, ""},
		"a batch with a number": {"application/json", func(m rpc) string { return "[17," + m.sound() + "]" }, "17"},
		"an event":              {"text/event-stream", func(m rpc) string { return "data: listening on 80\n\ndata: " + m.sound() + "\n\n" }, "listening on 80"},
		"an event of JSON":      {"text/event-stream", func(m rpc) string { return "data: {\"level\":1}\r\n\r\ndata: " + m.sound() + "\r\n\r\n" }, `{"level":1}`},
		"an event to nobody":    {"text/event-stream", func(m rpc) string { return "data: " + toNobody + "\n\ndata: " + m.sound() + "\n\n" }, toNobody},
		"a line among events":   {"text/event-stream", func(m rpc) string { return "listening on 80\nevent: message\ndata: " + m.sound() + "\n\n" }, "listening on 80"},
		"a batch as an event":   {"text/event-stream", func(m rpc) string { return "data: [" + notification + "," + m.sound() + "]\n\n" }, ""},
		"an event of lines":     {"text/event-stream", func(m rpc) string { return "data: " + strings.ReplaceAll(m.sound(), ",", ",\ndata: ") + "\n\n" }, ""},
		"an event without end":  {"text/event-stream", func(m rpc) string { return ": hi\n\nevent: other\ndata: 1\n\ndata: " + m.sound() }, ""},
		"a line as long as the buffer": {"text/event-stream", func(m rpc) string {
			return "data: {" + strings.Repeat(" ", 4096-len("data: {")) + "\ndata: " + m.sound()[1:] + "\n\n"
		}, ""},
		"an event of much noise": {"text/event-stream", func(m rpc) string { return "data: " + strings.Repeat("z", 9000) + "\n\ndata: " + m.sound() + "\n\n" }, "zzz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, h, urlSpec(model.HTTP, webAnswers(t, c.media, c.body)))
			if tools := await[model.Connected](w).Tools; !tools.Ok || tools.V != 1 {
				t.Errorf("tools: %+v", tools)
			}
			for range 2 {
				if p := probe(w, patience); p.Outcome != model.Alive {
					t.Errorf("probe: %+v\n%s", p, w)
				}
			}
			if c.noise != "" {
				w.line("noise: " + c.noise)
			} else if strings.Contains(w.String(), "| ") {
				t.Errorf("it told a line\n%s", w)
			}
		})
	}
}

// TestWhereNothingElseComesTheAnswerIsAnError: and that ends no connection.
func TestWhereNothingElseComesTheAnswerIsAnError(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, c := range map[string]struct{ media, body, text string }{
		"an error to nobody":          {"application/json", toNobody, "error -32600: Invalid Request"},
		"an error to nobody, event":   {"text/event-stream", "data: " + toNobody + "\n\n", "error -32600: Invalid Request"},
		"an error to nobody and more": {"application/json", "ready\n" + toNobody, "error -32600: Invalid Request"},
		"nothing":                     {"application/json", "", "is not as MCP has it: it is no object"},
		"a line":                      {"application/json", "ready", "is not as MCP has it: it is no object"},
		"other JSON":                  {"application/json", `{"status":"ok"}`, "is not as MCP has it: jsonrpc is no string"},
		"a list":                      {"application/json", `[]`, "is not as MCP has it: it is no object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var pings atomic.Int32
			w := start(t, h, urlSpec(model.HTTP, webAnswers(t, c.media, func(m rpc) string {
				if m.Method == "ping" {
					pings.Add(1)
				}
				if m.Method == methodInitialize || pings.Load() == 2 {
					return map[string]string{"application/json": m.sound(), "text/event-stream": "data: " + m.sound() + "\n\n"}[c.media]
				}
				return c.body
			})))
			if tools := await[model.Connected](w).Tools; tools.Ok {
				t.Errorf("tools: %+v", tools)
			}
			if p := probe(w, patience); p.Outcome != model.ProbeError || !strings.Contains(p.Text.String(), c.text) || p.End.Cause.Permanent() {
				t.Errorf("probe: %+v", p)
			}
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("the next probe: %+v\n%s", p, w)
			}
			end := await[model.Closed](start(t, h, urlSpec(model.HTTP, webAnswers(t, c.media, func(rpc) string { return c.body })))).End
			if end.Cause != model.HandshakeFailed || !strings.Contains(end.Text.String(), c.text) {
				t.Errorf("a handshake that is answered so: %+v", end)
			}
		})
	}
}

// TestT2_ABigEventPassesAsItIs: and the noise around it does not.
func TestT2_ABigEventPassesAsItIs(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 3*bigMessage)
	for name, end := range map[string]string{"\\n": "\n", "\\r\\n": "\r\n"} {
		url := webAnswers(t, "text/event-stream", func(m rpc) string {
			answer := m.sound()
			if m.Method == methodListTools {
				answer = strings.Replace(answer, `"tools":`, `"_meta":{"x":"`+big+`"},"tools":`, 1)
			}
			return "data: ready" + end + end + "id: 1" + end + "data: " + answer + end + end + "data: more" + end + end
		})
		w := start(t, newHost(t), urlSpec(model.HTTP, url))
		if tools := await[model.Connected](w).Tools; tools.V != 1 {
			t.Errorf("%s: tools: %+v", name, tools)
		}
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("%s: probe: %+v", name, p)
		}
		w.line("noise: ready")
	}
}

// FuzzEventSift: what is cut up otherwise says the same, and every event that is
// left is JSON-RPC.
func FuzzEventSift(f *testing.F) {
	for _, s := range []string{
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n", ": hi\n\nretry: 5\nid: 7\n\ndata: log\n\n",
		"log\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"a\"}\r\n\r\n", "data: " + toNobody, "data:[" + toNobody + ",1]\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"\n\\u0041\"}\n\ndata\n\nid\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		read := func(r io.Reader) (string, int) {
			noise := 0
			e := newEventSift(io.NopCloser(r), newSift(outgoing{ID: json.RawMessage("1")}, func([]byte) { noise++ }))
			all, err := io.ReadAll(e)
			if err != nil {
				t.Fatal(err)
			}
			return string(all), noise
		}
		all, noise := read(bytes.NewReader(stream))
		if again, n := read(iotest.OneByteReader(bytes.NewReader(stream))); again != all || n != noise {
			t.Fatalf("%q: %q, %q, noise %d, %d", stream, all, again, noise, n)
		}
		if again, n := read(strings.NewReader(all)); again != all || n != 0 {
			t.Fatalf("%q: %q has noise, or becomes %q", stream, all, again)
		}
		for line := range strings.SplitSeq(all, "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if _, err := jsonrpc.DecodeMessage([]byte(data)); err != nil {
					t.Fatalf("%q: %q: %v", stream, data, err)
				}
			} else if line != "" && !strings.Contains(line, ": ") {
				t.Fatalf("%q: the line %q", stream, line)
			}
		}
	})
}

// TestPagesOfAServerThatShakesHands: the demo servers of the above.
func TestPagesOfAServerThatShakesHands(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", "answer"} {
		t.Run("stall "+stream, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.waits.discover, h.waits.settle = 300*time.Millisecond, 500*time.Millisecond
			w := start(t, h, urlSpec(model.HTTP, listen(t, "http", "--page", "stall", "--stream", stream).url))
			if tools := await[model.Connected](w).Tools; tools.Ok {
				t.Errorf("tools: %+v", tools)
			}
			for range 2 {
				if p := probe(w, 300*time.Millisecond); p.Outcome != model.TimedOut {
					t.Errorf("probe: %+v", p)
				}
			}
			w.stopsAtOnce()
		})
		t.Run("log "+stream, func(t *testing.T) {
			t.Parallel()
			w := start(t, newHost(t), urlSpec(model.HTTP, listen(t, "http", "--page", "log", "--stream", stream).url))
			if tools := await[model.Connected](w).Tools; tools.V != 3 {
				t.Errorf("tools: %+v", tools)
			}
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("probe: %+v", p)
			}
			w.line("noise: INFO: answering a request")
		})
	}
}
