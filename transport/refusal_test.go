package transport

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rollcall/model"
)

// refusals are answers to one request after the handshake that say nothing about
// the session, and what a probe makes of each.
var refusals = map[string]struct {
	answer func(w http.ResponseWriter, req *http.Request)
	text   string
}{
	"302": {func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, "/login?x=sesame", http.StatusFound)
	}, "HTTP 302, a redirect to http://"},
	"304": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, "HTTP 304 Not Modified"},
	"307 to nowhere": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTemporaryRedirect) },
		"HTTP 307 Temporary Redirect"},
	"400": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }, "HTTP 400 Bad Request"},
	"400 with an error to nobody": {func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`, http.StatusBadRequest)
	}, "HTTP 400 Bad Request"},
	"400 that stalls": {func(w http.ResponseWriter, req *http.Request) { stalls(w, req, http.StatusBadRequest) }, "HTTP 400 Bad Request"},
	"403":             {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }, "HTTP 403 Forbidden"},
	"403 without end": {func(w http.ResponseWriter, _ *http.Request) { endless(w, http.StatusForbidden) }, "HTTP 403 Forbidden"},
	"403 that stalls": {func(w http.ResponseWriter, req *http.Request) { stalls(w, req, http.StatusForbidden) }, "HTTP 403 Forbidden"},
	"405":             {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusMethodNotAllowed) }, "HTTP 405 Method Not Allowed"},
	"501":             {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotImplemented) }, "HTTP 501 Not Implemented"},
}

// stalls begins an answer in JSON and says no more.
func stalls(w http.ResponseWriter, req *http.Request, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"jsonrpc":`)
	_ = http.NewResponseController(w).Flush()
	<-req.Context().Done()
}

// endless sends an answer in JSON that has no end.
func endless(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	for block := bytes.Repeat([]byte{'x'}, 64<<10); ; {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// once is a server that answers one request of a method in a way of its own; the
// others as it should.
func once(method string, answer func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request, string) bool {
	var done atomic.Bool
	return func(w http.ResponseWriter, req *http.Request, asked string) bool {
		if asked != method || done.Swap(true) {
			return false
		}
		answer(w, req)
		return true
	}
}

func TestP3_ARefusedProbeCostsNothingOnce(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, h, urlSpec(model.HTTP, webServer(t, once("ping", c.answer)).URL))
			await[model.Connected](w)
			p := probe(w, patience)
			if p.Outcome != model.ProbeError || !strings.HasPrefix(p.Text.String(), c.text) || strings.Contains(p.Text.String(), "sesame") || p.End.Cause.Permanent() {
				t.Errorf("probe: %+v", p)
			}
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("the next probe: %+v\n%s", p, w)
			}
		})
	}
}

func TestP3_ARefusedListOfToolsIsUnknownAndTheConnectionStays(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, h, urlSpec(model.HTTP, webServer(t, once("tools/list", c.answer)).URL))
			if tools := await[model.Connected](w).Tools; tools.Ok {
				t.Errorf("tools: %+v", tools)
			}
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("probe: %+v\n%s", p, w)
			}
		})
	}
}

// TestH1_TheStatusOfARefusalWinsOverItsBody: that may have no end, or stall.
func TestH1_TheStatusOfARefusalWinsOverItsBody(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, int){
		"endless": func(w http.ResponseWriter, _ *http.Request, status int) { endless(w, status) },
		"stalled": stalls,
	} {
		for status, want := range map[int]struct {
			cause model.Cause
			text  string
		}{
			401: {model.NeedsCredentials, "needs credentials: set headers in its entry, then c (HTTP 401)"},
			403: {model.HTTPStatus, "HTTP 403 Forbidden"},
			404: {model.HTTPStatus, "HTTP 404 Not Found"},
			500: {model.HTTPStatus, "HTTP 500 Internal Server Error"},
		} {
			refuse := func(w http.ResponseWriter, req *http.Request) { answer(w, req, status) }
			t.Run(name+" "+http.StatusText(status), func(t *testing.T) {
				t.Parallel()
				s := webServer(t, func(w http.ResponseWriter, req *http.Request, _ string) bool {
					refuse(w, req)
					return true
				})
				end := await[model.Closed](start(t, h, urlSpec(model.HTTP, s.URL))).End
				if end.Cause != want.cause || end.Text.String() != want.text {
					t.Errorf("the dial: %+v", end)
				}
				if status != 401 {
					return
				}
				w := start(t, h, urlSpec(model.HTTP, webServer(t, once("ping", refuse)).URL))
				await[model.Connected](w)
				if p := probe(w, patience); p.Outcome != model.ProbeError || p.End.Cause != want.cause {
					t.Errorf("the probe: %+v", p)
				}
			})
		}
	}
}

// TestAGoodbyesAnswerDoesNotHideWhyItWasSaid: a session begins with the answer to
// initialize, so one that is no handshake has a goodbye too.
func TestAGoodbyesAnswerDoesNotHideWhyItWasSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, goodbye := range map[string]func(http.ResponseWriter, *http.Request){
		"a page":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "bye") },
		"a redirect": func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, "/login", http.StatusFound) },
		"a refusal":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusMethodNotAllowed) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{}, 1)
			s := webServer(t, func(w http.ResponseWriter, req *http.Request, method string) bool {
				switch method {
				case "initialize":
					w.Header().Set(sessionHeader, "s1")
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`)
				case "notifications/initialized":
					conn, _, err := http.NewResponseController(w).Hijack()
					if err == nil {
						_ = conn.Close()
					}
				case "DELETE":
					gone <- struct{}{}
					goodbye(w, req)
				default:
					return false
				}
				return true
			})
			end := await[model.Closed](start(t, h, urlSpec(model.HTTP, s.URL))).End
			select {
			case <-gone:
			case <-time.After(patience):
				t.Fatal("no goodbye")
			}
			if end.Cause != model.TransportBroken || strings.Contains(end.Text.String(), "is no MCP") || !strings.Contains(end.Text.String(), "EOF") {
				t.Errorf("closed: %+v", end)
			}
		})
	}
}
