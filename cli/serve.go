package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/model"
	"rollcall/redact"
)

func (a *app) serveCommand() *cobra.Command {
	var asJSON, logs bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the engine without a screen; events on stdout",
		Long: `serve launches and supervises the servers without a screen, in the foreground.
Each event is a line on stdout: text, or with --json one object a line.
SIGHUP reads the configuration anew; SIGTERM and SIGINT stop every server,
a second one kills at once.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.serve(asJSON, logs) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	c.Flags().BoolVar(&logs, "logs", false, "the servers' stderr too")
	return c
}

func (a *app) serve(asJSON, logs bool) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is an orderly stop

	p := &printer{w: a.out, json: asJSON, logs: logs, failed: make(chan error, 1)}
	d, err := a.open(p.event)
	if err != nil {
		return err
	}
	d.files.how = redact.Word("SIGHUP applies it")
	d.start()
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	if logs {
		following.Go(func() { p.follow(ctx, d) })
	}
	err = a.attend(d, p, signals)
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
func (a *app) attend(d *deck, p *printer, signals <-chan os.Signal) error {
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGHUP {
				d.spawn(d.files.reload) // it reads the disk
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

// printer writes events and lines, one a line.
type printer struct {
	mu     sync.Mutex
	w      io.Writer
	json   bool
	logs   bool
	failed chan error // capacity 1: the first write that failed
	dead   bool
}

// event prints one event. Probes that were alive are left to --json and --logs.
func (p *printer) event(ev model.Event, missed uint64) {
	if missed > 0 {
		p.print(map[string]any{"at": model.Stamp(time.Now()), "event": "missed", "server": "", "run": 0, "missed": missed},
			fmt.Sprintf("%s missed %d events: what reads this is too slow", time.Now().Format(time.TimeOnly), missed))
	}
	if !p.json && !p.logs && ev.Kind == model.EvProbe && ev.Outcome.String() == model.Alive.String() {
		return
	}
	server := redact.Name(ev.Server)
	if server.IsZero() {
		server = redact.Word("rollcall")
	}
	text := ev.Text
	if line := model.Telling(ev.Stderr); !line.IsZero() && !p.logs { // A1: the end of its stderr
		text = redact.Sprintf("%s · %s", text, line)
	}
	p.print(ev, fmt.Sprintf("%s %-16s %s", ev.At.Format(time.TimeOnly), server, text))
}

// logLine is a line of stderr in the JSON output (X3).
type logLine struct {
	At     string         `json:"at"`
	Event  model.LineKind `json:"event"`
	Server string         `json:"server"`
	Run    uint64         `json:"run"`
	Line   redact.Safe    `json:"line,omitzero"`
	Missed uint64         `json:"missed,omitempty"`
}

func (p *printer) line(server string, l model.Line) {
	p.print(logLine{At: model.Stamp(l.At), Event: l.Kind, Server: server, Run: l.Run, Line: l.Text},
		fmt.Sprintf("%s %-16s | %s", l.At.Format(time.TimeOnly), server, l.Text))
}

func (p *printer) print(v any, text string) {
	line := []byte(text)
	if p.json {
		b, err := json.Marshal(v)
		if err != nil {
			return // cannot be: the values are the model's own
		}
		line = b
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return
	}
	if _, err := p.w.Write(append(line, '\n')); err != nil {
		p.dead = true
		p.failed <- err
	}
}

// follow prints the lines of every server's stderr as they come. What the ring
// dropped before it was read is counted.
func (p *printer) follow(ctx context.Context, d *deck) {
	seen := map[string]uint64{}
	for at := uint64(0); ; {
		fleet, err := d.engine.Next(ctx, at)
		if err != nil {
			return
		}
		at = fleet.Seq
		for _, row := range fleet.Rows {
			if row.Lines > seen[row.Server] {
				seen[row.Server] = p.lines(d, row.Server, seen[row.Server])
			}
		}
	}
}

// lines prints what a server's tail holds after a line, and returns the last.
func (p *printer) lines(d *deck, server string, after uint64) uint64 {
	for _, l := range d.engine.Lines(server, after, 1<<20) {
		if l.Seq > after+1 {
			lost := l.Seq - after - 1
			p.print(logLine{At: model.Stamp(l.At), Server: server, Run: l.Run, Missed: lost},
				fmt.Sprintf("%s %-16s | … %d lines were dropped", l.At.Format(time.TimeOnly), server, lost))
		}
		after = l.Seq
		if l.Kind == model.LineStderr || l.Kind == model.LineNoise {
			p.line(server, l)
		}
	}
	return after
}
