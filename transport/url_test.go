package transport

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rollcall/model"
	"rollcall/redact"
)

// webServer is a Streamable HTTP server in this process, for what no demo
// server does. first may answer a request in its place.
func webServer(t testing.TB, first func(w http.ResponseWriter, req *http.Request, method string) bool) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		if req.Method == http.MethodDelete {
			m.Method = "DELETE"
		}
		if first(w, req, m.Method) {
			return
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			w.Header().Set(sessionHeader, "s1")
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}`
		case "ping":
		case "tools/list":
			result = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
		case "server/discover":
			http.Error(w, "no", http.StatusBadRequest)
			return
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+result+`}`)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestH1_StatusesOfARefusedDial(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, way := range []struct {
		demo string
		via  model.Transport
	}{{"http", model.HTTP}, {"ws", model.WebSocket}} {
		for _, c := range []struct {
			flags []string
			cause model.Cause
			text  string
			after time.Duration
		}{
			{[]string{"--authorization", "Bearer x"}, model.NeedsCredentials, "needs credentials: set headers in its entry, then c (HTTP 401)", 0},
			{[]string{"--status", "403"}, model.HTTPStatus, "HTTP 403 Forbidden", 0},
			{[]string{"--status", "429", "--retry-after", "120"}, model.HTTPStatus, "HTTP 429 Too Many Requests", 2 * time.Minute},
			{[]string{"--status", "503", "--retry-after", "7"}, model.HTTPStatus, "HTTP 503 Service Unavailable", 7 * time.Second},
		} {
			w := start(t, h, urlSpec(way.via, listen(t, append([]string{way.demo}, c.flags...)...).url))
			end := await[model.Closed](w).End
			if end.Cause != c.cause || end.Text.String() != c.text || end.RetryAfter != c.after {
				t.Errorf("%s %v: %+v", way.demo, c.flags, end)
			}
		}
	}
}

func TestHeadersAreSent(t *testing.T) {
	h := newHost(t)
	for _, way := range []struct {
		demo string
		via  model.Transport
	}{{"http", model.HTTP}, {"ws", model.WebSocket}} {
		spec := urlSpec(way.via, listen(t, way.demo, "--authorization", "Bearer sesame").url)
		spec.Headers = []model.Pair{{Name: "Authorization", Value: redact.NewSecret("Bearer sesame")}}
		await[model.Connected](start(t, h, spec))
	}
}

func TestARefusedDialSaysSoWithoutTheQuery(t *testing.T) {
	h := newHost(t)
	addr := freeAddress(t)
	for scheme, via := range map[string]model.Transport{"http": model.HTTP, "ws": model.WebSocket} {
		w := start(t, h, urlSpec(via, scheme+"://"+addr+"/mcp?sesame=1"))
		end := await[model.Closed](w).End
		if end.Cause != model.TransportBroken || end.Text.String() != "dial tcp "+addr+": connect: connection refused" {
			t.Errorf("%s: %+v", scheme, end)
		}
	}
}

func TestC2_AUrlThatNeverAnswersIsNamed(t *testing.T) {
	t.Parallel()
	spec := launchedSpec(t, model.WebSocket, "ws", "--startup", "1h")
	w := start(t, newHost(t), spec, func(d *model.Dial) { d.Timeout = time.Second })
	end := await[model.Closed](w).End
	if end.Cause != model.StartTimedOut || !strings.HasPrefix(end.Text.String(), "no handshake within 1s: dial tcp ") || !strings.HasSuffix(end.Text.String(), "connection refused") {
		t.Errorf("closed: %+v", end)
	}
}

func TestC2_TheProcesssExitEndsTheConnection(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, via := range map[string]model.Transport{"ws": model.WebSocket, "http": model.HTTP} {
		w := start(t, h, launchedSpec(t, via, name))
		pid := await[model.Launched](w).PID
		await[model.Connected](w)
		sendSignal(pid, 9)
		if end := await[model.Closed](w).End; end.Cause != model.Signalled || end.How().String() != "(signal: killed)" {
			t.Errorf("%s: %+v", name, end)
		}
	}
}

func TestT4_TheCloseCodeAndItsReasonAreReported(t *testing.T) {
	l := listen(t, "ws", "--ping", "exit", "--close-code", "1011", "--reason", "out of memory")
	w := start(t, newHost(t), urlSpec(model.WebSocket, l.url))
	w.dies()
	end := await[model.Closed](w).End
	if end.Cause != model.ClosedByPeer || end.How().String() != "(close code 1011: out of memory)" {
		t.Errorf("closed: %+v", end)
	}
}

func TestT4_AKilledPeerIsACutConnection(t *testing.T) {
	l := listen(t, "ws")
	w := start(t, newHost(t), urlSpec(model.WebSocket, l.url))
	await[model.Connected](w)
	l.kill()
	end := await[model.Closed](w).End
	if end.Cause != model.TransportBroken || end.CloseCode.Ok || !strings.HasPrefix(end.Text.String(), "the connection was cut") {
		t.Errorf("closed: %+v", end)
	}
}

// socketServer is a WebSocket server in this process.
func socketServer(t testing.TB, serve func(c *websocket.Conn, req *http.Request)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		c, err := websocket.Accept(w, req, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.CloseNow()
		serve(c, req)
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

func TestT4_SeveralLinesAFrameAndBinaryFramesAreTolerated(t *testing.T) {
	path := make(chan string, 1)
	url := socketServer(t, func(c *websocket.Conn, req *http.Request) {
		path <- req.URL.Path
		ctx := req.Context()
		_, _, _ = c.Read(ctx)
		_ = c.Write(ctx, websocket.MessageBinary, []byte("hello there\n"+
			`{"jsonrpc":"2.0","method":"notifications/message"}`+"\r\n"+
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`+"\n"))
		for {
			if _, _, err := c.Read(ctx); err != nil {
				return
			}
		}
	})
	w := start(t, newHost(t), urlSpec(model.WebSocket, url+"/some/where"), func(d *model.Dial) { d.Legacy = true })
	await[model.Connected](w)
	w.line("noise: hello there")
	if p := <-path; p != "/some/where" {
		t.Errorf("path %s", p)
	}
}

