package ui

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"runtime/debug"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// fps is how often the screen may change. A key is seen after 25 ms on
// average; an idle screen costs half of what 60 would.
const fps = 20

// PanicError is a defect of the dashboard: what was raised, and where,
// redacted. The terminal was restored before anyone sees it.
type PanicError struct{ Value, Stack string }

func (e *PanicError) Error() string {
	return "the dashboard broke (a defect of rollcall): " + e.Value + "\n" + e.Stack
}

// Run shows the dashboard until the operator quits, ctx ends, or SIGTERM,
// SIGINT or SIGHUP comes: then it returns nil, and the caller decides what
// becomes of the engine. It returns an error where the terminal cannot be
// used, and a *PanicError where the dashboard broke. Whatever happens, the
// terminal is as it was (D10), and nobody waits in e.Next any longer.
func Run(ctx context.Context, e Engine, opts Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()

	f := newFeed()
	p := tea.NewProgram(newApp(e, opts, f.next, f.touched), programOptions(opts)...)
	feeding, quitting := make(chan struct{}), make(chan struct{})
	go func() { defer close(feeding); f.run(ctx, e) }()
	go func() {
		defer close(quitting)
		<-ctx.Done()
		p.Quit() // does nothing where the program has ended
	}()
	err := runGuarded(p, opts)
	asked := ctx.Err() != nil
	stop()
	<-feeding
	<-quitting
	if asked && !errors.As(err, new(*PanicError)) {
		return nil // a terminal that hung up gives errors that nobody can act on
	}
	return err
}

func programOptions(opts Options) []tea.ProgramOption {
	options := []tea.ProgramOption{tea.WithFPS(fps), tea.WithoutCatchPanics(), tea.WithoutSignalHandler()}
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
func runGuarded(p *tea.Program, opts Options) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		stack := debug.Stack()
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
