package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// loginPage is what a proxy in front of a server shows a stranger.
const loginPage = `<!doctype html><html><head><title>Sign in</title></head><body><form action="/login">Password</form></body></html>`

// Pages of a server that shakes hands.
const (
	stallPage = "stall" // an answer begins, and never ends; initialize alone is answered
	logPage   = "log"   // before each answer come a line of a log and an error to nobody
)

// What comes before an answer on the logPage.
const (
	logLine  = "INFO: answering a request"
	toNobody = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`
)

// stall begins an answer, and says no more.
func (h *streamable) stall(w http.ResponseWriter, req *http.Request, method string) {
	h.say("the answer to %s stalls", method)
	begins := `{"jsonrpc":`
	w.Header().Set("Content-Type", "application/json")
	if h.stream != "" {
		w.Header().Set("Content-Type", "text/event-stream")
		begins = "data: " + begins
	}
	_, _ = io.WriteString(w, begins)
	_ = http.NewResponseController(w).Flush()
	<-req.Context().Done()
}

// showPage answers every request with a page, as what stands in front of a server
// does, or with a body that never ends.
func (s *server) showPage(w http.ResponseWriter, req *http.Request) {
	s.say("%s answered with the page %s", req.Method, s.page)
	switch s.page {
	case "redirect":
		http.Redirect(w, req, "/login?return_to=mcp", http.StatusFound)
	case "endless":
		w.Header().Set("Content-Type", "application/json")
		for block := filler(64 << 10); ; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, loginPage)
	}
}

// event writes one event of a stream, and sends it on its way.
func event(w http.ResponseWriter, format string, args ...any) {
	fmt.Fprintf(w, format+"\n\n", args...)
	_ = http.NewResponseController(w).Flush()
}

// streamAnswer answers m with an event stream: all that the server sends meanwhile
// and the answer, or its end before the answer comes.
func (h *streamable) streamAnswer(w http.ResponseWriter, req *http.Request, m message, answers chan []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	if h.page == logPage {
		event(w, "data: %s%s", logLine, h.leaked())
		event(w, "data: %s", toNobody)
	}
	switch {
	case h.stream == "cut" && m.Method != "initialize":
		return
	case h.stream == "resume":
		h.mu.Lock()
		h.parked = append(h.parked, answers)
		id := len(h.parked) - 1
		h.mu.Unlock()
		event(w, "id: %d\nretry: 20\ndata: ", id)
		h.say("the stream of %s is cut after event %d", m.Method, id)
		return
	}
	h.pass(w, req, answers, m.ID)
}

// resume answers a GET that takes up a stream which was cut; without one there
// is nothing to tell.
func (h *streamable) resume(w http.ResponseWriter, req *http.Request) {
	var id int
	_, err := fmt.Sscan(req.Header.Get("Last-Event-ID"), &id)
	h.mu.Lock()
	known := err == nil && id >= 0 && id < len(h.parked)
	var answers chan []byte
	if known {
		answers = h.parked[id]
	}
	h.mu.Unlock()
	if !known {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	h.say("the stream is taken up after event %d", id)
	w.Header().Set("Content-Type", "text/event-stream")
	h.pass(w, req, answers, nil)
}

// pass passes messages on until the answer to id has passed; with nil until the
// first answer.
func (h *streamable) pass(w http.ResponseWriter, req *http.Request, answers <-chan []byte, id json.RawMessage) {
	for {
		select {
		case data := <-answers:
			event(w, "event: message\ndata: %s", data)
			var m message
			if json.Unmarshal(data, &m) == nil && m.Method == "" && (id == nil || bytes.Equal(m.ID, id)) {
				return
			}
		case <-time.After(time.Minute):
			return
		case <-req.Context().Done():
			return
		}
	}
}
