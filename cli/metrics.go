package cli

import (
	"context"
	"errors"
	"fmt"
	"net"

	"rollcall/metrics"
	"rollcall/redact"
)

// numbers is where serve's --metrics answers: nil where nobody asked for it.
type numbers struct {
	listener net.Listener
	counts   *metrics.Counts
}

// metricsAddress is the address of --metrics with its host: this host alone where
// it has none. Empty stays empty.
func metricsAddress(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", usage("--metrics %s: want an address and a port, as in 127.0.0.1:9464", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// listenMetrics takes the address of --metrics, before anything is launched. A
// missing host is this host alone; one that others can reach is said to be so.
func (a *app) listenMetrics(address string) (*numbers, error) {
	if address == "" {
		return nil, nil
	}
	full, err := metricsAddress(address)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", full)
	if err != nil {
		return nil, failure{exitFailure, fmt.Errorf("serve the metrics: %w: name another address with --metrics", err)}
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		fmt.Fprintf(a.err, "rollcall: --metrics %s: whoever reaches this port can read the servers' names and states, without a password; 127.0.0.1:%d is for this host alone\n",
			address, at.Port)
	}
	return &numbers{l, metrics.NewCounts()}, nil
}

// answer serves the numbers of an engine until ctx ends. An end before that is
// told as an event; the servers run on.
func (n *numbers) answer(ctx context.Context, d *deck) {
	c := metrics.NewCollector(d.engine, n.counts, version())
	d.spawn(func() { c.Follow(ctx) })
	if err := c.Serve(ctx, n.listener); err != nil && !errors.Is(err, net.ErrClosed) {
		d.engine.Tell((*redact.Redactor)(nil).Error(err))
	}
}
