package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rollcall/model"
	"rollcall/supervise"
	"rollcall/ui"
)

// screen are the flags of the dashboard.
type screen struct{ ascii, noColor bool }

func (a *app) dashboardFlags(root *cobra.Command) {
	root.Flags().BoolVar(&a.screen.ascii, "ascii", false, "draw with ASCII only")
	root.Flags().BoolVar(&a.screen.noColor, "no-color", false, "draw without colour (NO_COLOR does the same)")
}

// dashboard holds an engine and shows it.
func (a *app) dashboard() error {
	if err := needTerminal(); err != nil {
		return err
	}
	a.terminal = os.Stdout
	d, err := a.open()
	if err != nil {
		return err
	}
	// From here to the end no signal ends the program by its default: what is
	// being stopped is stopped in order (X2).
	quiet := make(chan os.Signal, 1)
	signal.Notify(quiet, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(quiet)
	// The screen first: launching a hundred servers would hold up its first frame.
	start := sync.OnceFunc(d.start)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() { // an engine that broke takes the screen down with it
		defer close(ended)
		select {
		case c := <-d.broken:
			cancel()
			d.crashed(c.value, []byte(c.stack)) // for stop to find
		case <-ctx.Done():
		}
	}()
	shown := ui.Run(ctx, held{d.engine, d.files}, ui.Options{
		ASCII: a.screen.ascii, NoColor: a.screen.noColor || os.Getenv("NO_COLOR") != "",
		HoldsEngine: true, Order: model.Order{By: operator()}, Redact: d.redact,
		Shown: start,
	})
	start() // nothing may have been shown, and stop waits for the loop
	cancel()
	<-ended
	if n := d.running(); n > 0 {
		fmt.Fprintf(a.err, "rollcall: stopping %d servers; ctrl-c kills them at once\n", n)
	}
	if err := d.stop(); err != nil {
		return err
	}
	if shown != nil {
		return failure{exitFailure, shown}
	}
	return nil
}

// held is the engine that the dashboard itself holds, with its file.
type held struct {
	*supervise.Engine
	*reloader
}

// running is how many servers have something to stop.
func (d *deck) running() int {
	fleet, err := d.engine.Next(context.Background(), 0)
	if err != nil {
		return 0
	}
	n := 0
	for _, r := range fleet.Rows {
		switch r.Phase {
		case model.Starting, model.Settling, model.Up, model.Stopping:
			n++
		}
	}
	return n
}

// needTerminal says what to do where there is no screen to draw on (X1).
func needTerminal() error {
	switch {
	case !term.IsTerminal(int(os.Stdout.Fd())) || !term.IsTerminal(int(os.Stdin.Fd())):
		return usage("the dashboard needs a terminal, and this is none: `rollcall serve` runs the servers without one, `rollcall serve --json` for programs")
	case os.Getenv("TERM") == "dumb":
		return usage("TERM is dumb, the dashboard cannot be drawn: `rollcall serve` runs the servers without it")
	}
	return nil
}
