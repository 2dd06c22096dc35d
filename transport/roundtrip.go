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

	"rollcall/model"
	"rollcall/redact"
)

// sessionHeader bears an HTTP session's id.
const sessionHeader = "Mcp-Session-Id"

// maxRefusalBody is how much of a refusal's body is looked at, in bytes.
const maxRefusalBody = 64 << 10

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
	ctx, cancel := context.WithCancel(req.Context())
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
	case resp.StatusCode >= 400:
		err := rt.refused(req, resp, session)
		if err.passing() {
			release()
			_ = resp.Body.Close()
			return nil, err
		}
	case resp.StatusCode >= 300:
		rt.status.Store(&statusError{code: resp.StatusCode, to: rt.redirectTo(resp)})
	default:
		rt.foreign.Store(foreign(resp))
	}
	resp.Body = &boundBody{body: resp.Body, left: maxMessage, tooLong: &rt.tooLong, release: release}
	return resp, nil
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

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 10

// followSame follows a redirect that asks for the same request elsewhere (307,
// 308). The others turn a POST into a GET, and the answer to that is no MCP.
func followSame(req *http.Request, via []*http.Request) error {
	switch {
	case req.Method != via[0].Method:
		return http.ErrUseLastResponse
	case len(via) >= maxRedirects:
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	return nil
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

// refused notes a status that is no success.
func (rt *roundTripper) refused(req *http.Request, resp *http.Response, session bool) *statusError {
	err := &statusError{code: resp.StatusCode, retryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	if session && req.Method != http.MethodDelete {
		switch resp.StatusCode {
		case http.StatusNotFound:
			err.sessionMissing = true
		case http.StatusBadRequest, http.StatusUnauthorized:
			body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusalBody))
			err.sessionMissing = bytes.Contains(bytes.ToLower(body), []byte("session"))
			resp.Body = &putBack{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
		}
	}
	if req.Method != http.MethodDelete {
		rt.status.Store(err)
	}
	return err
}

type putBack struct {
	io.Reader
	io.Closer
}

// statusError is an HTTP status that is no success.
type statusError struct {
	code           int
	retryAfter     time.Duration // 0 where the server gave none
	sessionMissing bool          // it says that it no longer knows our session (T5)
	to             redact.Safe   // where a redirect leads; empty for the others
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP %d", e.code) }

// passing reports whether the status says nothing about the session.
func (e *statusError) passing() bool { return e.code == http.StatusTooManyRequests || e.code >= 500 }

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

// boundBody ends a body that is too long with an error.
type boundBody struct {
	body    io.ReadCloser
	left    int64
	tooLong *atomic.Bool
	release func()
}

func (b *boundBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.tooLong.Store(true)
		return 0, fmt.Errorf("a body of more than %d bytes", maxMessage)
	}
	return n, err
}

func (b *boundBody) Close() error {
	err := b.body.Close()
	b.release()
	return err
}
