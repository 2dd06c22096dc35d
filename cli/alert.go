package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/alert"
	"rollcall/config"
	"rollcall/model"
)

func (a *app) alertCommand() *cobra.Command {
	var test bool
	c := &cobra.Command{
		Use:   "alert --test",
		Short: "Send a test alert, and say what came back",
		Long: `alert --test posts a test message to the webhook of [alerts], hands it to the
program of exec, and says what came back of each, and how long it took. It
tries once. The exit is 1 where one did not take it, or where something in
[alerts] is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !test {
				return usage("alert does nothing by itself: rollcall alert --test sends a test alert")
			}
			return a.testAlert()
		},
	}
	c.Flags().BoolVar(&test, "test", false, "send a test alert")
	return c
}

// testFor bounds one test, as a try of an alert is bounded.
const testFor = 10 * time.Second

func (a *app) testAlert() error {
	path, file, _, err := a.load()
	if err != nil {
		return err
	}
	wrong := errorsOf(file, "alerts")
	for _, p := range wrong {
		fmt.Fprintln(a.err, config.Render(p))
	}
	sinks := sinksOf(file.Alerts, newKnown(file.Entries))
	switch {
	case len(sinks) > 0:
	case len(wrong) > 0:
		return failure{exitFailure, fmt.Errorf("alert: nothing was sent: in [alerts] of %s neither webhook nor exec is in force until this is mended", path)}
	default:
		return failure{exitFailure, fmt.Errorf("alert: nothing was sent: neither webhook nor exec is set in %s: write [alerts] there, and below it "+
			`webhook = "https://…" or exec = ["./notify.sh"]`, path)}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := 0
	for _, s := range sinks {
		ctx, cancel := context.WithTimeout(ctx, testFor)
		r := s.Send(ctx, alert.Test(hostName(), time.Now()))
		cancel()
		line := fmt.Sprintf("%s: %s in %s", s.Name(), r.Said, model.Span(r.Took))
		if !r.Err.IsZero() {
			failed++
			line = fmt.Sprintf("%s: failed: %s, after %s", s.Name(), r.Err, model.Span(r.Took))
			if r.After > 0 {
				line += fmt.Sprintf("; it asks for no other try within %s", model.Span(r.After))
			}
		}
		if _, err := fmt.Fprintln(a.out, line); err != nil {
			return err
		}
	}
	switch {
	case failed > 0:
		return failure{exitFailure, fmt.Errorf("alert: %d of %d did not take the test", failed, len(sinks))}
	case len(wrong) > 0:
		return failure{exitFailure, fmt.Errorf("alert: %s in [alerts]: what is wrong there is left out, and the rest was tested", count(len(wrong), "error"))}
	}
	return nil
}
