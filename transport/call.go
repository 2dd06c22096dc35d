package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// maxRefusal is how much is kept of why a call failed, in bytes.
const maxRefusal = 4 << 10

// Called is what became of a tool's call. Its zero value is a failure.
type Called struct {
	Outcome CallOutcome
	// Elapsed is the time until the answer, or until the call failed; 0 where
	// nothing was sent.
	Elapsed time.Duration
	// Lines is what the tool answered, redacted, at most 64 KiB of it; the last
	// line says where it was cut. It is there for Answered and ToolFailed alone.
	Lines []redact.Safe
	// Text is why there is no answer, redacted, at most 4 KiB. It is there for
	// CallFailed alone.
	Text redact.Safe
}

// CallOutcome is how a tool's call came out.
type CallOutcome uint8

// The outcomes of a tool's call.
const (
	// CallFailed is a call without a tool's answer: a JSON-RPC error, an HTTP
	// status, an answer that is none of MCP's, a tool that wants input first, a
	// broken connection or ctx's cancellation; and one that was not sent, since
	// there is no connection yet or the arguments are no JSON object. Text says
	// which.
	CallFailed   CallOutcome = iota
	Answered                 // the tool answered
	ToolFailed               // the tool answered that it failed
	CallTimedOut             // ctx's deadline came first
	RunEnded                 // the run was closed before the answer, or the call: its Closed says why
)

// Call calls one tool, once, and waits for the answer until ctx ends. The
// arguments are a JSON object, {} for none; whatever else is refused, nil too. It
// may be called at any time, from any goroutine.
//
// It is for an operator who has named the tool, and for nobody else: a probe
// never calls a tool (P1), nor does the engine (M2). So it is not among what
// supervise asks of a run, nor is its result in model, where supervise could
// name it.
func (r *Run) Call(ctx context.Context, tool string, arguments json.RawMessage) Called {
	r.mu.Lock()
	s, closed := r.session, r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return Called{Outcome: RunEnded}
	case s == nil:
		return Called{Text: redact.Word("not connected")}
	case !isObject(arguments):
		return Called{Text: redact.Word("the arguments are no JSON object")} // which may hold secrets: they are not repeated
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

// isObject reports whether text is a JSON object, and nothing after it.
func isObject(text json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object) == nil && object != nil // null makes a nil map
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
	return Called{Text: cutRefusal(unrepeated(arguments).line(p.Text))}
}

// hungUpError reports whether err is the SDK's own answer for a connection that
// has ended.
func hungUpError(err error) bool {
	e := rpcError(err)
	return e != nil && hungUp(e)
}

// refusalText is what a JSON-RPC error says, which may be of several lines.
func (r *Run) refusalText(e *jsonrpc.Error, arguments json.RawMessage) redact.Safe {
	given := unrepeated(arguments)
	message := given.line(r.spec.Redactor.Text(given.text(e.Message)))
	return cutRefusal(redact.Sprintf("error %d: %s", redact.Int(e.Code), message))
}

// cutRefusal is text of at most maxRefusal bytes.
func cutRefusal(text redact.Safe) redact.Safe {
	const more = "…"
	if len(text.String()) <= maxRefusal {
		return text
	}
	text, _ = text.Cut(maxRefusal - len(more))
	return redact.Sprintf("%s%s", text, redact.Word(more))
}

// argumentMark is shown instead of an argument that an error repeats.
const argumentMark = "argument"

// given is what was given as arguments, to be taken out of errors: it may hold
// secrets that no entry names, and errors end up in logs. A nil one takes out
// nothing.
type given struct {
	plain *strings.Replacer // in their own form, wherever a line may be cut later
	forms *redact.Redactor  // in those too that a secret may have (R1)
}

// text is a server's text without them, which is not safe yet.
func (g *given) text(s string) string {
	if g == nil {
		return s
	}
	return g.plain.Replace(s)
}

// line is a safe line without them.
func (g *given) line(s redact.Safe) redact.Safe {
	if g == nil {
		return s
	}
	return g.forms.Text(s.String())
}

// Unrepeated is a text without what was given as arguments of a call.
func Unrepeated(text redact.Safe, arguments json.RawMessage) redact.Safe {
	return unrepeated(arguments).line(text)
}

// unrepeated takes out the values of arguments, at any depth: texts but for those
// that R1 exempts, and numbers of more than 5 digits, as they were written and as
// a program prints a number that it has read, without their sign. Keys are left,
// and true, false and null.
func unrepeated(arguments json.RawMessage) *given {
	var values any
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	_ = d.Decode(&values) // what is none was refused
	var sources []redact.Source
	var plain []string
	add := func(value string) {
		if utf8.RuneCountInString(value) >= longArgument {
			plain = append(plain, value, "‹"+argumentMark+"›")
		}
		sources = append(sources, redact.Source{Name: argumentMark, Value: redact.NewSecret(value)})
	}
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			add(v)
		case json.Number:
			for _, form := range longForms(v) {
				add(form)
			}
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
	collect(values)
	return &given{strings.NewReplacer(plain...), redact.New(sources)}
}

// longArgument is from how many characters on an argument is taken out of the
// middle of a word too.
const longArgument = 8

// maxOrdinary is how many digits a number has that is no secret (R1).
const maxOrdinary = 5

// longForms are the ways in which a number may be repeated, without its sign;
// none where each of them has few digits.
func longForms(n json.Number) []string {
	forms := []string{strings.TrimPrefix(n.String(), "-")}
	if f, err := n.Float64(); err == nil {
		f = math.Abs(f)
		forms = append(forms, strconv.FormatFloat(f, 'f', -1, 64), strconv.FormatFloat(f, 'g', -1, 64))
	}
	if !slices.ContainsFunc(forms, func(form string) bool { return digits(form) > maxOrdinary }) {
		return nil
	}
	return forms
}

// digits counts them.
func digits(s string) (n int) {
	for _, c := range s {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}
