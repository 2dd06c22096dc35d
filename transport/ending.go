package transport

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// link is one way to a server: an mcp.Transport, and what to make of an error
// that ended a conversation over it.
type link struct {
	mcp.Transport
	ending func(error) (model.End, time.Time)
}

// hold shakes hands over l, settles, and holds the session until it ends; then
// it closes the run and hangs up. It returns an error only where the handshake
// failed: then nothing was reported.
func (r *Run) hold(p *process, l link) error {
	s, err := r.connect(r.ctx, l)
	if err != nil {
		return err
	}
	s.ending = l.ending
	waited := make(chan error, 1)
	go r.host.guarded(func() { waited <- s.client.Wait() })()
	// Closing comes first: hanging up takes time where a peer is silent.
	defer func() { _ = s.client.Close() }()
	if end, held := r.heldElsewhere(p); held {
		r.close(time.Now(), end)
		return nil
	}
	if !r.handshaken(s) {
		return nil
	}
	if err = r.settle(p, s); err == nil {
		select {
		case err = <-waited:
		case <-r.ctx.Done():
			return nil
		}
	}
	end, at := l.ending(err)
	r.closeOrExit(p, at, end)
	return nil
}

// answered is the end of a handshake to which the server answered no. A row shows
// some forty cells of it: what was answered comes first.
func (r *Run) answered(err error) (model.End, bool) {
	r.mu.Lock()
	up := r.session != nil
	r.mu.Unlock()
	if up || err == nil {
		return model.End{}, false
	}
	red := r.spec.Redactor
	if text, ok := misshapen(red, err); ok {
		return model.End{Cause: model.HandshakeFailed, Text: text}, true
	}
	if _, named, ok := strings.Cut(err.Error(), "unsupported protocol version: "); ok && rpcError(err) == nil {
		if named = strings.Trim(named, `"`); named == "" {
			return noCommon(redact.Word("no protocol version in the server's answer to initialize")), true
		}
		return noCommon(redact.Sprintf("unknown protocol version %s from the server", short(red, named))), true
	}
	e := rpcError(err)
	switch {
	case e == nil, hungUp(e):
		return model.End{}, false
	case refusesRevision(e):
		return noCommon(refusedTwice(err, redact.Sprintf("protocol version refused: error %d: %s", redact.Int(e.Code), short(red, e.Message)))), true
	}
	return model.End{Cause: model.HandshakeFailed, Text: refusedTwice(err, redact.Sprintf("error %d: %s, in answer to %s", redact.Int(e.Code), short(red, e.Message), methodOf(err, redact.Word("the handshake"))))}, true
}

// hungUp reports whether an error is the SDK's own, which answers itself so where
// the connection has ended meanwhile: no server said it.
func hungUp(e *jsonrpc.Error) bool {
	const clientClosing, serverClosing = -32003, -32004
	return e.Code == clientClosing && strings.HasPrefix(e.Message, "client is closing") ||
		e.Code == serverClosing && strings.HasPrefix(e.Message, "server is closing")
}

func noCommon(what redact.Safe) model.End {
	return model.End{Cause: model.NoCommonRevision, Text: redact.Sprintf("%s; rollcall speaks %s to %s", what, redact.Name(revisions[0]), redact.Word(newest))}
}

// refusesRevision reports whether an error says that the server speaks none of
// our revisions: by its code, or by a list of those that it speaks.
func refusesRevision(e *jsonrpc.Error) bool {
	var data struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(e.Data, &data)
	if len(data.Supported) == 0 {
		return e.Code == mcp.CodeUnsupportedProtocolVersion
	}
	return !slices.ContainsFunc(data.Supported, func(v string) bool { return slices.Contains(revisions, v) })
}

// broken is an end of which only an error's text is known.
func (r *Run) broken(err error) model.End {
	if err == nil || errors.Is(err, mcp.ErrConnectionClosed) {
		return model.End{Cause: model.TransportBroken, Text: redact.Word("the connection was cut")}
	}
	return model.End{Cause: model.TransportBroken, Text: r.errorText(err)}
}

// errorText is an error's text without the URL that net/http puts into it: its
// query may be a secret that no field names.
func (r *Run) errorText(err error) redact.Safe {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return redact.Word("no answer in time")
	}
	if text, ok := tlsText(err, r.spec); ok {
		return text
	}
	text, _ := r.spec.Redactor.Error(err).Cut(maxErrorText)
	return text
}

// maxErrorText bounds an error's text, in bytes.
const maxErrorText = 1024
