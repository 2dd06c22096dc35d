package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rollcall/model"
	"rollcall/redact"
	"rollcall/transport"
)

// toolCall is the one call that an operator asks for by the tool's name. No
// other part of rollcall calls a tool (P1, M2).
type toolCall struct {
	tool      string // empty: no call
	arguments string // JSON, as typed; empty: none
	timeout   time.Duration
}

// callTimeout is how long a call may take where --timeout does not say: as long
// as a request of a server may by default (P4).
const callTimeout = 30 * time.Second

func (t *toolCall) flags(c *cobra.Command) {
	c.Flags().StringVar(&t.tool, "call", "", "call this `tool` once, and print what it answers")
	c.Flags().StringVar(&t.arguments, "with", "", "its arguments, a `JSON` object (default {})")
	c.Flags().DurationVar(&t.timeout, "timeout", callTimeout, "how long the call may take, as in 90s")
	_ = c.RegisterFlagCompletionFunc("call", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("with", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("timeout", cobra.NoFileCompletions)
}

// check returns an error of wrong usage. The arguments may hold secrets: it
// does not repeat them, nor what a decoder would say of them.
func (t *toolCall) check(c *cobra.Command) error {
	called, given := c.Flags().Changed("call"), c.Flags().Changed("with")
	var object map[string]json.RawMessage
	switch {
	case called && t.tool == "":
		return usage("probe: --call names no tool")
	case given && !called:
		return usage("probe: --with needs --call TOOL")
	case !utf8.ValidString(t.tool + t.arguments):
		return usage("probe: --call and --with take UTF-8")
	case given && (json.Unmarshal([]byte(t.arguments), &object) != nil || object == nil):
		return usage(`probe: --with is no JSON object: write it as --with '{"q": "x"}'`)
	case !called && c.Flags().Changed("timeout"):
		return usage("probe: --timeout is for a call: it needs --call TOOL")
	case t.timeout <= 0:
		return usage("probe: --timeout takes a time above 0, as 90s")
	case !given:
		t.arguments = "{}"
	}
	return nil
}

// called makes the call that was asked for, prints the answer, and ends the
// run; where the run ended first, its Closed does that.
func (v *visit) called(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, v.call.timeout)
	defer cancel()
	tool := v.spec.Redactor.Text(v.call.tool)
	got := v.run.Call(bounded, v.call.tool, json.RawMessage(v.call.arguments))
	ms := redact.Float(float64(got.Elapsed) / float64(time.Millisecond))
	switch {
	case got.Outcome == transport.Answered:
		v.say(redact.Sprintf("call       %s answered after %.1f ms", tool, ms))
		v.answer(got.Lines)
		v.end(nil)
	case got.Outcome == transport.ToolFailed:
		v.say(redact.Sprintf("call       %s failed after %.1f ms", tool, ms))
		v.answer(got.Lines)
		v.end(fmt.Errorf("probe: the tool %s says that it failed", tool))
	case got.Outcome == transport.RunEnded:
		v.during = redact.Sprintf("during the call of %s: ", tool)
	case ctx.Err() != nil:
		v.end(errInterrupted)
	case got.Outcome == transport.CallTimedOut:
		v.end(errors.New(redact.Sprintf("probe: the call of %s: no answer within %s (--timeout)", tool, model.Span(v.call.timeout)).String()))
	default:
		v.end(errors.New(redact.Sprintf("probe: the call of %s failed after %.1f ms: %s", tool, ms, got.Text).String()))
	}
}

// answer prints a tool's lines, set off from rollcall's own.
func (v *visit) answer(lines []redact.Safe) {
	for _, l := range lines {
		v.say(redact.Sprintf("  %s", l))
	}
}
