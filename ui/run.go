package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// fps is how often the screen may change where its pace cannot be set.
const fps = 20

// PanicError is a defect of the dashboard: what was raised, and where,
// redacted. The terminal was restored before anyone sees it.
type PanicError struct{ Value, Stack string }

func (e *PanicError) Error() string {
	return "the dashboard broke (a defect of rollcall): " + e.Value + "\n" + e.Stack
}

// Run shows the dashboard until the operator quits, ctx ends, or SIGTERM,
// SIGINT or SIGHUP comes: then it returns nil, and the caller decides what
// becomes of the engine. Where opts.Stop is set the servers are stopped before
// it returns, with the screen showing it; an end of ctx does not wait for that.
// It returns an error where the terminal cannot be used, and a *PanicError where
// the dashboard broke. Whatever happens, the terminal is as it was (D10), and
// nobody waits in e.Next any longer.
func Run(ctx context.Context, e Engine, opts Options) error {
	if err := checkSize(opts.Output); err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)

	g := newGate(opts.Output)
	f := newFeed(g.sent)
	a := newApp(e, opts, f.next, f.touched)
	a.jobs.watch()
	defer a.jobs.ignore()
	options := programOptions(opts)
	if a.gate = g; g != nil {
		options = append(options, tea.WithOutput(g), tea.WithFilter(g.filter))
	}
	p := tea.NewProgram(a, options...)
	a.pace = newPace(p)
	feeding, attending := make(chan struct{}), make(chan struct{})
	go func() { defer close(feeding); f.run(ctx, e) }()
	signalled := false
	go func() { defer close(attending); signalled = attend(ctx, p, signals, a) }()
	err := runGuarded(p, g, opts)
	ended := parent.Err() != nil
	cancel()
	<-feeding
	<-attending
	if (signalled || ended) && !errors.As(err, new(*PanicError)) {
		return nil // a terminal that hung up gives errors that nobody can act on
	}
	return err
}

// attend ends the program at the end of ctx, has it stop at each signal, and gives
// it those of the shell's job control. It reports whether one asked to stop.
func attend(ctx context.Context, p *tea.Program, signals <-chan os.Signal, a *app) (signalled bool) {
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGHUP && signalled {
				continue // a terminal that closes may say so twice, and means no kill
			}
			signalled = true
			if s == syscall.SIGHUP && a.opts.LeaveOnHangup {
				p.Send(leaveMsg{})
				continue
			}
			p.Send(stopMsg{}) // does nothing where the program has ended
		case s := <-a.jobs.signals:
			p.Send(jobMsg{s})
		case <-ctx.Done():
			p.Quit()
			return signalled
		}
	}
}

func programOptions(opts Options) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithFPS(fps), tea.WithoutCatchPanics(), tea.WithoutSignalHandler(), tea.WithFilter(withinBounds)}
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	if opts.Output != nil {
		options = append(options, tea.WithOutput(opts.Output))
	}
	if opts.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	return options
}

// runGuarded runs the program; a panic in Update or View, or one that a
// goroutine handed over, ends here: the terminal first, then the report.
func runGuarded(p *tea.Program, g *gate, opts Options) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		stack := debug.Stack()
		g.restore()
		_ = p.ReleaseTerminal() // it waits for the reader of keys; Kill would close what that reads
		p.Kill()
		if handed, ok := v.(panicked); ok {
			v, stack = handed.value, handed.stack
		}
		err = &PanicError{Value: opts.redact(fmt.Sprint(v)), Stack: opts.redact(string(stack))}
	}()
	if _, err := p.Run(); err != nil {
		return fmt.Errorf("show the dashboard: %s", opts.redact(err.Error()))
	}
	return nil
}

// synchronised turns synchronised output on where Bubble Tea does not ask the
// terminal for it (over SSH): a terminal that does not know it ignores it, and
// one that does shows no half-drawn frame.
func synchronised() tea.Msg {
	return tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}
}
