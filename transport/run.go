package transport

import (
	"context"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Run is one incarnation of a server, made by Host.Start. Its methods may be called
// from any goroutine, and at any time, but not from the dial's Report, which holds
// the run's lock: after the end they do nothing, or say that it is over.
type Run struct {
	host    *Host
	spec    *model.Spec
	dial    model.Dial
	started time.Time

	ctx    context.Context // ends when Closed was reported
	cancel context.CancelFunc
	killed context.Context // ends at Kill
	kill   context.CancelFunc

	mu        sync.Mutex // held while reporting: it keeps the order
	closed    bool
	closedAt  time.Time
	closing   bool        // the first stage of the stop was told (H2)
	process   *process    // nil before the launch, and once nothing of it is left
	session   *session    // nil before the handshake
	last      redact.Safe // the last thing seen while starting, for StartTimedOut
	discovery discovery
}

// Stop ends the run: Closed by this host, unless it was closed already, then the
// sequence of H2, then Reaped. Closed is reported by the time that it returns, in
// the caller's goroutine; the rest comes by itself, Reaped some 2 s after stop_grace
// at the latest. It waits for no more than a Report that is under way; a second one
// does nothing.
func (r *Run) Stop() {
	r.close(time.Now(), model.End{Cause: model.ClosedByHost})
}

// Kill is Stop with SIGKILL for the whole group at once, also for a run that is
// being stopped already; Reaped comes some 2 s later at the latest.
func (r *Run) Kill() {
	r.kill()
	r.Stop()
}

// main begins the run's life; its end, when the run is closed, is reap. No
// goroutine waits for that: there are many runs, and they live long.
func (r *Run) main() {
	timeout := time.AfterFunc(r.dial.Timeout, r.host.guarded(r.timedOut))
	p, talk := r.launch(), sync.WaitGroup{}
	switch {
	case r.spec.Launch != nil && p == nil: // it failed, and the run is closed
	case r.spec.Transport == model.Stdio:
		w := r.stdio(p)
		talk.Go(r.host.guarded(func() { r.overStdio(p, w) }))
	default:
		if p != nil {
			p.drains.Go(r.host.guarded(func() { r.drain(p, p.stdout, model.LineNoise) }))
		}
		talk.Go(r.host.guarded(func() { r.overURL(p) }))
	}
	context.AfterFunc(r.ctx, r.host.guarded(func() {
		timeout.Stop()
		r.reap(p, talk.Wait)
	}))
}

// timedOut ends a run that has not completed its handshake.
func (r *Run) timedOut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != nil {
		return
	}
	within := max(time.Millisecond, r.dial.Timeout.Round(time.Millisecond))
	text := redact.Sprintf("no handshake within %s", redact.Name(within.String()))
	if !r.last.IsZero() {
		text = redact.Join(": ", text, r.last)
	}
	r.closeLocked(time.Now(), model.End{Cause: model.StartTimedOut, Text: text})
}

// saw notes the last thing seen while starting.
func (r *Run) saw(s redact.Safe) {
	r.mu.Lock()
	r.last = s
	r.mu.Unlock()
}

// holds notes the launch's process; nil once nothing of it is left.
func (r *Run) holds(p *process) {
	r.mu.Lock()
	r.process = p
	r.mu.Unlock()
}

// report tells one event, unless the run is closed already.
func (r *Run) report(e model.RunEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.dial.Report(e)
	}
}

// handshaken makes s the run's session and tells so; false where the run was
// closed before.
func (r *Run) handshaken(s *session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.session, r.discovery = s, discoveryAnswered
	r.dial.Report(model.Handshaken{At: time.Now(), Handshake: s.handshake})
	return true
}

// close reports the run's end, once: what comes first wins.
func (r *Run) close(at time.Time, end model.End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeLocked(at, end)
}

// closeLocked is close, for who holds the lock.
func (r *Run) closeLocked(at time.Time, end model.End) {
	if r.closed {
		return
	}
	r.closed, r.closedAt = true, at
	if r.discovery == discoveryAsked && refuses(end.Cause) {
		end.Cause = model.DiscoveryRefused
	}
	r.dial.Report(model.Closed{At: at, End: end})
	if r.process != nil && !r.process.hasExited() {
		r.dial.Report(model.Staged{At: at, Stage: model.Closing})
		r.closing = true
	}
	r.cancel()
}

// refuses reports whether an end while discovery was unanswered means that the
// server refused it (T6).
func refuses(c model.Cause) bool {
	switch c {
	case model.Exited, model.Signalled, model.ClosedByPeer:
		return true
	}
	return false
}

// line hands over one cleaned line of the server's output.
func (r *Run) line(kind model.LineKind) func(redact.Safe) {
	return func(s redact.Safe) { r.dial.Line(time.Now(), kind, s) }
}
