package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// The revisions that we speak, oldest first.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", newest}

const (
	newest           = "2026-07-28"
	newestInitialize = "2025-11-25" // the newest whose handshake is initialize
	maxName          = 200          // bytes of a server's name and version, and of a capability's
	maxCapabilities  = 64
)

const (
	methodDiscover   = "server/discover"
	methodInitialize = "initialize"
	methodListTools  = "tools/list"
	methodCancelled  = "notifications/cancelled"
)

// unsaid reports whether a message is not sent at all: the SDK cancels what was
// not answered in time. A server of an older revision may take the cancelled
// discovery for a breach, and what else rollcall asks for is small; an answer
// that comes late is dropped by its id (P7).
func unsaid(method string) bool { return method == methodCancelled }

// discovery is how far the newest revision's discovery has got (T6).
type discovery uint8

const (
	discoveryNone     discovery = iota // not sent
	discoveryAsked                     // sent, not answered
	discoverySilent                    // not answered in time
	discoveryAnswered                  // answered, with an error maybe
	discoveryUnread                    // the process has exited and not read it, sent or not
)

// session is a completed handshake.
type session struct {
	client    *mcp.ClientSession
	ask       mcp.MethodHandler // sends a request past our own middleware
	handshake model.Handshake
	revision  string
	self      *mcp.Implementation
	ending    func(error) (model.End, time.Time)
	mcpl      bool // the server answered with experimental.mcpl
}

// connect shakes hands over t. It is called again only where a launched
// server's url did not answer yet.
func (r *Run) connect(ctx context.Context, t mcp.Transport) (*session, error) {
	opts := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, // nothing that is not served
		Logger:       slog.New(slog.DiscardHandler),
		// It would call a tool again that wants input, or is busy.
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if r.spec.Protocol == model.MCPL {
		opts.Capabilities = mcplCapabilities()
	}
	s := &session{self: &mcp.Implementation{Name: "rollcall", Version: r.host.version}}
	client := mcp.NewClient(s.self, opts)
	if err := mcp.AddSendingCustomMethod[*policyParams, *policyResult](client, policyMethod); err != nil {
		return nil, err
	}
	var initialized atomic.Bool
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.ask = next
		return r.handshakeMiddleware(next, &initialized)
	})
	client.AddReceivingMiddleware(refuseAll)
	cs, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: r.revision()})
	if err != nil {
		return nil, err
	}
	s.client = cs
	s.describe(r.spec.Redactor, cs.InitializeResult())
	s.handshake.Legacy = initialized.Load() && r.spec.Revision == "" && r.spec.Protocol == model.MCP
	return s, nil
}

// refuseAll answers what the SDK knows of a server's requests, and would answer
// itself, as the unknown ones are (M2). Over HTTP it sees them.
func refuseAll(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "ping" || strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		return nil, refusal(method)
	}
}

// revision is what to ask for; empty for the newest.
func (r *Run) revision() string {
	switch {
	case r.spec.Protocol == model.MCPL:
		return mcplRevision
	case r.spec.Revision == "" && r.dial.Legacy:
		return newestInitialize
	}
	return r.spec.Revision
}

// handshakeMiddleware bounds discovery and follows how far the handshake has got.
func (r *Run) handshakeMiddleware(next mcp.MethodHandler, initialized *atomic.Bool) mcp.MethodHandler {
	var unreached error // the dial that failed: initialize may not find what discovery did not ask
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodDiscover:
			res, err := r.discover(ctx, next, req)
			if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
				unreached = err
			}
			return res, err
		case methodInitialize:
			if unreached != nil {
				return nil, unreached
			}
			initialized.Store(true)
			r.saw(redact.Word("no answer to initialize"))
			return r.initialize(ctx, next, req)
		}
		return next(ctx, method, req)
	}
}

// discover sends the newest revision's discovery, with a bound: a server that
// is silent is sent initialize on the same pipes.
func (r *Run) discover(ctx context.Context, next mcp.MethodHandler, req mcp.Request) (mcp.Result, error) {
	r.saw(redact.Word("no answer to server/discover"))
	bounded, stop := context.WithTimeout(ctx, r.host.waits.discover)
	defer stop()
	switch {
	case r.spec.Transport != model.HTTP:
		r.setDiscovery(discoveryAsked)
	case r.spec.Launch != nil: // else there is nothing to cut
		bounded = httptrace.WithClientTrace(bounded, &httptrace.ClientTrace{
			GotConn:              func(httptrace.GotConnInfo) { r.setDiscovery(discoveryAsked) }, // before, it may not listen yet
			GotFirstResponseByte: func() { r.setDiscovery(discoveryAnswered) },                   // be it a status
		})
	}
	res, err := next(bounded, methodDiscover, req)
	switch {
	case err == nil, rpcError(err) != nil:
		r.setDiscovery(discoveryAnswered)
	case bounded.Err() != nil:
		r.setDiscovery(discoverySilent)
	}
	return res, err
}

func (r *Run) setDiscovery(d discovery) {
	r.mu.Lock()
	if r.discovery != discoveryUnread {
		r.discovery = d
	}
	r.mu.Unlock()
}

// codeRejected is the SDK's own code for a request that never got an answer.
const codeRejected = -32005

// rpcError returns the JSON-RPC error that a server answered with; nil where
// err is something else.
func rpcError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if errors.As(err, &e) && e.Code != codeRejected {
		return e
	}
	return nil
}

// describe notes what the handshake told.
func (s *session) describe(red *redact.Redactor, res *mcp.InitializeResult) {
	s.revision = res.ProtocolVersion
	s.handshake.Revision = short(red, res.ProtocolVersion)
	if i := res.ServerInfo; i != nil {
		s.handshake.Server = short(red, i.Name)
		if i.Version != "" {
			s.handshake.Server = redact.Join(" ", s.handshake.Server, short(red, i.Version))
		}
	}
	c := res.Capabilities
	if c == nil {
		return
	}
	_, s.mcpl = c.Experimental[mcplKey]
	var names []string
	for name, has := range map[string]bool{"tools": c.Tools != nil, "resources": c.Resources != nil, "prompts": c.Prompts != nil,
		"completions": c.Completions != nil,
		//lint:ignore SA1019 a server of an older revision may offer it
		"logging": c.Logging != nil} {
		if has {
			names = append(names, name)
		}
	}
	for _, extra := range []map[string]any{c.Experimental, c.Extensions} {
		for name := range extra {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), maxCapabilities)] {
		s.handshake.Capabilities = append(s.handshake.Capabilities, short(red, name))
	}
}

func short(red *redact.Redactor, s string) redact.Safe {
	cut, _ := red.Text(s).Cut(maxName)
	return cut
}
