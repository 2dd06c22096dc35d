package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/transport"
)

func (a *app) probeCommand() *cobra.Command {
	var call toolCall
	c := &cobra.Command{
		Use:   "probe URL | probe -- COMMAND [ARG…]",
		Short: "One handshake with a server: revision, tools, ping; exit 0 where it answers",
		Long: `One handshake with a server: revision, tools, ping; exit 0 where it answers.
With --call it then calls one tool and prints what that answers, to see whether a
server that answers its pings does its work; exit 0 where the tool did not fail.
Nothing else in rollcall calls a tool.

Flags stand before the -- of a command: what comes after it is the command's.`,
		Example: `  rollcall probe https://mcp.example.com/mcp
  rollcall probe -- npx -y @modelcontextprotocol/server-everything
  rollcall probe https://mcp.example.com/mcp --call search --with '{"q": "x"}'
  rollcall probe --call search --with '{"q": "x"}' --timeout 90s -- npx -y @modelcontextprotocol/server-everything`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("probe what? A URL, or -- and a command: rollcall probe -- npx -y …")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := call.check(c); err != nil {
				return err
			}
			if dash := c.ArgsLenAtDash(); dash == 0 {
				return a.probe("", args, call)
			}
			if len(args) > 1 && call.tool != "" { // among them may be the tool's arguments, which are not repeated
				return usage("probe --call takes one URL, or -- and a command; a tool's arguments come after --with, as one word")
			}
			if len(args) != 1 || !strings.Contains(args[0], "://") {
				return usage("probe takes one URL, or -- and a command: rollcall probe -- %s", strings.Join(args, " "))
			}
			return a.probe(args[0], nil, call)
		},
	}
	call.flags(c)
	return c
}

// probe visits what stands on the command line.
func (a *app) probe(url string, command []string, call toolCall) error {
	spec, problems := config.AdHoc("probe", command, url, config.ProcessEnv())
	if spec == nil {
		for _, p := range problems {
			if !p.Warning {
				return failure{exitUsage, errors.New(p.Text.String())}
			}
		}
		return usage("this cannot be probed")
	}
	return a.visit(spec, call)
}

// visit makes one run, tells what it sees, asks once, calls the tool that it is
// told to, and ends it.
func (a *app) visit(spec *model.Spec, call toolCall) error {
	host, err := transport.NewHost(transport.Options{Version: version(), Stderr: a.stderr, Core: a.core, Adopt: a.stderr != nil})
	if err != nil {
		return failure{exitFailure, err}
	}
	defer host.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	events := make(chan model.RunEvent, 16)
	begun := time.Now()
	run := host.Start(spec, model.Dial{
		Run: 1, Timeout: min(spec.Timings.StartTimeout.D, model.MaxTimer),
		Report: func(ev model.RunEvent) { events <- ev }, // at most nine of them
		Line: func(_ time.Time, _ model.LineKind, text redact.Safe) {
			fmt.Fprintf(a.err, "| %s\n", text)
		},
	})
	v := &visit{app: a, spec: spec, call: call, run: run, begun: begun}
	return v.attend(ctx, events)
}

// visit is one probe under way.
type visit struct {
	app    *app
	spec   *model.Spec
	call   toolCall
	run    *transport.Run
	begun  time.Time
	born   time.Time
	during redact.Safe // what was under way when the run ended, if not all was as asked
	result error
	over   bool  // the result is known
	unsaid error // why something could not be printed
}

var errInterrupted = errors.New("probe: interrupted")

// attend tells each event, until everything is reaped.
func (v *visit) attend(ctx context.Context, events <-chan model.RunEvent) error {
	for {
		select {
		case <-ctx.Done():
			v.end(errInterrupted)
			ctx = context.Background()
		case ev := <-events:
			switch ev := ev.(type) {
			case model.Handshaken:
				v.handshaken(ev)
			case model.Connected:
				v.connected(ctx, ev)
			case model.Closed:
				v.closed(ev)
			case model.Reaped:
				if len(ev.Survivors) > 0 && v.result == nil {
					v.result = fmt.Errorf("probe: still there after SIGKILL: process %v", ev.Survivors)
				}
				if v.result == nil && v.unsaid != nil {
					v.result = fmt.Errorf("probe: print what was seen: %w", v.unsaid)
				}
				if v.result != nil {
					return failure{exitFailure, v.result}
				}
				return nil
			}
		}
	}
}

func (v *visit) say(line redact.Safe) {
	if _, err := fmt.Fprintln(v.app.out, line); err != nil && v.unsaid == nil {
		v.unsaid = err
	}
}

func (v *visit) handshaken(ev model.Handshaken) {
	v.born = ev.At
	h := ev.Handshake
	v.say(redact.Sprintf("handshake  %d ms, revision %s, %s", redact.Int(ev.At.Sub(v.begun).Milliseconds()), h.Revision, h.Server))
	if len(h.Capabilities) > 0 {
		v.say(redact.Sprintf("offers     %s", redact.Join(", ", h.Capabilities...)))
	}
}

func (v *visit) connected(ctx context.Context, ev model.Connected) {
	if ev.Tools.Ok {
		v.say(redact.Sprintf("tools      %d", redact.Int(ev.Tools.V)))
	} else {
		v.say(redact.Word("tools      not listed"))
	}
	window := min(v.spec.Timings.ProbeTimeout.D, model.MaxTimer)
	bounded, cancel := context.WithTimeout(ctx, window)
	defer cancel()
	p := v.run.Probe(bounded)
	ms := redact.Float(float64(p.Elapsed) / float64(time.Millisecond))
	switch {
	case p.Outcome == model.Alive:
		v.say(redact.Sprintf("probe      alive after %.1f ms", ms))
		if v.call.tool != "" {
			v.called(ctx)
			return
		}
		v.end(nil)
	case ctx.Err() != nil:
		v.end(errInterrupted)
	case p.Text.IsZero():
		v.end(errors.New(redact.Sprintf("probe: %s after %.1f ms", redact.Word("no answer"), ms).String()))
	default:
		v.end(errors.New(redact.Sprintf("probe: %s", p.Text).String()))
	}
}

func (v *visit) closed(ev model.Closed) {
	if v.born.IsZero() {
		v.end(errors.New("probe: " + v.reason(ev.End).String()))
		return
	}
	why := model.ClosedText(ev.At.Sub(v.born), ev.End)
	if ev.End.Cause == model.NeedsCredentials {
		why = v.reason(ev.End)
	}
	if v.call.tool != "" {
		why = transport.Unrepeated(why, json.RawMessage(v.call.arguments))
	}
	v.end(errors.New("probe: " + v.during.String() + why.String()))
}

// reason is why there was no handshake. What to do is said of an entry and of a
// row's key elsewhere: here there is neither.
func (v *visit) reason(end model.End) redact.Safe {
	field, text, hint := transport.Look(v.spec)
	switch {
	case end.Cause == model.CommandMissing && field != "":
		return redact.Sprintf("%s: %s", text, hint)
	case end.Cause == model.NeedsCredentials:
		return redact.Word("needs credentials: write its url and headers into a configuration (HTTP 401)")
	}
	return end.Reason()
}

// end keeps the first result, and closes the run.
func (v *visit) end(err error) {
	if !v.over {
		v.over, v.result = true, err
	}
	v.run.Stop()
}
