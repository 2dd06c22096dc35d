package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
)

func (a *app) serveCommand() *cobra.Command {
	var asJSON, logs bool
	var metricsAt, group string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the engine without a screen; events on stdout",
		Long: `serve launches and supervises the servers without a screen, in the foreground.
Each event is a line on stdout: text, or with --json one object a line.
SIGHUP reads the configuration anew; SIGTERM and SIGINT stop every server,
a second one kills at once. With --metrics it answers Prometheus, and /healthz.
Under systemd it says when it is ready and how it is doing.

Other terminals find it: rollcall attach, status, logs, events, connect,
disconnect, restart, reload, stop. One engine a configuration: a second one is
refused.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.serve(asJSON, logs, metricsAt, group) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	c.Flags().BoolVar(&logs, "logs", false, "the servers' stderr too")
	c.Flags().StringVar(&metricsAt, "metrics", "", "the `address` to serve metrics at, as in 127.0.0.1:9464")
	c.Flags().StringVar(&group, "group", "", "the unix `group` whose members may use the engine too; they name its socket with --socket")
	return c
}

func (a *app) serve(asJSON, logs bool, metricsAt, group string) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an orderly stop

	if _, err := metricsAddress(metricsAt); err != nil {
		return err
	}
	lock, err := a.lock() // before anything is done: a second engine is to do nothing
	if err != nil {
		return err
	}
	defer lock.Release()
	p := newPrinter(a.out, asJSON, logs)
	listeners := []func(model.Event, uint64){p.event}
	n, err := a.listenMetrics(metricsAt) // before anything is launched
	if err != nil {
		return err
	}
	if n != nil {
		defer n.listener.Close()
		listeners = append(listeners, n.counts.Observe)
	}
	d, err := a.open(listeners...)
	if err != nil {
		return err
	}
	d.files.lock = lock
	d.files.unattended()
	server, err := d.carry(lock, group)
	if err != nil {
		d.host.Close()
		return failure{exitFailure, fmt.Errorf("serve: %w", err)}
	}
	defer server.Close()
	if group != "" {
		d.engine.Tell(openTo(group, lock.Paths().Socket))
	}
	return a.perform(d, p, n, signals)
}

// openTo says how the members of a group reach the engine, or what is in their
// way: a login's own runtime directory lets nobody else in.
func openTo(group, socket string) redact.Safe {
	clean := (*redact.Redactor)(nil)
	members := clean.Text(group)
	barred, err := bus.Barred(socket, group)
	switch {
	case err != nil:
		return redact.Sprintf("whether members of %s reach this engine is not known: %s", members, clean.Error(err))
	case !barred.IsZero():
		return redact.Sprintf("members of %s do not reach this engine: they may not enter %s; start it with XDG_RUNTIME_DIR in a folder of yours that they may enter",
			members, barred)
	}
	return redact.Sprintf("members of %s reach this engine with --socket %s", members, clean.Text(socket))
}

// lock takes the lock of the configuration (N1).
func (a *app) lock() (*bus.Lock, error) {
	path, err := config.Find(a.config, config.ProcessEnv())
	if err != nil {
		return nil, failure{exitFailure, err}
	}
	lock, err := bus.Acquire(path)
	if err != nil {
		return nil, failure{exitFailure, errors.New(naming(err.Error(), a.config))}
	}
	return lock, nil
}

// perform runs the engine until something ends it, beside those who look on.
func (a *app) perform(d *deck, p *printer, n *numbers, signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	if p.logs {
		lines := d.engine.Follow("", 0, 0) // before the first
		defer lines.Close()
		following.Go(func() { p.follow(ctx, lines) })
	}
	d.start()
	if n != nil {
		following.Go(func() { n.answer(ctx, d) })
	}
	h := newHerald(d.engine)
	following.Go(func() { h.run(ctx) })
	d.atStop = func() { following.Go(h.stopping) }
	err := a.attend(d, p, h, signals)
	cancel()
	followed := make(chan struct{})
	go func() { following.Wait(); close(followed) }()
	select {
	case <-followed:
	case <-time.After(lastLinesLimit): // whoever reads this is stuck (X2)
	}
	return err
}

// lastLinesLimit is how long the end of serve waits for a reader that is slow
// to take the last lines.
const lastLinesLimit = time.Second

// attend waits for what ends serve, and stops the engine then.
func (a *app) attend(d *deck, p *printer, h *herald, signals <-chan os.Signal) error {
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGHUP {
				d.spawn(func() { h.reload(d.files.reload) }) // it reads the disk
				continue
			}
			return d.stop()
		case err := <-p.failed:
			stopped := d.stop()
			if stopped == nil {
				stopped = failure{exitFailure, fmt.Errorf("write the events: %w", err)}
			}
			return stopped
		case c := <-d.broken:
			return d.broke(c)
		}
	}
}

// follow prints the lines of every server's stderr as they come, until the
// engine has stopped or ctx ends. What it is too slow for is counted.
func (p *printer) follow(ctx context.Context, lines *supervise.Follower) {
	for {
		batch, err := lines.Next(ctx)
		if err != nil {
			return
		}
		for _, l := range batch {
			switch {
			case l.Missed > 0:
				p.missed(l.Server, l.Missed)
			case l.Line.Kind == model.LineStderr, l.Line.Kind == model.LineNoise:
				p.line(l.Server, l.Line)
			}
		}
	}
}
