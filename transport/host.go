package transport

import (
	"context"
	"crypto/rand"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"rollcall/model"
)

// Options are what a host needs to know.
type Options struct {
	Version string // rollcall's own, told to servers in the handshake
	// Crash is told what a goroutine of a run panicked with, and its stack, both
	// not redacted. It may be called from any goroutine, several times, and must
	// not block: the run it belonged to may never be reaped, so the program has
	// to stop. nil lets the panic end the program.
	Crash func(value any, stack []byte)
}

// Host is what all runs share. Its methods may be called from any goroutine.
type Host struct {
	version  string
	crash    func(any, []byte)
	mark     string // begins the mark of every launch
	launches atomic.Uint64
	guard    *guard
	procs    *procTable
	web      *http.Transport
	big      chan struct{} // held while a big message is decoded: one at a time
	signal   signaller
}

// NewHost starts the guardian, a small process of the same program that kills
// what was launched if this one dies without warning (T1). The program's main
// must hand over to guardian.Main where guardian.Asked says so.
func NewHost(o Options) (*Host, error) {
	h := &Host{version: o.Version, crash: o.Crash, mark: rand.Text(), procs: newProcTable(), big: make(chan struct{}, 1), signal: sendSignal}
	g, err := startGuard(h.mark)
	if err != nil {
		return nil, err
	}
	h.guard = g
	h.web = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    openTimeout,
		MaxResponseHeaderBytes: 256 << 10,
	}
	return h, nil
}

// Close ends the guardian, which kills whatever is still registered. Stop all
// runs first and wait until each is reaped.
func (h *Host) Close() {
	h.guard.close()
	h.web.CloseIdleConnections()
}

// Start launches and dials spec in the background and returns at once.
// Everything that happens is told by d.Report, in the order that
// model.RunEvent gives; Closed and Reaped come exactly once each, whatever
// happens. d.Report is called with a lock held: it must not call back into the
// run, nor block.
func (h *Host) Start(spec *model.Spec, d model.Dial) *Run {
	r := &Run{host: h, spec: spec, dial: d, started: time.Now()}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.killed, r.kill = context.WithCancel(context.Background())
	go h.guarded(r.main)()
	return r
}

// guarded is fn with its panics handed to Options.Crash (D10).
func (h *Host) guarded(fn func()) func() {
	if h.crash == nil {
		return fn
	}
	return func() {
		defer func() {
			if v := recover(); v != nil {
				h.crash(v, debug.Stack())
			}
		}()
		fn()
	}
}

// nextMark is the mark of one launch, unique on this machine.
func (h *Host) nextMark() string {
	return h.mark + "-" + strconv.FormatUint(h.launches.Add(1), 10)
}
