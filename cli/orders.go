package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
)

// ordering are the flags of an order: for whom, and whether its outcome is
// waited for.
type ordering struct {
	tags    []string
	all     bool
	wait    bool
	timeout time.Duration
}

// orderTexts are what the commands say of themselves.
var orderTexts = map[model.Verb]struct{ short, long string }{
	model.Connect: {"Start servers that are off or have failed, those that wait at once",
		"connect has servers of the running engine start: one that waits is dialled at\nonce, and keeps its count; any other reads its entry anew. One that is connected\nor starting refuses. --all and --tag leave those alone."},
	model.Disconnect: {"Stop servers until someone connects them",
		"disconnect ends servers of the running engine and their processes. They stay off,\nalso over a restart of rollcall, until someone connects them."},
	model.Restart: {"Stop servers and start them, their entries read anew",
		"restart ends servers of the running engine, waits until nothing of them is left,\nand starts them, their entries read anew. One whose entry is bad runs on. --all\nand --tag leave those alone that are off."},
}

func (a *app) orderCommand(verb model.Verb) *cobra.Command {
	var o ordering
	text := orderTexts[verb]
	c := &cobra.Command{
		Use:   verb.String() + " NAME… | --tag TAG | --all",
		Short: text.short,
		Long: text.long + `

The answer is a line a server: done, or refused and why. With --wait it is what
became of it: exit 0 where each is settling or up (disconnect: off), 1 where one
failed, halted, was refused, or is not there yet after --timeout; 3 where the
engine is gone before it is known.`,
		Example: fmt.Sprintf("  rollcall %[1]s github --wait\n  rollcall %[1]s --tag prod --wait --timeout 2m", verb),
		RunE: func(_ *cobra.Command, names []string) error {
			if err := o.check(verb, names); err != nil {
				return err
			}
			return a.order(verb, names, o)
		},
		ValidArgsFunction: a.completeNames,
	}
	c.Flags().StringArrayVar(&o.tags, "tag", nil, "all servers with this `tag`; may be given several times")
	c.Flags().BoolVar(&o.all, "all", false, "all servers")
	c.Flags().BoolVar(&o.wait, "wait", false, "wait for what becomes of each")
	c.Flags().DurationVar(&o.timeout, "timeout", 0, "how long to wait at most, as in 90s; 0 is as long as it takes")
	_ = c.RegisterFlagCompletionFunc("tag", a.completeTags)
	return a.needsEngine(c)
}

// check refuses what cannot be meant.
func (o ordering) check(verb model.Verb, names []string) error {
	ways := 0
	for _, given := range []bool{len(names) > 0, len(o.tags) > 0, o.all} {
		if given {
			ways++
		}
	}
	switch {
	case ways == 0:
		return usage("%[1]s what? Name servers, or --tag TAG, or --all: rollcall %[1]s NAME…", verb)
	case ways > 1:
		return usage("%s takes names, or --tag, or --all, not several of them", verb)
	case o.timeout < 0:
		return usage("--timeout takes a time as 90s, or 0 for as long as it takes")
	}
	return nil
}

// order gives orders, and says what became of them.
func (a *app) order(verb model.Verb, names []string, o ordering) error {
	client, err := a.reach(verb.String(), false)
	if err != nil {
		return err
	}
	defer client.Close()
	since, err := eventsSince(client) // before the rows: what happens between is seen
	if err != nil {
		return asked(verb.String(), err)
	}
	fleet, err := fleetOf(verb.String(), client)
	if err != nil {
		return err
	}
	given, alone, err := o.errands(verb, names, fleet)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if o.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	r := &run{client: client, verb: verb, since: since, out: a.out, wait: o.wait, timeout: o.timeout}
	bad, err := r.do(ctx, given)
	if err == nil && len(alone) > 0 {
		_, err = fmt.Fprintf(a.out, "%s not asked: %s\n", count(len(alone), "server"), census(model.Fleet{Rows: alone}))
	}
	switch {
	case err != nil:
		return err
	case bad:
		return failure{code: exitFailure}
	}
	return nil
}

// errand is one server that an order is for.
type errand struct {
	row *model.Row
	// order is what it is given; without an id it is none: it starts already, and
	// is only waited for.
	order model.Order
	had   redact.Safe // if any: what is waited for is so already
	told  bool        // its outcome is known
	open  bool        // what is told of it from here on is its outcome
	// behind is how many orders are to be answered before that: the order was
	// merged with one that waits, behind one that is in progress (O1).
	behind int
}

// errands are the servers that are meant. Those of --all and --tag for which the
// order has nothing to do are left alone.
func (o ordering) errands(verb model.Verb, names []string, fleet model.Fleet) (given []*errand, alone []*model.Row, err error) {
	if err := knownAs(names, fleet); err != nil {
		return nil, nil, err
	}
	if err := o.knownTags(fleet); err != nil {
		return nil, nil, err
	}
	many := o.all || len(o.tags) > 0
	for _, r := range fleet.Rows {
		switch {
		case many && !o.all && !slices.ContainsFunc(tagsOf(r), func(tag string) bool { return slices.Contains(o.tags, tag) }):
		case !many && !slices.Contains(names, r.Server):
		case o.wait && verb == model.Connect && (r.Phase == model.Queued || r.Phase == model.Starting):
			given = append(given, &errand{row: r, open: true})
		case !many && o.wait && verb == model.Connect && (r.Phase == model.Settling || r.Phase == model.Up):
			given = append(given, &errand{row: r, had: redact.Sprintf("%s already", redact.Name(r.Phase.String()))})
		case many && idle(verb, r.Phase):
			alone = append(alone, r)
		default:
			given = append(given, &errand{row: r, order: model.Order{ID: bus.NewID(), Verb: verb, Server: r.Server}})
		}
	}
	for _, e := range given {
		e.order.Bulk = len(given) > 1 || many
	}
	return given, alone, nil
}

// idle reports whether an order for many has nothing to do in a phase.
func idle(verb model.Verb, p model.Phase) bool {
	switch verb {
	case model.Connect:
		return p == model.Queued || p == model.Starting || p == model.Settling || p == model.Up
	default:
		return p == model.Off
	}
}

// knownTags checks that some server has each tag.
func (o ordering) knownTags(fleet model.Fleet) error {
	var known []string
	for _, r := range fleet.Rows {
		known = append(known, tagsOf(r)...)
	}
	for _, tag := range o.tags {
		switch {
		case slices.Contains(known, tag):
		case len(known) == 0:
			return usage("no server has the tag %s, or any", tag)
		default:
			return usage("no server has the tag %s: the nearest known one is %s", tag, config.Nearest(tag, known))
		}
	}
	return nil
}

// tagsOf are a row's tags.
func tagsOf(r *model.Row) []string {
	tags := make([]string, len(r.Tags()))
	for i, tag := range r.Tags() {
		tags[i] = tag.String()
	}
	return tags
}
