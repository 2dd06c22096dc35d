package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

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
the engine is gone. On a terminal it asks first; --yes answers that. It exits with
1 where a process could not be ended, and names it, or where the engine did not
say what became of its servers.`,
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
	ended, err := client.StopEngine(ctx)
	if err != nil {
		return asked("stop", err)
	}
	return a.untilGone(client, ended)
}

// busy is how many servers have something to stop.
func busy(fleet model.Fleet) int {
	n := 0
	for _, r := range fleet.Rows {
		if r.Phase.Runs() {
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

const (
	// goneLimit is how long an engine may take to end: the longest stop_grace, 2 s for
	// what cannot be ended, 3 s for the rest (X2), and as much for a slow machine.
	goneLimit = 75 * time.Second
	goneLook  = 20 * time.Millisecond // between two looks at its lock
)

// untilGone waits for the engine's word of its end, and then until its lock is
// free: that alone proves the end. A connection that is lost does not.
func (a *app) untilGone(client *bus.Client, ended <-chan bus.Ending) error {
	pid := client.Hello().PID
	late := time.After(goneLimit)
	still := failure{exitFailure, fmt.Errorf("stop: the engine, process %d, has taken the order, and is still there after %s", pid, model.Span(goneLimit))}
	var end bus.Ending
	select {
	case end = <-ended:
	case <-late:
		return still
	}
	client.Close() // it waits for that
	look := time.NewTicker(goneLook)
	defer look.Stop()
	for there(client, pid) {
		select {
		case <-look.C:
		case <-late:
			return still
		}
	}
	switch {
	case end.Err != nil:
		return failure{exitFailure, fmt.Errorf("stop: the engine, process %d, has ended, and did not say what became of its servers", pid)}
	case !end.Left.IsZero():
		return failure{exitFailure, fmt.Errorf("stop: the engine has ended, and could not end %s, still there after SIGKILL", end.Left)}
	}
	_, err := fmt.Fprintln(a.out, "the engine has ended")
	return wrote("stop", err)
}

// there reports whether an engine has its lock, or, where that cannot be looked
// at, whether its process is there.
func there(client *bus.Client, pid int) bool {
	held, err := client.Held()
	if err != nil {
		return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	return held
}
