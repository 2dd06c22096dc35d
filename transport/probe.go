package transport

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// Probe asks the server for a sign of life (P1): ping up to 2025-11-25,
// server/discover on 2026-07-28, past every cache. ctx's deadline is the
// window. It may be called at any time; without a connection the outcome is
// Broken. A reply that comes after the window is dropped by its id (P7).
func (r *Run) Probe(ctx context.Context) model.Probed {
	r.mu.Lock()
	s, closed := r.session, r.closed
	r.mu.Unlock()
	if s == nil || closed {
		text := redact.Word("not connected")
		return model.Probed{Outcome: model.Broken, Text: text, End: model.End{Cause: model.TransportBroken, Text: text}}
	}
	began := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(r.ctx, stop)()
	err := s.probe(ctx)
	p := r.probed(ctx, s, err)
	p.Elapsed = time.Since(began)
	if p.Outcome == model.Broken && r.spec.Launch != nil {
		r.awaitClosed() // an exit says more than the pipe that broke with it
	}
	return p
}

// awaitClosed gives the run's own end, an exit above all, the time to be told
// before what a probe saw of it.
func (r *Run) awaitClosed() {
	wait := time.NewTimer(r.host.waits.exit)
	defer wait.Stop()
	select {
	case <-r.ctx.Done():
	case <-wait.C:
	}
}

// probe sends the cheapest request that reaches the server and back.
func (s *session) probe(ctx context.Context) error {
	if s.revision < newest {
		return s.client.Ping(ctx, nil)
	}
	_, err := s.ask(ctx, methodDiscover, &mcp.ClientRequest[*mcp.DiscoverParams]{Session: s.client, Params: &mcp.DiscoverParams{Meta: s.meta()}})
	return err
}

// meta is what the newest revision wants with each request; nil before that.
func (s *session) meta() mcp.Meta {
	if s.revision < newest {
		return nil
	}
	return mcp.Meta{
		mcp.MetaKeyProtocolVersion:    s.revision,
		mcp.MetaKeyClientInfo:         s.self,
		mcp.MetaKeyClientCapabilities: map[string]any{},
	}
}

// probed is what a probe's error says.
func (r *Run) probed(ctx context.Context, s *session, err error) model.Probed {
	if err == nil {
		return model.Probed{Outcome: model.Alive}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return model.Probed{Outcome: model.TimedOut}
	}
	var status *statusError
	if errors.As(err, &status) { // one that passes (P3)
		return model.Probed{Outcome: model.ProbeError, Text: status.textAndWait(), End: status.end(r.spec)}
	}
	if text, ok := misshapen(r.spec.Redactor, err); ok {
		return model.Probed{Outcome: model.ProbeError, Text: text} // it answered
	}
	end, _ := s.ending(err)
	rpc := rpcError(err)
	switch {
	case end.Cause == model.SessionMissing:
		return model.Probed{Outcome: model.Missing, Text: end.Text, End: end}
	case end.Cause == model.NeedsCredentials, end.Cause == model.HTTPStatus && rpc == nil:
		return model.Probed{Outcome: model.ProbeError, Text: end.Text, End: end}
	case rpc == nil:
		return model.Probed{Outcome: model.Broken, Text: end.Text, End: end}
	case rpc.Code == jsonrpc.CodeMethodNotFound:
		return model.Probed{Outcome: model.Alive} // it answered (P2)
	}
	return model.Probed{Outcome: model.ProbeError, Text: redact.Sprintf("error %d: %s", redact.Int(rpc.Code), short(r.spec.Redactor, rpc.Message))}
}
