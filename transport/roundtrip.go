package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"rollcall/model"
	"rollcall/redact"
)

// sessionHeader bears an HTTP session's id.
const sessionHeader = "Mcp-Session-Id"

// What a refusal's body is worth: the status says more, and must not wait for it.
const (
	maxRefusalBody = 64 << 10 // bytes
	refusalTime    = time.Second
)

// roundTripper is a run's way to HTTP. It adds the entry's headers, but only
// for the url's own host; notes the status of what was refused; bounds bodies;
// and ends all of the run's requests with its context.
type roundTripper struct {
	run  *Run
	ctx  context.Context
	home *url.URL // nil where the url does not parse: then no header is sent

	status  atomic.Pointer[statusError] // of the last answer; nil where it was a success
	foreign atomic.Pointer[string]      // the media type of the last answer; nil where it may be MCP
	tooLong atomic.Bool                 // a body exceeded maxMessage
}

func (r *Run) newRoundTripper(ctx context.Context) *roundTripper {
	home, err := url.Parse(r.spec.URL.Reveal())
	if err != nil {
		home = nil
	}
	return &roundTripper{run: r, ctx: ctx, home: home}
}

// RoundTrip sends one request.
func (rt *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	said := peek(req)
	if unsaid(said.Method) {
		_ = req.Body.Close()
		return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Request: req}, nil
	}
	asked := req.Context()
	ctx, cancel := context.WithCancel(asked)
	stop := context.AfterFunc(rt.ctx, cancel)
	release := func() {
		stop()
		cancel()
	}
	req = req.Clone(ctx)
	if answer := said.reworded(); answer != nil {
		_ = req.Body.Close()
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(answer)), int64(len(answer))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(answer)), nil }
	}
	session := req.Header.Get(sessionHeader) != ""
	rt.dress(req)
	if req.Method != http.MethodDelete {
		rt.status.Store(nil) // the goodbye does not hide why it was said
		rt.foreign.Store(nil)
	}
	resp, err := rt.run.host.web.RoundTrip(req)
	if err != nil {
		release()
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		// The WebSocket takes the body as it is: the socket. It is cut here once
		// the goodbye has had its time: Close alone may wait for longer.
		socket := resp.Body
		context.AfterFunc(rt.ctx, func() { _ = socket.Close() })
		return resp, nil
	case resp.StatusCode >= 300:
		return rt.refused(req, resp, session, release)
	case req.Method == http.MethodDelete:
	default:
		rt.foreign.Store(foreign(resp))
	}
	resp.Body = rt.bound(ctx, resp, release)
	return rt.heard(asked, resp, said)
}

// foreign is the media type of an answer that cannot be MCP, such as the page
// on which a proxy asks for a login; else nil.
func foreign(resp *http.Response) *string {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case media == "application/json", media == "text/event-stream", media == "" && resp.ContentLength == 0,
		resp.StatusCode == http.StatusAccepted, resp.StatusCode == http.StatusNoContent:
		return nil
	}
	return &media
}

// redirectTo is where a redirect leads, without what may be a secret of it.
func (rt *roundTripper) redirectTo(resp *http.Response) redact.Safe {
	to, err := resp.Location()
	if err != nil {
		return redact.Safe{}
	}
	to.User, to.RawQuery, to.Fragment = nil, "", ""
	return short(rt.run.spec.Redactor, to.String())
}

// dress adds the entry's headers, or, where a redirect leads to another host,
// takes out what that host must not see.
func (rt *roundTripper) dress(req *http.Request) {
	req.Header.Del("Referer") // it would hold the url's query
	if rt.home == nil || req.URL.Host != rt.home.Host || secure(req.URL.Scheme) != secure(rt.home.Scheme) {
		for _, name := range []string{"Authorization", "Cookie", sessionHeader} {
			req.Header.Del(name)
		}
		return
	}
	for _, h := range rt.run.spec.Headers {
		if strings.EqualFold(h.Name, "Host") {
			req.Host = h.Value.Reveal()
			continue
		}
		req.Header.Set(h.Name, h.Value.Reveal())
	}
}

func secure(scheme string) bool { return scheme == "https" || scheme == "wss" }

