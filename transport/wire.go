package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

const (
	maxMessage = 64 << 20 // bytes of one inbound message (T2, T4)
	bigMessage = 1 << 20  // from here on messages are decoded one at a time
	maxOutbox  = 256      // outbound messages that wait for a server that does not read
)

// errHungUp is what a wire says once it is closed.
var errHungUp = errors.New("the connection is closed")

// wire is what stdio and WebSocket share: an mcp.Connection that passes
// responses to the SDK, answers the server's requests itself, and drops its
// notifications (T7, M2). Whoever reads the carrier calls take and fail; send
// writes one message to it.
//
// The SDK queues requests without a bound, so it never sees one.
type wire struct {
	run  *Run
	send func([]byte) error // called from one goroutine; returns once the carrier is closed

	listing atomic.Pointer[jsonrpc.ID] // the last request for tools; nil: none

	in   chan *jsonrpc.Response
	out  chan *[]byte // pointers: each server has this queue, and most often it is empty
	once sync.Once
	done chan struct{} // closed by fail
	end  model.End     // why, and
	at   time.Time     // when; both are valid once done is closed
}

func (r *Run) newWire(send func([]byte) error) *wire {
	return &wire{run: r, send: send, in: make(chan *jsonrpc.Response), out: make(chan *[]byte, maxOutbox), done: make(chan struct{})}
}

// fail ends the wire; the first end is kept.
func (w *wire) fail(end model.End) {
	w.once.Do(func() {
		w.end, w.at = end, time.Now()
		close(w.done)
	})
}

// Connect hands the wire to the SDK: it is its own mcp.Transport.
func (w *wire) Connect(context.Context) (mcp.Connection, error) { return w, nil }

// SessionID is empty: only HTTP has session ids.
func (w *wire) SessionID() string { return "" }

// link is the wire as a way to the server.
func (w *wire) link() link { return link{w, w.ending} }

// ending is what the server answered, else what was seen on the wire, else the
// error's text.
func (w *wire) ending(err error) (model.End, time.Time) {
	at := time.Now()
	if end, ok := w.run.answered(err); ok {
		return end, at
	}
	select {
	case <-w.done:
		if w.end.Cause != model.ClosedByHost || !w.end.Text.IsZero() {
			return w.end, w.at
		}
	default:
	}
	return w.run.broken(err), at
}

// Read returns the next response.
func (w *wire) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-w.in:
		return m, nil
	case <-w.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write puts a message into the outbox. It waits for room as long as ctx
// allows: a server that does not read never holds a caller for ever.
func (w *wire) Write(ctx context.Context, m jsonrpc.Message) error {
	if req, ok := m.(*jsonrpc.Request); ok && unsaid(req.Method) {
		return nil
	}
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == methodListTools {
		w.listing.Store(&req.ID)
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	select {
	case w.out <- &data:
		return nil
	case <-w.done:
		return errHungUp
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close is called by the SDK when it hangs up.
func (w *wire) Close() error {
	w.fail(model.End{Cause: model.ClosedByHost})
	return nil
}

// pump writes the outbox to the carrier until the wire ends.
func (w *wire) pump() {
	for {
		select {
		case data := <-w.out:
			if err := w.send(*data); err != nil {
				w.fail(model.End{Cause: model.TransportBroken, Text: w.run.spec.Redactor.Error(err)})
				return
			}
		case <-w.done:
			return
		}
	}
}

// take handles one message, or one batch; false means that data is no
// JSON-RPC. It keeps no reference to data.
func (w *wire) take(data []byte) bool {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return false // a decoder would take its time to say so, and logs can be long
	}
	if len(data) >= bigMessage {
		w.run.host.big <- struct{}{}
		defer func() { <-w.run.host.big }()
		if id := w.listing.Load(); id != nil {
			if resp := countOnly(data, *id, w.run.host.maxTools); resp != nil {
				w.handle(resp)
				return true
			}
		}
	}
	if data[0] == '{' {
		m, err := decode(data)
		if err != nil {
			return false
		}
		w.handle(m)
		return true
	}
	var batch []json.RawMessage
	if json.Unmarshal(data, &batch) != nil || len(batch) == 0 {
		return false
	}
	for _, part := range batch {
		m, err := decode(part)
		if err != nil {
			return false
		}
		w.handle(m)
	}
	return true
}

// handle passes a response on and answers a request.
func (w *wire) handle(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		select {
		case w.in <- m:
		case <-w.done:
		}
	case *jsonrpc.Request:
		switch {
		case m.Method == methodDiscover || m.Method == methodInitialize: // no server asks for these
			w.fail(model.End{Cause: model.HandshakeFailed, Text: redact.Sprintf(
				"it sends back what it is sent (%s): that is no MCP server", redact.Name(m.Method))})
		case m.IsCall():
			w.answer(m)
		}
	}
}

// answer puts the answer to a server's request into the outbox. It never
// waits: a server that asks and does not read is cut off alone (T8).
func (w *wire) answer(req *jsonrpc.Request) {
	resp := &jsonrpc.Response{ID: req.ID}
	if req.Method == "ping" {
		resp.Result = json.RawMessage("{}")
	} else {
		resp.Error = refusal(req.Method)
	}
	data, err := jsonrpc.EncodeMessage(resp)
	if err != nil {
		return // an id that decoded encodes
	}
	select {
	case w.out <- &data:
	case <-w.done:
	default:
		w.fail(model.End{Cause: model.ClosedByHost, Text: redact.Sprintf("the server asks and does not read: more than %d answers wait", redact.Int(maxOutbox))})
	}
}
