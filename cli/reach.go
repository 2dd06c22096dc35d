package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
)

// exitNoEngine is the exit where no engine runs that could be asked (N3).
const exitNoEngine = 3

// askLimit bounds how long an engine may take to answer a question.
const askLimit = 10 * time.Second

// needsEngine gives a command that speaks to a running engine its flag.
func (a *app) needsEngine(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&a.socket, "socket", "", "the engine's `socket`, where it is another user's (serve --group)")
	return c
}

// reach connects to the running engine of the configuration. What is the
// command, for the error: exit 3 where no engine runs.
func (a *app) reach(what string, readOnly bool) (*bus.Client, error) {
	return a.reachWithin(askLimit, what, readOnly)
}

// reachWithin is reach for who has less time.
func (a *app) reachWithin(limit time.Duration, what string, readOnly bool) (*bus.Client, error) {
	socket, of, err := a.whereEngine()
	if err != nil {
		return nil, failure{exitNoEngine, fmt.Errorf("%s: %w", what, err)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	client, err := bus.Dial(ctx, socket, bus.DialOptions{Version: cleanVersion(), ReadOnly: readOnly})
	switch {
	case errors.Is(err, bus.ErrNoEngine) && a.socket != "":
		return nil, failure{exitNoEngine, fmt.Errorf("%s: %w", what, err)}
	case errors.Is(err, bus.ErrNoEngine):
		return nil, failure{exitNoEngine, fmt.Errorf("%s: %s", what, naming(noneAnswers(of), a.config))}
	case err != nil:
		return nil, failure{exitFailure, fmt.Errorf("%s: %w", what, err)}
	}
	return client, nil
}

// noneAnswers is what to do where no engine of a configuration answers.
func noneAnswers(path string) string {
	if pid, runs := bus.Runs(path); runs {
		return fmt.Sprintf("the engine of %s, process %d, has no socket yet, or none any more: try again in some seconds", path, pid)
	}
	return fmt.Sprintf("no engine of %s runs: `rollcall serve` starts one, `rollcall` shows one too", path)
}

// whereEngine is the socket of the engine, and the configuration that it is of.
func (a *app) whereEngine() (socket, of string, err error) {
	if a.socket != "" {
		return a.socket, "", nil
	}
	path, err := config.Find(a.config, config.ProcessEnv())
	if err != nil {
		return "", "", err
	}
	paths, err := bus.Where(path)
	return paths.Socket, path, err
}

// fleetOf asks an engine for its rows.
func fleetOf(what string, client *bus.Client) (model.Fleet, error) {
	return fleetWithin(askLimit, what, client)
}

// fleetWithin is fleetOf for who has less time.
func fleetWithin(limit time.Duration, what string, client *bus.Client) (model.Fleet, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	fleet, err := client.Whole(ctx)
	if err != nil {
		return fleet, asked(what, err)
	}
	return fleet, nil
}

// asked is the error of a question that was not answered: exit 3 where the
// engine is gone, or silent.
func asked(what string, err error) error {
	switch {
	case errors.Is(err, bus.ErrSilent):
		return failure{exitNoEngine, fmt.Errorf("%s: %w", what, err)}
	case errors.Is(err, bus.ErrLost):
		return failure{exitNoEngine, fmt.Errorf("%s: the engine is gone", what)}
	}
	return failure{exitFailure, fmt.Errorf("%s: %w", what, err)}
}

// wrote is the error of output that could not be written: none where whoever
// read it has had enough.
func wrote(what string, err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return failure{exitFailure, fmt.Errorf("%s: write the output: %w", what, err)}
}

// knownAs checks that there is a server of each name. The error names the
// nearest known one.
func knownAs(names []string, fleet model.Fleet) error {
	known := make([]string, len(fleet.Rows))
	rows := make(map[string]bool, len(fleet.Rows))
	for i, r := range fleet.Rows {
		known[i], rows[r.Server] = r.Server, true
	}
	for _, name := range names {
		switch {
		case rows[name]:
		case len(known) == 0:
			return usage("no server %s: the engine has none", name)
		default:
			return usage("no server %s: the nearest known one is %s", name, config.Nearest(name, known))
		}
	}
	return nil
}

// cleanVersion is this program's version, for an engine to read.
func cleanVersion() redact.Safe { return (*redact.Redactor)(nil).Text(version()) }
