package transport

import (
	"context"
	"errors"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	openTimeout = 15 * time.Second // for a WebSocket's opening (T4), and for TLS
	goodbye     = time.Second      // how long a close frame or a DELETE may take
	redialFirst = 50 * time.Millisecond
	redialLast  = 500 * time.Millisecond
)

// overURL is the conversation with a server at a url. Where rollcall launched
// it as well, the url is tried until it answers or the run ends (C2).
func (r *Run) overURL(p *process) {
	talk := r.overHTTP
	if r.spec.Transport == model.WebSocket {
		talk = r.overWebSocket
	}
	r.saw(redact.Word("no answer from the url"))
	for wait := redialFirst; r.ctx.Err() == nil; wait = min(2*wait, redialLast) {
		end, at, failed := talk(p)
		if !failed {
			return
		}
		if p == nil || !notYet(end) {
			r.closeOrExit(p, at, end)
			return
		}
		r.saw(end.Text)
		select {
		case <-time.After(wait):
		case <-r.ctx.Done():
		}
	}
}

// notYet reports whether an end may only mean that a server which was just
// launched does not listen yet, or not on this path.
func notYet(end model.End) bool {
	switch end.Cause {
	case model.TransportBroken, model.ClosedByPeer, model.HTTPStatus:
		return true
	}
	return false
}

// lingering is a context that outlives the run by the time that a goodbye may
// take. Its stop ends it at once, and so does Kill.
func (r *Run) lingering() (ctx context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	forget := context.AfterFunc(r.ctx, func() {
		late := time.AfterFunc(goodbye, cancel)
		context.AfterFunc(ctx, func() { late.Stop() })
	})
	spare := context.AfterFunc(r.killed, cancel)
	return ctx, func() {
		forget()
		spare()
		cancel()
	}
}

// passing reports whether an HTTP status says nothing about the connection:
// too many requests, or a server or proxy in trouble (P3).
func passing(err error) bool {
	var s *statusError
	return errors.As(err, &s) && s.passing()
}
