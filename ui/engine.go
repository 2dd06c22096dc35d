package ui

import (
	"context"
	"io"

	"rollcall/model"
)

// Engine is what the dashboard reads and orders. Its methods may be called
// from any goroutine, several at once.
type Engine interface {
	// Next blocks until there is a snapshot newer than seen (Seq > seen), at
	// most 15 a second; the first comes at once. It returns when ctx ends. An
	// error before that says that the engine was lost; Next is tried again.
	Next(ctx context.Context, seen uint64) (model.Fleet, error)
	// Lines is a server's tail: the newest limit lines with Seq > after, oldest
	// first.
	Lines(server string, after uint64, limit int) []model.Line
	// Events is the history: the newest limit events with Seq > after, oldest
	// first, of one server, or of all where server is "". Answers to orders are
	// among them.
	Events(server string, after uint64, limit int) []model.Event
	// Do gives an order and never blocks. An event with the order's ID answers.
	Do(model.Order)
	// Timeline is the last 24 h of a server, or of the fleet where server is "".
	// It may block; it is empty where there is none.
	Timeline(server string) model.Timeline
	// Usage samples what the processes of a server's launch use. It may block. An
	// error says why that cannot be known: nothing runs, a dialled server.
	Usage(ctx context.Context, server string) (model.Usage, error)
	// Pending reads the configuration's file anew and says what a reload would
	// do (C8). It may block.
	Pending() model.Reload
	// Reload applies the file, if that still does what was shown: ok, and what it
	// did. Else nothing is done, and it says what it would do now. It may block.
	Reload(shown model.Reload) (did model.Reload, ok bool)
}

// Options say how the dashboard is shown.
type Options struct {
	// ASCII: no glyph outside ASCII (D9).
	ASCII bool
	// NoColor: no colour, whatever the terminal can do. NO_COLOR in the
	// environment does the same.
	NoColor bool
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// Theme has other colours for some of what is shown.
	Theme Theme
	// Keys has other keys for some actions, by their names (Keys).
	Keys map[string][]string
	// HoldsEngine: quitting stops the servers, and so asks first while any runs
	// (D4). Without it the engine is another's: quitting detaches, and stops
	// nothing.
	HoldsEngine bool
	// ReadOnly: the engine takes no order from here, so none is offered or asked
	// about (N2).
	ReadOnly bool
	// Stop stops every server and returns when each is reaped or given up; Kill
	// makes it end what it has not ended yet, at once (X2). They are called in
	// goroutines of their own, Stop once, and Kill after it. The screen stays
	// meanwhile, and ends when Stop has returned. nil: the screen ends first, and
	// the caller stops the servers. Only with HoldsEngine.
	Stop func()
	Kill func()
	// Leave makes the engine serve on without this dashboard, which ends then; an
	// error says why it cannot. nil: there is no such way. Only with HoldsEngine.
	Leave func() error
	// LeaveOnHangup: a SIGHUP leaves the engine serving too; without it, it stops
	// the servers. Only with Leave.
	LeaveOnHangup bool
	// Suspend hands the terminal, which is as it was, to the shell, and returns
	// when the dashboard may draw on it again. nil: the dashboard's whole process
	// group is stopped meanwhile.
	Suspend func()
	// Order is what each order starts as: its By says who gives it.
	Order model.Order
	// Redact takes secrets and control sequences out of a text that did not come
	// from the engine: an error, a panic's value. Without it such a text is
	// withheld.
	Redact func(string) string
	// Shown is called once, in a goroutine of its own, when the first snapshot
	// was drawn. nil: nobody wants to know.
	Shown func()
	// Input and Output are the terminal; nil means stdin and stdout.
	Input  io.Reader
	Output io.Writer
}

func (o Options) redact(s string) string {
	if o.Redact == nil {
		return "(withheld)"
	}
	return o.Redact(s)
}
