package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/front"
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

// dashboard shows the engine that runs already; without one it holds its own,
// behind a front that keeps the terminal's job.
func (a *app) dashboard() error {
	if err := a.needTerminal(); err != nil {
		return err
	}
	link := front.Behind()
	if link == nil {
		if attached, err := a.attachIfServed(); attached {
			return err
		}
		code, err := front.Run(a.err)
		switch {
		case err != nil:
			return failure{exitFailure, err}
		case code != exitOK:
			return failure{code, nil} // it was told already
		}
		return nil
	}
	return a.hold(link)
}

// hold holds an engine until its end, and shows it until the terminal is left.
func (a *app) hold(link *front.Link) error {
	a.terminal = os.Stdout
	d, err := a.open()
	if err != nil {
		return err
	}
	lock, err := bus.Acquire(d.files.path) // before anything is launched (N1)
	if err != nil {
		d.host.Close()
		return a.attachSoon(link, err)
	}
	defer lock.Release()
	d.files.lock = lock
	// From here to the end no signal ends the program by its default: what is
	// being stopped is stopped in order (X2).
	quiet := make(chan os.Signal, 8)
	signal.Notify(quiet, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(quiet)
	var late bytes.Buffer // no word of the stop may get between screen and terminal
	d.err = &late
	s := newShow(d, lock, link)
	defer s.close()
	shown := s.run(a, quiet)
	if s.leaves() {
		d.err = a.err
		s.sayLeft(a)
		return a.serveOn(d, link, quiet)
	}
	if n := d.running(); n > 0 && !s.alone.Load() { // the screen ended before them
		fmt.Fprintf(a.err, "rollcall: stopping %d servers; ctrl-c kills them at once\n", n)
	}
	err = s.stop()
	_, _ = late.WriteTo(a.err)
	switch {
	case err != nil:
		return err
	case shown != nil:
		return failure{exitFailure, shown}
	}
	return nil
}

// screenOptions are how the dashboard is shown: what the flags say, then what
// the file said when rollcall was started.
func (a *app) screenOptions(file config.UI, redact func(string) string) ui.Options {
	return ui.Options{
		ASCII: a.screen.ascii || file.ASCII, NoColor: a.screen.noColor || os.Getenv("NO_COLOR") != "",
		NoMouse: file.NoMouse, Keys: file.Keys, Theme: ui.Theme{Dark: file.Dark, Light: file.Light},
		Order: model.Order{By: operator()}, Redact: redact,
	}
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
	return busy(fleet)
}

// needTerminal says what to do where there is no screen to draw on (X1).
func (a *app) needTerminal() error {
	switch {
	case !term.IsTerminal(int(os.Stdout.Fd())) || !term.IsTerminal(int(os.Stdin.Fd())):
		return usage("%s", naming("the dashboard needs a terminal, and this is none: `rollcall serve` runs the servers without one, `rollcall serve --json` for programs", a.config))
	case os.Getenv("TERM") == "dumb":
		return usage("%s", naming("TERM is dumb, the dashboard cannot be drawn: `rollcall serve` runs the servers without it", a.config))
	}
	return nil
}
