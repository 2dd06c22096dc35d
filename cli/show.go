package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"rollcall/bus"
	"rollcall/front"
	"rollcall/ui"
)

// show is a dashboard on an engine that its own process holds, and what is to
// become of the engine when the screen ends.
type show struct {
	deck  *deck
	link  *front.Link
	start func()       // starts the engine, once
	stop  func() error // stops it, once, and waits
	carry func() error // puts it on the bus, once

	server atomic.Pointer[bus.Server] // what carry has made
	stops  atomic.Bool                // its end was asked for, or has begun
	alone  atomic.Bool                // the front has died: the terminal is somebody else's
	left   atomic.Bool                // it was asked to serve on: the key
	hangup atomic.Bool                // the terminal said that it hangs up
}

func newShow(d *deck, lock *bus.Lock, link *front.Link) *show {
	s := &show{deck: d, link: link}
	s.carry = sync.OnceValue(func() error {
		server, err := d.carry(lock, "")
		if err == nil {
			s.server.Store(server)
		}
		return err
	})
	s.start = sync.OnceFunc(d.start)
	s.stop = sync.OnceValue(func() error {
		s.stops.Store(true)
		s.start() // stop waits for the loop
		return d.stop()
	})
	return s
}

// run shows the dashboard until it ends. Signals are those that end it.
func (s *show) run(a *app, signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() { defer close(ended); s.attend(ctx, cancel, signals) }()

	opts := a.screenOptions(s.deck.ui, s.deck.redact)
	opts.HoldsEngine, opts.Stop, opts.Kill = true, func() { _ = s.stop() }, s.deck.engine.Kill
	opts.Leave, opts.LeaveOnHangup = s.leave, !s.deck.ui.StopOnHangup
	opts.Suspend = func() { s.link.Suspend(ctx) }
	// The screen first: launching a hundred servers would hold up its first frame.
	opts.Shown = func() { s.start(); _ = s.carry() }
	err := ui.Run(ctx, held{s.deck.engine, s.deck.files}, opts)
	s.start() // nothing may have been shown
	cancel()
	<-ended
	return err
}

// attend notes what asks for the engine's end, and ends the screen where it
// cannot be shown any more: the engine broke, or nobody keeps the terminal.
func (s *show) attend(ctx context.Context, cancel func(), signals <-chan os.Signal) {
	for {
		select {
		case c := <-s.deck.broken:
			s.stops.Store(true)
			s.deck.crashed(c.value, []byte(c.stack)) // for stop to find
			cancel()
			return
		case <-s.link.Gone():
			s.stops.Store(true)
			s.alone.Store(true)
			cancel()
			return
		case sig := <-signals:
			if sig == syscall.SIGHUP {
				s.hangup.Store(true)
			} else {
				s.stops.Store(true)
			}
		case <-ctx.Done():
			return
		}
	}
}

// leave lets the engine serve on, if it can be found again.
func (s *show) leave() error {
	if err := s.carry(); err != nil {
		return err
	}
	s.left.Store(true)
	return nil
}

// leaves reports, once the screen has ended, whether the engine serves on. A
// terminal that is gone takes no screen, and may not have said so yet.
func (s *show) leaves() bool {
	select {
	case <-s.link.Gone(): // its death can hang up the terminal, and comes first (T1)
		return false
	default:
	}
	switch {
	case s.stops.Load():
		return false
	case s.left.Load():
		return true
	case s.deck.ui.StopOnHangup || !s.hangup.Load() && !hungUp():
		return false
	}
	return s.leave() == nil
}

// sayLeft says on the terminal how the engine is found again, from any folder.
func (s *show) sayLeft(a *app) {
	if !s.hangup.Load() {
		text := naming("`rollcall` shows them again, `rollcall stop` ends them", a.fromAnywhere(s.deck.files.path))
		fmt.Fprintf(a.err, "rollcall: the servers run on, process %d: %s\n", os.Getpid(), redactAll(nil, text))
	}
}

// fromAnywhere is what --config has to name so that another terminal finds the
// same configuration; "" where it does without.
func (a *app) fromAnywhere(path string) string {
	if a.config == "" && filepath.IsAbs(path) { // ROLLCALL_CONFIG, or below the home
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// close takes the engine off the bus.
func (s *show) close() {
	if server := s.server.Load(); server != nil {
		server.Close()
	}
}
