package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	maxBody       = 64 << 20
	sessionHeader = "Mcp-Session-Id"
)

// serveListener serves WebSockets or Streamable HTTP, on every path, until the
// server's end.
func (s *server) serveListener() int {
	l, err := net.Listen("tcp", s.listen)
	if err != nil {
		s.say("cannot listen: %v", err)
		return 1
	}
	var h http.Handler = &streamable{server: s, sessions: map[string]int{}}
	scheme := "http"
	switch {
	case s.page != "" && s.page != stallPage && s.page != logPage:
		h = http.HandlerFunc(s.showPage)
	case s.via == "ws":
		h, scheme = http.HandlerFunc(s.socket), "ws"
	}
	web := &http.Server{Handler: s.gate(h), ReadHeaderTimeout: 10 * time.Second}
	s.say("listening on %s://%s/mcp", scheme, l.Addr())
	go func() {
		if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.say("cannot serve: %v", err)
			s.end(1)
		}
	}()
	code := <-s.ended
	_ = web.Close()
	return code
}

// gate answers with a status where the behaviour wants that.
func (s *server) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.spillRequest(req)
		status := s.status
		if s.authorized != "" && req.Header.Get("Authorization") != s.authorized {
			status = http.StatusUnauthorized
		}
		if status == 0 {
			next.ServeHTTP(w, req)
			return
		}
		if s.retryAfter != "" {
			w.Header().Set("Retry-After", s.retryAfter)
		}
		s.say("refused %s with %d", req.Method, status)
		http.Error(w, http.StatusText(status)+s.leaked(), status)
	})
}

// socket serves one WebSocket.
func (s *server) socket(w http.ResponseWriter, req *http.Request) {
	ws, err := websocket.Accept(w, req, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxBody)
	ctx := context.Background()
	c := &conn{server: s}
	c.send = func(data []byte) { _ = ws.Write(ctx, websocket.MessageText, data) }
	s.mu.Lock()
	s.hooks = append(s.hooks, func() {
		if s.closeCode == 0 {
			_ = ws.CloseNow()
			return
		}
		_ = ws.Close(websocket.StatusCode(s.closeCode), s.reason+s.leaked())
	})
	s.mu.Unlock()
	for {
		_, data, err := ws.Read(ctx)
		if err != nil {
			s.say("client gone: %v", err)
			return
		}
		c.handle(data)
	}
}

// streamable serves Streamable HTTP: each POST is answered with JSON.
type streamable struct {
	*server
	mu       sync.Mutex
	sessions map[string]int // how many requests came of each
	parked   []chan []byte  // what streams that were cut have left to tell, by event id
}

// ServeHTTP answers one request.
func (h *streamable) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	id := req.Header.Get(sessionHeader)
	switch req.Method {
	case http.MethodDelete:
		h.mu.Lock()
		delete(h.sessions, id)
		h.mu.Unlock()
		h.say("session closed by the client")
		return
	case http.MethodPost:
	default:
		h.resume(w, req)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	var m message
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	switch {
	case m.Method == "initialize":
		id = h.open()
		w.Header().Set(sessionHeader, id)
	case !h.newest && !h.knows(id) && m.Method != "server/discover":
		h.refuseSession(w)
		return
	}
	h.reply(w, req, m, body)
}

// refuseSession answers a session that is not known as servers do: 404 with a word
// of it, or another status with a JSON-RPC error.
func (h *streamable) refuseSession(w http.ResponseWriter) {
	if h.unknown == http.StatusNotFound {
		http.Error(w, "no such session", h.unknown)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(h.unknown)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
}

// reply handles one message; what the server sends meanwhile is the answer.
func (h *streamable) reply(w http.ResponseWriter, req *http.Request, m message, body []byte) {
	if h.page == stallPage && m.ID != nil && m.Method != "initialize" {
		h.stall(w, req, m.Method)
		return
	}
	answers := make(chan []byte, 64)
	c := &conn{server: h.server}
	c.send = func(data []byte) {
		select {
		case answers <- data:
		default: // requests of our own have nowhere to go
		}
	}
	c.handle(body)
	if m.ID == nil || m.Method == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if h.stream != "" {
		h.streamAnswer(w, req, m, answers)
		return
	}
	select {
	case data := <-answers:
		w.Header().Set("Content-Type", "application/json")
		if h.page == logPage {
			fmt.Fprintf(w, "%s%s\n%s\n", logLine, h.leaked(), toNobody)
		}
		_, _ = w.Write(data)
	case <-req.Context().Done():
	}
}

// open makes a session.
func (h *streamable) open() string {
	id := rand.Text()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[id] = 0
	return id
}

// knows counts a request of a session, and reports whether that is known still.
func (h *streamable) knows(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, ok := h.sessions[id]
	if !ok || h.forget > 0 && n >= h.forget {
		return false
	}
	h.sessions[id] = n + 1
	return true
}
