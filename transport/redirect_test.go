package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"rollcall/model"
	"rollcall/redact"
)

// redirecting is a server that answers each request with a redirect, and the
// number of requests that it got.
func redirecting(t *testing.T, status int, to string) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), asked
}

func TestRedirectsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, c := range []struct {
		via    model.Transport
		scheme string
		status int
	}{
		{model.WebSocket, "ws", 301}, {model.WebSocket, "ws", 302}, {model.WebSocket, "ws", 303}, {model.WebSocket, "ws", 307}, {model.WebSocket, "ws", 308},
		{model.HTTP, "http", 307}, {model.HTTP, "http", 308},
	} {
		address, asked := redirecting(t, c.status, "/again?key=sesame")
		w := start(t, h, urlSpec(c.via, c.scheme+"://"+address+"/"), func(d *model.Dial) { d.Legacy = true })
		end := await[model.Closed](w).End
		want := "10 redirects in a row, the last to http://" + address + "/again: check the url"
		if end.Cause != model.TransportBroken || end.Text.String() != want {
			t.Errorf("%v %d: %+v, want %s", c.via, c.status, end, want)
		}
		if n := asked.Load(); n != maxRedirects {
			t.Errorf("%v %d: %d requests", c.via, c.status, n)
		}
	}
}

// TestAWebSocketsRedirectCarriesNoCredentialsToAnotherHost: to the url's own host
// it carries them all.
func TestAWebSocketsRedirectCarriesNoCredentialsToAnotherHost(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, sameHost := range map[string]bool{"another host": false, "the same": true} {
		got := make(chan http.Header, 1)
		serve := func(c *websocket.Conn, req *http.Request) {
			got <- req.Header.Clone()
			_, _, _ = c.Read(req.Context())
			_ = c.Write(req.Context(), websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}`))
			_, _, _ = c.Read(req.Context())
			_, _, _ = c.Read(req.Context())
		}
		url := ""
		if sameHost {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.URL.Path == "/" {
					http.Redirect(w, req, "/there", http.StatusFound)
					return
				}
				c, err := websocket.Accept(w, req, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer c.CloseNow()
				serve(c, req)
			}))
			t.Cleanup(s.Close)
			url = "ws://" + strings.TrimPrefix(s.URL, "http://") + "/?key=sesame"
		} else {
			address, _ := redirecting(t, http.StatusFound, socketServer(t, serve)+"/there")
			url = "ws://" + address + "/?key=sesame"
		}
		spec := urlSpec(model.WebSocket, url)
		spec.Headers = []model.Pair{{Name: "X-Api-Key", Value: redact.NewSecret("sesame")}, {Name: "Authorization", Value: redact.NewSecret("sesame")}}
		await[model.Connected](start(t, h, spec, func(d *model.Dial) { d.Legacy = true }))
		sent := 0
		for header, values := range <-got {
			if strings.Contains(strings.Join(values, " "), "sesame") {
				sent++
				if !sameHost || header == "Referer" {
					t.Errorf("%s: %s was sent", name, header)
				}
			}
		}
		if sameHost && sent != len(spec.Headers) {
			t.Errorf("%s: %d of %d headers were sent", name, sent, len(spec.Headers))
		}
	}
}