func TestAPeerThatIgnoresTheGoodbyeIsCut(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	url := socketServer(t, func(c *websocket.Conn, req *http.Request) {
		_, _, _ = c.Read(req.Context())
		_ = c.Write(req.Context(), websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}`))
		<-release
	})
	h := newHost(t)
	var runs []*watched
	for range 10 {
		runs = append(runs, start(t, h, urlSpec(model.WebSocket, url), func(d *model.Dial) { d.Legacy = true }))
	}
	// Whether the reader or the goodbye comes first is a race: several try it.
	for _, w := range runs {
		await[model.Connected](w)
		w.Stop()
	}
	for _, w := range runs {
		took := await[model.Reaped](w).At.Sub(await[model.Closed](w).At)
		if took > goodbye+3*time.Second { // the library alone would wait for 5 s
			t.Errorf("took %v", took)
		}
	}
}

func TestAnHTTPServerThatHangsOnDeleteIsCut(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := webServer(t, func(_ http.ResponseWriter, _ *http.Request, method string) bool {
		if method == "DELETE" {
			<-release
		}
		return false
	})
	t.Cleanup(func() { close(release) })
	w := start(t, newHost(t), urlSpec(model.HTTP, s.URL))
	await[model.Connected](w)
	if took := w.stop(); took > goodbye+3*time.Second { // the library alone would wait for 5 s or more
		t.Errorf("took %v", took)
	}
}

func TestT6_TheGivenUpDiscoveryIsNotCancelled(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var methods []string
	s := webServer(t, func(_ http.ResponseWriter, req *http.Request, method string) bool {
		mu.Lock()
		methods = append(methods, method)
		mu.Unlock()
		if method == "server/discover" {
			<-req.Context().Done()
		}
		return false
	})
	h := newHost(t)
	h.waits.discover = 300 * time.Millisecond
	w := start(t, h, urlSpec(model.HTTP, s.URL))
	await[model.Connected](w)
	probe(w, patience)
	w.stop()
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(methods, " "); got != "server/discover initialize notifications/initialized tools/list ping DELETE" {
		t.Errorf("the server got %s", got)
	}
}

func TestT5_AMissingSessionIsTold(t *testing.T) {
	h := newHost(t)
	for name, answer := range map[string]func(http.ResponseWriter){
		"404":              func(w http.ResponseWriter) { http.Error(w, "not found", 404) },
		"400 that says so": func(w http.ResponseWriter) { http.Error(w, "Bad Request: No valid session ID provided", 400) },
		"401 that says so": func(w http.ResponseWriter) { http.Error(w, "unknown session", http.StatusUnauthorized) },
		"400 with a response": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
		},
	} {
		s := webServer(t, func(w http.ResponseWriter, _ *http.Request, method string) bool {
			if method == "ping" {
				answer(w)
			}
			return method == "ping"
		})
		w := start(t, h, urlSpec(model.HTTP, s.URL))
		await[model.Connected](w)
		if p := probe(w, patience); p.Outcome != model.Missing || p.End.Cause != model.SessionMissing {
			t.Errorf("%s: %+v", name, p)
		}
		w.Stop()
		if end := await[model.Closed](w).End; end.Cause != model.SessionMissing && end.Cause != model.ClosedByHost {
			t.Errorf("%s: closed: %+v", name, end)
		}
	}
}

func TestP3_ATroubledServersStatusCostsNothingOnce(t *testing.T) {
	h := newHost(t)
	for _, status := range []int{429, 500, 503} {
		var once sync.Once
		s := webServer(t, func(w http.ResponseWriter, _ *http.Request, method string) (mine bool) {
			if method == "ping" {
				once.Do(func() {
					mine = true
					http.Error(w, "later", status)
				})
			}
			return mine
		})
		w := start(t, h, urlSpec(model.HTTP, s.URL))
		await[model.Connected](w)
		if p := probe(w, patience); p.Outcome != model.ProbeError || !strings.HasPrefix(p.Text.String(), "HTTP ") {
			t.Errorf("%d: %+v", status, p)
		}
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("after %d: %+v", status, p)
		}
	}
}

func TestATroubledServersToolsAreUnknownAndTheConnectionStays(t *testing.T) {
	s := webServer(t, func(w http.ResponseWriter, _ *http.Request, method string) bool {
		if method == "tools/list" {
			http.Error(w, "later", http.StatusServiceUnavailable)
		}
		return method == "tools/list"
	})
	w := start(t, newHost(t), urlSpec(model.HTTP, s.URL))
	if tools := await[model.Connected](w).Tools; tools.Ok {
		t.Errorf("tools: %+v", tools)
	}
	if p := probe(w, patience); p.Outcome != model.Alive {
		t.Errorf("probe: %+v", p)
	}
}

func TestP3_A401ToAProbeBearsThePermanentEnd(t *testing.T) {
	s := webServer(t, func(w http.ResponseWriter, _ *http.Request, method string) bool {
		if method == "ping" {
			http.Error(w, "token expired", http.StatusUnauthorized)
		}
		return method == "ping"
	})
	w := start(t, newHost(t), urlSpec(model.HTTP, s.URL))
	await[model.Connected](w)
	if p := probe(w, patience); p.Outcome != model.ProbeError || p.End.Cause != model.NeedsCredentials || !strings.HasSuffix(p.End.Text.String(), ", then c (HTTP 401)") {
		t.Errorf("%+v", p)
	}
}

func TestP1_AServerThatIsGoneIsBroken(t *testing.T) {
	l := listen(t, "http")
	w := start(t, newHost(t), urlSpec(model.HTTP, l.url))
	await[model.Connected](w)
	l.kill()
	p := probe(w, patience)
	if p.Outcome != model.Broken || p.Text.IsZero() || p.End.Cause != model.TransportBroken {
		t.Errorf("%+v", p)
	}
	w.Stop()
	if p := probe(w, patience); p.Outcome != model.Broken {
		t.Errorf("after Stop: %+v", p)
	}
}

func TestARedirectToAnotherHostCarriesNoCredentials(t *testing.T) {
	got := make(chan http.Header, 16)
	other := webServer(t, func(_ http.ResponseWriter, req *http.Request, _ string) bool {
		got <- req.Header.Clone()
		return false
	})
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	spec := urlSpec(model.HTTP, s.URL+"/?key=sesame")
	spec.Headers = []model.Pair{{Name: "X-Api-Key", Value: redact.NewSecret("sesame")}, {Name: "Authorization", Value: redact.NewSecret("sesame")}}
	w := start(t, newHost(t), spec)
	await[model.Connected](w)
	for name, values := range <-got {
		if strings.Contains(strings.Join(values, " "), "sesame") {
			t.Errorf("%s was sent to another host", name)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "0": 0, "90": 90 * time.Second, "-1": 0, "soon": 0, "4294967295": model.MaxTimer, "99999999999": model.MaxTimer,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(v, now); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}
