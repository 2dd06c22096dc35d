package transport

import (
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
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
	// Stderr, where it is given, is a duplicate of the program's stderr. What
	// the Go runtime prints on fd 2 past every recover then goes to the
	// guardian, which writes to Stderr what cannot hold a secret (R4). The
	// program's own words must go to Stderr, not to fd 2. Linux only; elsewhere
	// fd 2 is left alone.
	Stderr *os.File
	// Terminal is the one that the dashboard draws on: the guardian puts it back
	// where this program dies without doing so (D10). nil: none.
	Terminal *os.File
	// Adopt says that what launches leave behind becomes this program's child
	// (Linux). It is reaped, and ends with the host at the latest (T1). So
	// whatever else starts a program gives it Environ. At most one host of a
	// program may be told so.
	Adopt bool
	// Core is the limit of core dumps that launches get, where this program has
	// lowered its own. nil: the program's.
	Core *syscall.Rlimit
}

// Host is what all runs share. Its methods may be called from any goroutine.
type Host struct {
	version   string
	crash     func(any, []byte)
	mark      string // begins the mark of every launch
	launches  atomic.Uint64
	guard     *guard
	orphans   *orphanage
	procs     *procTable
	rivals    rivals
	web       *http.Transport
	big       chan struct{} // held while a big message is decoded: one at a time
	room      *room         // where big messages are collected
	bodies    *room         // where the SDK collects those that come over HTTP
	turns     chan struct{} // held while a piece of output is cleaned
	signal    signaller
	waits     waits
	maxTools  int    // of one server (T8)
	kernelLog string // asked about a kill that nobody here ordered
	core      *syscall.Rlimit
}

// waits are the times that a run waits for. They are fields of Host so that a
// test can scale them down.
type waits struct {
	discover time.Duration // for the answer to the newest revision's discovery (T6)
	settle   time.Duration // for the policy exchange (M1), and for tools/list
	ping     time.Duration // between a WebSocket's pings, so that idle proxies do not cut it (T4)
	exit     time.Duration // for the process's exit, once its pipe or socket has ended: an exit is reported as one
	learn    time.Duration // until those are learned from that were launched while others started
}

// NewHost starts the guardian, a small process of the same program that kills
// what was launched if this one dies without warning (T1). The program's main
// must hand over to guardian.Main where guardian.Asked says so: a guardian that
// finds itself here is an error. The other errors are those of starting it: no
// pipe, no process to be had, the program's file or the null device cannot be
// opened. A guardian that dies later is no error: another is started.
func NewHost(o Options) (*Host, error) {
	h := &Host{
		version: o.Version, crash: o.Crash, core: o.Core, mark: rand.Text(),
		orphans: newOrphanage(o.Adopt), signal: sendSignal,
		big: make(chan struct{}, 1), room: newRoom(roomSeats), bodies: newRoom(bodySeats), turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		waits:    waits{discover: 5 * time.Second, settle: 15 * time.Second, ping: 30 * time.Second, exit: 250 * time.Millisecond, learn: time.Second},
		maxTools: 10_000, kernelLog: kernelLog,
	}
	h.procs = newProcTable(h.orphans)
	if h.orphans != nil {
		go h.guarded(h.orphans.run)()
	}
	g, err := startGuard(h.mark, h.orphans, o.Stderr, o.Terminal)
	if err != nil {
		h.orphans.close()
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

// Close ends what launches have left behind, and the guardian, which kills
// whatever is still registered. Stop all runs first and wait until each is
// reaped. Call it once. It waits: up to 2 s for the guardian's end, and, where
// Options.Adopt gets this program such leftovers, until those are seen to be gone,
// in at most 100 looks at the process table with 5 ms between them.
func (h *Host) Close() {
	h.orphans.killAll()
	h.guard.close()
	h.orphans.close()
	h.web.CloseIdleConnections()
}

// LeaveTerminal says that this program no longer has the terminal of
// Options.Terminal, and that stderr, to which Options.Stderr leads by now too,
// is the file of that path.
func (h *Host) LeaveTerminal(stderr string) { h.guard.left(stderr) }

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

// nextMark is the mark of one launch, unique on this machine, and its number.
func (h *Host) nextMark() (mark string, nth uint64) {
	nth = h.launches.Add(1)
	return h.mark + "-" + strconv.FormatUint(nth, 10), nth
}

// learnSoon learns who descends from a launch: now, or a second later at most
// where another launch was begun since. While many start the servers want the
// CPU that it costs.
func (h *Host) learnSoon(p *process) {
	if h.launches.Load() == p.nth {
		h.procs.learn(p)
	} else {
		h.procs.learnLater(p, h.waits.learn)
	}
}
