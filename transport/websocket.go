package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"rollcall/model"
	"rollcall/redact"
)

// pongTimeout is how long a ping's pong is waited for.
const pongTimeout = 10 * time.Second

// overWebSocket dials and talks. Where no handshake came of it, it returns why;
// else nil.
func (r *Run) overWebSocket(p *process) (why *undialled) {
	linger, stop := r.lingering()
	defer stop()
	rt := r.newRoundTripper(linger)
	c, err := r.openWebSocket(rt)
	if err != nil {
		return rt.undialled(err)
	}
	c.SetReadLimit(maxMessage)
	w := r.newWire(func(data []byte) error { return c.Write(linger, websocket.MessageText, data) })
	reading := make(chan struct{})
	go r.host.guarded(func() {
		defer close(reading)
		w.readFrames(linger, c)
	})()
	go r.host.guarded(w.pump)()
	go r.host.guarded(func() { w.keepAlive(c) })()
	bye := context.AfterFunc(r.ctx, func() { w.fail(model.End{Cause: model.ClosedByHost}) })
	defer bye()

	if err = r.hold(p, w.link()); err != nil {
		end, at := w.ending(err)
		why = &undialled{end: end, at: at}
		stop() // no goodbye for a stranger
	}
	// linger's end cuts the connection where the peer does not answer in time.
	_ = c.Close(websocket.StatusNormalClosure, "")
	stop()
	<-reading
	return why
}

// openWebSocket dials the url; no path is added and no subprotocol demanded.
func (r *Run) openWebSocket(rt *roundTripper) (*websocket.Conn, error) {
	ctx, stop := context.WithTimeout(r.ctx, openTimeout)
	defer stop()
	c, _, err := websocket.Dial(ctx, r.spec.URL.Reveal(), &websocket.DialOptions{
		HTTPClient:      &http.Client{Transport: rt, CheckRedirect: rt.follow},
		CompressionMode: websocket.CompressionDisabled,
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer to the WebSocket's opening within %v", openTimeout)
	}
	return c, err
}

// readFrames takes each message: one JSON-RPC message or batch, or several
// lines of them. What is neither is noise.
func (w *wire) readFrames(ctx context.Context, c *websocket.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	noise := redact.NewLines(w.run.spec.Redactor, w.run.line(model.LineNoise))
	d := draft{room: w.run.host.room, done: ctx.Done(), cut: func() {
		w.fail(tooSlow())
		cancel()
	}}
	for {
		if err := d.readFrame(ctx, c); err != nil {
			d.drop()
			w.fail(w.run.webSocketEnd(err))
			return
		}
		w.takeFrame(d.data, noise)
		d.drop()
	}
}

// readFrame collects the next message.
func (d *draft) readFrame(ctx context.Context, c *websocket.Conn) error {
	_, in, err := c.Reader(ctx)
	if err != nil {
		return err
	}
	for {
		if len(d.data) == cap(d.data) {
			// It grows as by append, up to what a seat is for.
			if err := d.need(min(max(len(d.data), 512), max(bigMessage-len(d.data), 1))); err != nil {
				return err
			}
		}
		n, err := in.Read(d.data[len(d.data):cap(d.data)])
		d.data = d.data[:len(d.data)+n]
		if errors.Is(err, io.EOF) {
			d.complete()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// takeFrame takes what one frame held.
func (w *wire) takeFrame(data []byte, noise io.Writer) {
	if w.take(data) {
		return
	}
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) > 0 && !w.take(line) {
			_, _ = noise.Write(line)
			_, _ = noise.Write([]byte{'\n'})
		}
	}
}

// webSocketEnd is how a connection ended, from the error of its reader.
func (r *Run) webSocketEnd(err error) model.End {
	var frame websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig), errors.Is(err, errTooLong):
		return tooLong()
	case errors.As(err, &frame):
		return model.End{Cause: model.ClosedByPeer, CloseCode: model.Some(int(frame.Code)), Text: short(r.spec.Redactor, frame.Reason)}
	}
	return model.End{Cause: model.TransportBroken, Text: redact.Sprintf("the connection was cut: %s", r.errorText(err))}
}

// keepAlive pings until the wire ends. The pong is no probe: a missing one
// says nothing (P8).
func (w *wire) keepAlive(c *websocket.Conn) {
	tick := time.NewTicker(w.run.host.waits.ping)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, stop := context.WithTimeout(w.run.ctx, pongTimeout)
			_ = c.Ping(ctx)
			stop()
		case <-w.done:
			return
		}
	}
}
