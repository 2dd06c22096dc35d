package transport

import (
	"context"
	"errors"
	"net/http"
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

// undialled is why a url that was dialled gave no handshake.
type undialled struct {
	end    model.End
	at     time.Time
	status *statusError // the answer, where that was a status that is no success
	lost   bool         // its redirects led nowhere
}

func (rt *roundTripper) undialled(err error) *undialled {
	end, at := rt.ending(err)
	return &undialled{end, at, rt.status.Load(), errors.Is(err, errRedirects)}
}

// overURL is the conversation with a server at a url. Where rollcall launched
// it as well, the url is tried until it answers or the run ends (C2).
func (r *Run) overURL(p *process) {
	talk := r.overHTTP
	if r.spec.Transport == model.WebSocket {
		talk = r.overWebSocket
	}
	r.saw(redact.Word("no answer from the url"))
	for wait := redialFirst; r.ctx.Err() == nil; wait = min(2*wait, redialLast) {
		why := talk(p)
		if why == nil {
			return
		}
		pause, again := why.redial(wait, r.dial.Timeout-time.Since(r.started))
		if p == nil || !again || r.refusesDiscovery(why.end) {
			r.closeOrExit(p, why.at, why.end)
			return
		}
		r.saw(why.end.Text)
		select {
		case <-time.After(pause):
		case <-r.ctx.Done():
		}
	}
}

// redial is how long to wait until the url of a launched server is dialled once
// more, with left of its start_timeout, or that it is not: the answer is a
// decision. wait is the wait without a word of the server's.
func (u *undialled) redial(wait, left time.Duration) (pause time.Duration, again bool) {
	switch u.end.Cause {
	case model.TransportBroken, model.ClosedByPeer:
		return wait, !u.lost // it may not listen yet
	case model.HTTPStatus:
	default:
		return 0, false
	}
	code := 0
	if u.status != nil {
		code = u.status.code
	}
	if after := u.end.RetryAfter; after > 0 {
		// One that is still loading says when it will be there (H1). To end the
		// attempt would end the loading; what asks for more is not loading.
		return after, code == http.StatusServiceUnavailable && after < left
	}
	switch code {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusTooEarly,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		// It listens, but not yet on this path, or not yet with all that it needs,
		// or what listens is a proxy before it.
		return wait, true
	}
	// A redirect, a refusal of who asks (403), of how often (429), or of what (400):
	// that is the server itself, and in half a second it would say the same.
	return 0, false
}

// refusesDiscovery reports whether an end means that the server hung up upon
// discovery: it would again (T6).
func (r *Run) refusesDiscovery(end model.End) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.discovery == discoveryAsked && refuses(end.Cause)
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