// refused notes a status that is no success. One that passes is an error of its
// request alone; to the SDK's own mind nearly every other ends the connection.
func (rt *roundTripper) refused(req *http.Request, resp *http.Response, session bool, release func()) (*http.Response, error) {
	status := &statusError{code: resp.StatusCode, held: req.Method == http.MethodPost && rt.run.isUp()}
	if status.code < 400 {
		status.to = rt.redirectTo(resp)
	} else {
		status.retryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	body := refusalBody(resp, release)
	if session && req.Method != http.MethodDelete {
		switch status.code {
		case http.StatusNotFound:
			status.sessionMissing = true
		case http.StatusBadRequest, http.StatusUnauthorized:
			status.sessionMissing = bytes.Contains(bytes.ToLower(body), []byte("session"))
		}
	}
	if req.Method != http.MethodDelete {
		rt.status.Store(status)
	}
	if status.troubled() || status.passing() && !followed(resp) && !answersWithError(body) {
		return nil, status
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// refusalBody is what came of a refusal's body: its beginning, where it has no
// end or stalls. It ends the request.
func refusalBody(resp *http.Response, release func()) []byte {
	late := time.AfterFunc(refusalTime, release)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusalBody))
	late.Stop()
	_ = resp.Body.Close()
	release()
	return body
}

// followed reports whether the client asks for the same request elsewhere.
func followed(resp *http.Response) bool {
	again := resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect
	return again && resp.Header.Get("Location") != ""
}

// answersWithError reports whether a refusal's body is a JSON-RPC error in answer
// to a request: it says more than the status, and the SDK passes it on.
func answersWithError(body []byte) bool {
	m, err := decode(body)
	answer, ok := m.(*jsonrpc.Response)
	return err == nil && ok && answer.Error != nil
}

// isUp reports whether the run's handshake is complete.
func (r *Run) isUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session != nil
}

// statusError is an HTTP status that is no success.
type statusError struct {
	code           int
	retryAfter     time.Duration // 0 where the server gave none
	sessionMissing bool          // it says that it no longer knows our session (T5)
	to             redact.Safe   // where a redirect leads; empty for the others
	held           bool          // it answers a request that came after the handshake
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP %d", e.code) }

// troubled reports whether the status speaks of too many requests, or of a server
// or proxy in trouble: whatever it answers, it says nothing about the session.
func (e *statusError) troubled() bool { return e.code == http.StatusTooManyRequests || e.code >= 500 }

// passing reports whether the status says nothing about the session: nor does what
// an established one gets that is neither a want of credentials (H1) nor its end
// (T5).
func (e *statusError) passing() bool {
	return e.troubled() || e.held && e.code != http.StatusUnauthorized && !e.sessionMissing
}

// retryAfter reads a Retry-After header: seconds or a date, at most
// model.MaxTimer.
func retryAfter(v string, now time.Time) time.Duration {
	switch n, err := strconv.ParseUint(v, 10, 32); {
	case err == nil:
		return min(time.Duration(n)*time.Second, model.MaxTimer)
	case errors.Is(err, strconv.ErrRange):
		return model.MaxTimer
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(at.Sub(now), 0), model.MaxTimer)
	}
	return 0
}

// bound bounds an answer's body. ctx is the request's; release ends it.
func (rt *roundTripper) bound(ctx context.Context, resp *http.Response, release func()) *boundBody {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	b := &boundBody{body: resp.Body, left: maxMessage, tooLong: &rt.tooLong, release: release,
		room: rt.run.host.bodies, over: ctx.Done(), events: media == "text/event-stream"}
	if resp.ContentLength > maxMessage {
		b.left = -1 // it need not be read to know
	}
	return b
}

// boundBody ends a body that is too long with an error. The SDK collects a body,
// or an event of one: what it keeps of more than bigMessage bytes wants a seat in
// the host's room for bodies, until it is read.
type boundBody struct {
	body    io.ReadCloser
	left    int64
	tooLong *atomic.Bool
	release func()

	room   *room
	over   <-chan struct{}
	events bool
	kept   int                  // bytes that the reader has to keep together
	seat   atomic.Pointer[seat] // nil: none
}

func (b *boundBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.exceeded()
	}
	if b.kept >= bigMessage && b.seat.Load() == nil {
		s, err := b.room.take(b.over, b.cut)
		if err != nil {
			return 0, err
		}
		b.seat.Store(s)
		select {
		case <-b.over: // Close may have been here before the seat was
			b.leave()
			return 0, errHungUp
		default:
		}
	}
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.exceeded()
	}
	b.kept += n
	if b.events {
		b.ended(p[:n])
	}
	if s := b.seat.Load(); s != nil && s.wasSlow() {
		return n, errSlow
	}
	return n, err
}

func (b *boundBody) exceeded() error {
	b.tooLong.Store(true)
	return fmt.Errorf("a body of more than %d bytes", maxMessage)
}

// ended looks for the end of an event in what was read: the reader keeps nothing
// from before. One whose end comes in two pieces is taken for a part of the next.
func (b *boundBody) ended(p []byte) {
	end := max(bytes.LastIndex(p, []byte("\n\n")), bytes.LastIndex(p, []byte("\n\r\n")))
	if end < 0 {
		return
	}
	if b.leave(); b.kept >= len(p)-end {
		b.kept = len(p) - end
	}
}

// cut ends the request, so that a Read that waits for more returns.
func (b *boundBody) cut() { b.release() }

// leave gives the seat back.
func (b *boundBody) leave() {
	if s := b.seat.Swap(nil); s != nil {
		s.read(b.kept)
		s.free()
	}
}

func (b *boundBody) Close() error {
	err := b.body.Close()
	b.release()
	b.leave()
	return err
}
