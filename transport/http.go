package transport

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// maxResumes is how often in a row the stream of an answer is resumed that the
// server or a proxy cut before the answer came. Only one whose events bear ids
// can be.
const maxResumes = 2

// overHTTP talks Streamable HTTP. Where no handshake came of it, it returns
// why; else nil.
func (r *Run) overHTTP(p *process) *undialled {
	linger, stop := r.lingering()
	defer stop()
	rt := r.newRoundTripper(linger)
	err := r.hold(p, link{&mcp.StreamableClientTransport{
		Endpoint:             r.spec.URL.Reveal(),
		HTTPClient:           &http.Client{Transport: rt, CheckRedirect: rt.follow},
		MaxRetries:           maxResumes,
		DisableStandaloneSSE: true, // only a probe asks whether the server is there
		MaxEventSize:         maxMessage,
	}, rt.ending})
	if err == nil {
		return nil
	}
	return rt.undialled(err)
}

// ending is what to make of an error that ended a conversation over HTTP, or
// kept a WebSocket from being opened.
func (rt *roundTripper) ending(err error) (model.End, time.Time) {
	return rt.endOf(err), time.Now()
}

func (rt *roundTripper) endOf(err error) model.End {
	status := rt.status.Load()
	answer, answered := rt.run.answered(err)
	switch {
	case errors.Is(err, mcp.ErrSessionMissing) || status != nil && status.sessionMissing:
		return model.End{Cause: model.SessionMissing, Text: redact.Word("the server no longer knows our session")}
	case rt.tooLong.Load():
		return tooLong()
	case answered && (status == nil || status.code == http.StatusBadRequest):
		return answer
	case status != nil:
		return status.end(rt.run.spec)
	}
	if media := rt.foreign.Load(); media != nil {
		return model.End{Cause: model.TransportBroken, Text: redact.Sprintf(
			"the answer is %s and no MCP: check the url, and whether a proxy asks for a login", short(rt.run.spec.Redactor, cmp.Or(*media, "of an unknown type")))}
	}
	return rt.run.broken(err)
}

// end is what to make of a status that ended a connection to spec's url, or kept
// it from being made.
func (s *statusError) end(spec *model.Spec) model.End {
	if s.code == http.StatusUnauthorized {
		return model.End{Cause: model.NeedsCredentials, Text: needsCredentials(spec)}
	}
	return model.End{Cause: model.HTTPStatus, Text: s.text(), RetryAfter: s.retryAfter}
}

// needsCredentials says what to do about a 401 (D7).
func needsCredentials(spec *model.Spec) redact.Safe {
	set := redact.Word("headers in its entry")
	if len(spec.Credentials) > 0 {
		set = redact.Join(", ", spec.Credentials...)
	}
	return redact.Sprintf("needs credentials: set %s, then c (HTTP 401)", set)
}

// textAndWait is text, with how long the server wants to be left alone.
func (s *statusError) textAndWait() redact.Safe {
	if s.retryAfter == 0 {
		return s.text()
	}
	return redact.Sprintf("%s, which asks to wait %s", s.text(), model.Span(s.retryAfter))
}

// text is the status as the server gave it: a number, and the words that go
// with it; never its body.
func (s *statusError) text() redact.Safe {
	if !s.to.IsZero() {
		return redact.Sprintf("HTTP %d, a redirect to %s: if that is right, make it the url", redact.Int(s.code), s.to)
	}
	words := (*redact.Redactor)(nil).Text(http.StatusText(s.code))
	if words.IsZero() {
		return redact.Sprintf("HTTP %d", redact.Int(s.code))
	}
	return redact.Sprintf("HTTP %d %s", redact.Int(s.code), words)
}
