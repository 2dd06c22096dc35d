package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
)

// message is what these tests look at of a request.
type message struct{ Method string }

// sdkServer is go-sdk's own server with one tool, over Streamable HTTP. asked
// returns the methods that it was asked for, in order.
func sdkServer(t *testing.T, stateless bool) (url string, asked func() []string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "noop"}, func(_ context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: stateless})
	var mu sync.Mutex
	var methods []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		method := req.Method
		if method == http.MethodPost {
			body, _ := io.ReadAll(req.Body)
			req.Body = io.NopCloser(bytes.NewReader(body))
			var m message
			_ = json.Unmarshal(body, &m)
			method = m.Method
		}
		mu.Lock()
		methods = append(methods, method)
		mu.Unlock()
		inner.ServeHTTP(w, req)
	}))
	t.Cleanup(web.Close)
	return web.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), methods...)
	}
}

// TestT6_TheProbeFitsTheRevision: a server of go-sdk has the newest revision
// where it keeps no sessions, and only older ones where it does.
func TestT6_TheProbeFitsTheRevision(t *testing.T) {
	h := newHost(t)
	for _, c := range []struct {
		name      string
		stateless bool
		revision  string
		want      string
	}{
		{"stateless", true, newest, "server/discover tools/list server/discover server/discover"},
		{"with sessions", false, newestInitialize, "server/discover initialize notifications/initialized tools/list ping ping"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, asked := sdkServer(t, c.stateless)
			w := start(t, h, urlSpec(model.HTTP, url))
			if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != c.revision || shaken.Legacy == c.stateless {
				t.Errorf("handshake: %+v", shaken)
			}
			if tools := await[model.Connected](w).Tools; tools != model.Some(1) {
				t.Errorf("tools: %+v", tools)
			}
			for range 2 {
				if p := probe(w, patience); p.Outcome != model.Alive {
					t.Errorf("probe: %+v", p)
				}
			}
			if got := strings.Join(asked(), " "); got != c.want {
				t.Errorf("the server was asked for %s, want %s", got, c.want)
			}
		})
	}
}

// TestT6_EveryWayTheOldestRevisionIsEnough: a server that has nothing else.
func TestT6_EveryWayTheOldestRevisionIsEnough(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--revision", revisions[0]))
		if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != revisions[0] || !shaken.Legacy {
			t.Errorf("handshake: %+v", shaken)
		}
		await[model.Connected](w)
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	})
}
