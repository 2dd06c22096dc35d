package cli

import (
	"bufio"
	"context"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/model"
)

func (a *app) eventsCommand() *cobra.Command {
	var r reading
	var server string
	c := &cobra.Command{
		Use:   "events",
		Short: "What happened to the servers, and who ordered it",
		Long: `events prints the running engine's events of the last 24 h, of all servers or of
one. With -f it goes on until it is interrupted, or the engine ends; probes that
found their server alive come with --json alone. What it was too slow for is
counted, in its place.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			limit, err := r.limit(c)
			if err != nil {
				return err
			}
			return a.events(server, limit, r)
		},
	}
	r.flags(c)
	c.Flags().StringVar(&server, "server", "", "only those of the server of this `name`")
	_ = c.RegisterFlagCompletionFunc("server", a.completeOne)
	return a.needsEngine(c)
}

func (a *app) events(server string, limit int, r reading) error {
	client, err := a.reach("events", true)
	if err != nil {
		return err
	}
	defer client.Close()
	if server != "" {
		fleet, err := fleetOf("events", client)
		if err != nil {
			return err
		}
		if err := knownAs([]string{server}, fleet); err != nil {
			return err
		}
	}
	from, err := eventsSince(client) // followed from here on, and so nothing is lost between
	if err != nil {
		return asked("events", err)
	}
	kept, err := past(func(ctx context.Context) ([]model.Event, error) { return client.PastEvents(ctx, server, 0, limit) })
	if err != nil {
		return asked("events", err)
	}
	out := bufio.NewWriterSize(a.out, outBuffer)
	p := newPrinter(out, r.json, false)
	var printed uint64
	for _, ev := range kept {
		p.event(ev, 0)
		printed = ev.Seq
	}
	if err := out.Flush(); err != nil || !r.follow {
		return wrote("events", err)
	}
	ctx, cancel := untilUnread(a.out)
	defer cancel()
	err = client.FollowEvents(ctx, from, allKept, func(events []bus.FollowedEvent) error {
		for _, e := range events {
			switch {
			case e.Missed > 0:
				p.missedEvents(e.Missed)
			case e.Event.Seq <= printed, server != "" && e.Event.Server != server:
			default:
				p.event(e.Event, 0)
			}
		}
		return out.Flush()
	})
	return followed(ctx, "events", out, err)
}

// eventsSince is a moment in the history of an engine: what FollowEvents is given
// to miss nothing from then on.
func eventsSince(client *bus.Client) (uint64, error) {
	newest, err := past(func(ctx context.Context) ([]model.Event, error) { return client.PastEvents(ctx, "", 0, 1) })
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].Seq, nil
}
