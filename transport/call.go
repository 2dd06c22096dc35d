package transport

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// maxRefusal is how much is kept of the message of a JSON-RPC error, in bytes.
const maxRefusal = 4 << 10

// Called is what became of a tool's call.
type Called struct {
	Outcome CallOutcome
	Elapsed time.Duration // until the answer, or until it failed
	// Lines is what the tool answered, redacted, at most 64 KiB of it; the last
	// line says where it was cut. It is there for Answered and ToolFailed alone.
	Lines []redact.Safe
	Text  redact.Safe // why nothing was answered, redacted, for CallFailed
}

// CallOutcome is how a tool's call came out.
type CallOutcome uint8

// The outcomes of a tool's call.
const (
	CallFailed   CallOutcome = iota // a JSON-RPC error, an HTTP status, a broken connection; Text says which
	Answered                        // the tool answered
	ToolFailed                      // the tool answered that it failed
	CallTimedOut                    // ctx's deadline came first
	RunEnded                        // the run was closed first: its Closed says why
)

// Call calls one tool, once, with arguments, a JSON object, and waits for the
// answer until ctx ends. It may be called at any time, from any goroutine.
//
// It is for an operator who has named the tool, and for nobody else: a probe
// never calls a tool (P1), nor does the engine (M2). So it is not among what
// supervise asks of a run, nor is its result in model, where supervise could
// name it.
func (r *Run) Call(ctx context.Context, tool string, arguments json.RawMessage) Called {
	r.mu.Lock()
	s, closed := r.session, r.closed
	r.mu.Unlock()
	if s == nil || closed {
		return Called{Text: redact.Word("not connected")}
	}
	if !json.Valid(arguments) {
		return Called{Text: redact.Word("the arguments are no JSON")} // which may hold secrets: they are not repeated
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(r.ctx, stop)()
	if s.revision >= newest && r.spec.Transport == model.HTTP {
		s.learnTool(ctx, tool)
	}
	began := time.Now()
	res, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	took := time.Since(began)
	var c Called
	if err == nil {
		c = r.toolAnswered(res, arguments)
	} else {
		c = r.callFailed(ctx, s, err, arguments)
		if c.Outcome == CallFailed && (broke(err) || hungUpError(err)) {
			r.awaitEnd(ctx)
		}
		if c.Outcome == CallFailed && r.ctx.Err() != nil {
			c = Called{Outcome: RunEnded}
		}
	}
	c.Elapsed = took
	return c
}

// awaitEnd gives the run the time to tell how it ended, which says more than the
// call that broke with it. Over HTTP there may be nothing that ends.
func (r *Run) awaitEnd(ctx context.Context) {
	if ctx.Err() == nil && (r.spec.Launch != nil || r.spec.Transport != model.HTTP) {
		r.awaitClosed()
	}
}

// learnTool has the SDK list the tools until it has seen this one: on the newest
// revision a tool may want some of its arguments as HTTP headers too, and the
// SDK takes from its own list which. What fails here fails in the call.
func (s *session) learnTool(ctx context.Context, tool string) {
	cursor := ""
	for range maxToolPages {
		res, err := s.client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil || res.NextCursor == "" || res.NextCursor == cursor {
			return
		}
		for _, t := range res.Tools {
			if t.Name == tool {
				return
			}
		}
		cursor = res.NextCursor
	}
}

// callFailed is what a call's error says.
func (r *Run) callFailed(ctx context.Context, s *session, err error, arguments json.RawMessage) Called {
	p := r.probed(ctx, s, err)
	rpc := rpcError(err)
	switch {
	case p.Outcome == model.TimedOut:
		return Called{Outcome: CallTimedOut}
	case rpc != nil && (p.Outcome == model.Alive || p.Outcome == model.ProbeError) && !hungUp(rpc):
		return Called{Text: r.refusalText(rpc, arguments)}
	}
	return Called{Text: p.Text}
}

// hungUpError reports whether err is the SDK's own answer for a connection that
// has ended.
func hungUpError(err error) bool {
	e := rpcError(err)
	return e != nil && hungUp(e)
}

// refusalText is what a JSON-RPC error says, which may be of several lines.
func (r *Run) refusalText(e *jsonrpc.Error, arguments json.RawMessage) redact.Safe {
	message := unrepeated(arguments).Text(r.spec.Redactor.Text(e.Message).String())
	if cut, was := message.Cut(maxRefusal); was {
		message = redact.Sprintf("%s…", cut)
	}
	return redact.Sprintf("error %d: %s", redact.Int(e.Code), message)
}

// argumentMark is shown instead of an argument that an error repeats.
const argumentMark = "argument"

// unrepeated takes out what was given as arguments: they may hold secrets that
// no entry names, and errors end up in logs. What R1 exempts is left.
func unrepeated(arguments json.RawMessage) *redact.Redactor {
	var given any
	_ = json.Unmarshal(arguments, &given) // what is none was refused
	var sources []redact.Source
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			sources = append(sources, redact.Source{Name: argumentMark, Value: redact.NewSecret(v)})
		case []any:
			for _, part := range v {
				collect(part)
			}
		case map[string]any:
			for _, part := range v {
				collect(part)
			}
		}
	}
	collect(given)
	return redact.New(sources)
}
