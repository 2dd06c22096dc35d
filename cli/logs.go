package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/model"
)

const (
	allKept    = bus.MaxKept // all lines of a server, or events
	newestKept = 10          // with -f, as tail has it
)

// reading are the flags of what is read and, with -f, followed.
type reading struct {
	newest int
	follow bool
	json   bool
}

func (r *reading) flags(c *cobra.Command) {
	c.Flags().IntVarP(&r.newest, "lines", "n", allKept, "only the newest `N` of what is kept (default all, with -f 10)")
	c.Flags().Lookup("lines").DefValue = "0" // said in the usage
	c.Flags().BoolVarP(&r.follow, "follow", "f", false, "go on with what comes")
	c.Flags().BoolVar(&r.json, "json", false, "one JSON object a line")
}

// limit is how many of what is kept are wanted.
func (r *reading) limit(c *cobra.Command) (int, error) {
	switch {
	case r.newest < 0:
		return 0, usage("%s: -n takes a number from 0 on", c.Name())
	case r.follow && !c.Flags().Changed("lines"):
		return newestKept, nil
	}
	return min(r.newest, allKept), nil
}

func (a *app) logsCommand() *cobra.Command {
	var r reading
	c := &cobra.Command{
		Use:   "logs NAME",
		Short: "What a server said on stderr, and what happened to it",
		Long: `logs prints the log of a server of the running engine, as the dashboard's pane
shows it: what the server said, behind a bar, and rollcall's own lines among it.
The engine keeps the last 1,000 lines of a server, and at most 256 KiB.

With -f it goes on until it is interrupted, or the engine ends. What it was too
slow for is counted, in its place.`,
		Example: `  rollcall logs github -n 100
  rollcall logs github -f | grep -i error
  rollcall logs github --json | jq -r 'select(.event == "stderr").line'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("logs of which server? `rollcall status` lists them")
			}
			return cobra.ExactArgs(1)(c, args)
		},
		ValidArgsFunction: a.completeOne,
		RunE: func(c *cobra.Command, args []string) error {
			limit, err := r.limit(c)
			if err != nil {
				return err
			}
			return a.logs(args[0], limit, r)
		},
	}
	r.flags(c)
	return a.needsEngine(c)
}

func (a *app) logs(server string, limit int, r reading) error {
	client, err := a.reach("logs", true)
	if err != nil {
		return err
	}
	defer client.Close()
	fleet, err := fleetOf("logs", client)
	if err != nil {
		return err
	}
	if err := knownAs([]string{server}, fleet); err != nil {
		return err
	}
	out := bufio.NewWriterSize(a.out, outBuffer)
	p := newPrinter(out, r.json, true)
	if r.follow {
		ctx, cancel := untilUnread(a.out)
		defer cancel()
		err := client.FollowLines(ctx, server, 0, limit, func(lines []bus.FollowedLine) error {
			for _, l := range lines {
				if l.Missed > 0 {
					p.missed(l.Server, l.Missed)
				} else {
					p.line(l.Server, l.Line)
				}
			}
			return out.Flush()
		})
		return followed(ctx, "logs", out, err)
	}
	lines, err := past(func(ctx context.Context) ([]model.Line, error) { return client.PastLines(ctx, server, 0, limit) })
	if err != nil {
		return asked("logs", err)
	}
	for _, l := range lines {
		p.line(server, l)
	}
	return wrote("logs", out.Flush())
}

// outBuffer is how much output is written at once, in bytes.
const outBuffer = 64 << 10

// past asks for what is kept, for a bounded time.
func past[T any](ask func(context.Context) ([]T, error)) ([]T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	return ask(ctx)
}

// followed is how following ends: quietly where nobody reads it any more, exit 3
// where the engine has stopped or is gone.
func followed(ctx context.Context, what string, out *bufio.Writer, err error) error {
	switch unwritten := out.Flush(); {
	case ctx.Err() != nil:
		return nil
	case unwritten != nil:
		return wrote(what, unwritten)
	case errors.Is(err, bus.ErrLost):
		return asked(what, err)
	}
	return failure{exitNoEngine, fmt.Errorf("%s: %w", what, err)}
}
