package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rollcall/bus"
	"rollcall/model"
)

func (a *app) stopCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "Stop every server, and end the running engine",
		Long: `stop has the running engine stop every server, as SIGTERM does, and waits until
the engine is gone. On a terminal it asks first; --yes answers that.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.stop(yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return a.needsEngine(c)
}

func (a *app) stop(yes bool) error {
	client, err := a.reach("stop", false)
	if err != nil {
		return err
	}
	defer client.Close()
	fleet, err := fleetOf("stop", client)
	if err != nil {
		return err
	}
	if !yes {
		question := fmt.Sprintf("stop %s and end the engine, process %d?", count(busy(fleet), "server"), client.Hello().PID)
		sure, err := a.ask("stop", question)
		if err != nil {
			return err
		}
		if !sure {
			return failure{exitFailure, errors.New("stop: nothing was done")}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	if err := client.StopEngine(ctx); err != nil {
		return asked("stop", err)
	}
	return a.untilGone(client)
}

// busy is how many servers have something to stop.
func busy(fleet model.Fleet) int {
	n := 0
	for _, r := range fleet.Rows {
		switch r.Phase {
		case model.Starting, model.Settling, model.Up, model.Stopping:
			n++
		}
	}
	return n
}

// ask asks on the terminal; elsewhere it is wrong usage: nobody is there to
// answer.
func (a *app) ask(what, question string) (sure bool, err error) {
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return false, usage("%s asks first, and this is no terminal: give --yes", what)
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(in).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}

// untilGone waits until the engine takes no one in any more: every server was
// reaped, or given up, by then.
func (a *app) untilGone(client *bus.Client) error {
	seen := uint64(0)
	for {
		fleet, err := client.Next(context.Background(), seen)
		if err != nil {
			fmt.Fprintln(a.out, "the engine has ended")
			return nil
		}
		seen = fleet.Seq
	}
}
