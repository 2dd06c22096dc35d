package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/front"
	"rollcall/model"
	"rollcall/ui"
)

func (a *app) attachCommand() *cobra.Command {
	var readOnly bool
	c := &cobra.Command{
		Use:   "attach",
		Short: "The dashboard on the engine that runs already; leaving it stops nothing",
		Long: `attach shows the dashboard on the running engine of the configuration. Several
may at once. q, ctrl-c and a lost connection leave the servers running. Where the
engine is lost it says so, over the last that is known, and comes back by itself.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.needTerminal(); err != nil {
				return err
			}
			client, err := a.reach("attach", readOnly)
			if err != nil {
				return err
			}
			return a.show(context.Background(), client, func(o *ui.Options) { o.ReadOnly = readOnly })
		},
	}
	c.Flags().BoolVar(&readOnly, "read-only", false, "give no orders: the engine takes none from here")
	a.dashboardFlags(c)
	return a.needsEngine(c)
}

// show shows the dashboard on an engine of another process until it is left, and
// closes the client. Adjust, if any, changes how it is shown.
func (a *app) show(ctx context.Context, client *bus.Client, adjust func(*ui.Options)) error {
	defer client.Close()
	opts := a.screenOptions(a.screenConfig(), func(s string) string { return redactAll(nil, s) })
	opts.Order = model.Order{} // the engine knows who orders
	if adjust != nil {
		adjust(&opts)
	}
	if err := ui.Run(ctx, client, opts); err != nil {
		return failure{exitFailure, err}
	}
	return nil
}

// attachIfServed shows the engine of the configuration where one runs, so that no
// server is launched twice (N2). It reports whether one does.
func (a *app) attachIfServed() (attached bool, err error) {
	client, err := a.reach("attach", false)
	var no failure
	if errors.As(err, &no) && no.code == exitNoEngine {
		return false, nil
	}
	if err != nil { // one does, and does not let us in
		return true, err
	}
	return true, a.show(context.Background(), client, nil)
}

// soonLimit is how long an engine that holds the lock may take to be reached: it
// is starting, or was looked for a moment too early.
const soonLimit = 5 * time.Second

// attachSoon shows the engine that has taken the lock first; held says that it
// has. Any other error it returns.
func (a *app) attachSoon(link *front.Link, held error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if !errors.As(held, new(*bus.HeldError)) {
		return failure{exitFailure, held}
	}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for late := time.After(soonLimit); ; {
		client, err := a.reach("attach", false)
		if err == nil {
			go func() {
				select {
				case <-link.Gone():
					cancel()
				case <-ctx.Done():
				}
			}()
			return a.show(ctx, client, func(o *ui.Options) { o.Suspend = func() { link.Suspend(ctx) } })
		}
		select {
		case <-look.C:
		case <-late:
			return failure{exitFailure, held}
		}
	}
}

// screenConfig is [ui] of the configuration; as it is built in where that cannot
// be read: the engine runs all the same.
func (a *app) screenConfig() config.UI {
	env := processEnv()
	path, err := config.Find(a.config, env)
	if err != nil {
		return config.UI{}
	}
	file, err := config.Load(path, env)
	if err != nil {
		return config.UI{}
	}
	return file.UI
}
