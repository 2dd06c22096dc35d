package supervise

import (
	"fmt"
	"math"
	"time"

	"rollcall/model"
)

// naive is SPEC.md said a second time, as plainly as possible, for one server
// without jitter. It shares nothing with the step but the events that come in:
// where the two disagree, one of them misreads SPEC.md.
type naive struct {
	phase   model.Phase
	shown   int // the attempt made last; 0 once it has lasted
	next    int // the attempt that comes
	run     uint64
	spec    *model.Spec
	way     [32]byte     // T6: the entry that legacy and proven are of
	pending *model.Entry // C8: changed while it ran
	known   bool         // it was configured
	held    bool         // O5
	stopped bool         // shutdown

	slotAt                               instant // T9
	legacy, proven, relaunched           bool    // T6
	credit                               bool    // T5
	alive, lasted                        bool
	born                                 instant
	row                                  int  // P3
	stuck, removed                       bool // H2, C8
	retryAt, lastsAt, probeAt, silenceAt instant
	episode, repeats, acked              bool
	losses                               []instant // A7
	unsteady                             bool
	unsteadyAt                           instant
	end                                  *naiveEnd // being reaped, not told yet
	then                                 string    // what comes after the reap
	noNumber                             bool      // H2: its end was ordered
	order, waits                         *model.Order
	read                                 bool // the order's entry is being read
	acts, told                           []string
}

// naiveEnd is an end that is told at the reap (L5).
type naiveEnd struct {
	at              instant
	lasted, asAsked bool
	once            bool // reconnect was off
	wait            time.Duration
}

const never = instant(math.MaxInt64)

func newNaive() *naive {
	return &naive{credit: true, retryAt: never, lastsAt: never, probeAt: never, silenceAt: never}
}

func (n *naive) act(format string, args ...any) {
	n.acts = append(n.acts, fmt.Sprintf(format, args...))
}
func (n *naive) tell(format string, args ...any) {
	n.told = append(n.told, fmt.Sprintf(format, args...))
}

// due is when time alone makes something happen next.
func (n *naive) due() instant {
	next := min(n.lastsAt, n.probeAt, n.silenceAt)
	if n.phase == model.Waiting {
		next = min(next, n.retryAt)
	}
	return next
}

// pass lets the first thing that is due happen.
func (n *naive) pass(at instant) {
	switch {
	case at == n.retryAt && n.phase == model.Waiting:
		n.want(n.next)
	case at == n.lastsAt:
		n.last()
	case at == n.probeAt:
		n.probeAt = never
		n.act("probe run=%d", n.run)
	case at == n.silenceAt: // A7
		n.silenceAt = never
		if !n.episode {
			n.down()
		}
	}
}

// last: the life reached the threshold (L2).
func (n *naive) last() {
	n.lastsAt, n.lasted, n.shown, n.next, n.credit = never, true, 0, 1, true
	n.phase = model.Up
	n.tell("lasted")
	if n.episode {
		n.episode, n.repeats, n.acked = false, false, false
		n.tell("recovered")
	}
}

func (n *naive) down() {
	n.episode = true
	n.tell("down attempt=%d", n.shown)
}

// worse: it halted, or was refused. Who had acknowledged what was before does not
// know, unless it was this, in an engine before.
func (n *naive) worse() {
	n.acked = n.acked && n.repeats
	n.episode, n.repeats = true, false
}

// want asks for a start slot (T9).
func (n *naive) want(attempt int) {
	n.phase, n.next, n.retryAt, n.then = model.Queued, attempt, never, ""
	n.act("want")
}

// afresh is an order, or an entry, that starts the count afresh.
func (n *naive) afresh(at instant) {
	n.credit, n.relaunched, n.shown, n.silenceAt = true, false, 0, at+15*time.Minute
	n.want(0)
}

func (n *naive) granted(at instant) {
	if n.phase == model.Queued {
		n.slotAt = at
		n.shown = n.next
		n.dial(at)
	}
}

func (n *naive) dial(at instant) {
	n.run++
	n.phase, n.alive, n.lasted, n.noNumber, n.row = model.Starting, false, false, false, 0
	n.act("dial run=%d attempt=%d within=%s legacy=%t", n.run, n.shown, n.slotAt+n.spec.Timings.StartTimeout.D-at, n.legacy)
	n.tell("starting attempt=%d", n.shown)
}

func (n *naive) reported(at instant, ev model.RunEvent) {
	runs := n.phase == model.Starting || n.phase == model.Settling || n.phase == model.Up
	switch ev := ev.(type) {
	case model.Handshaken:
		if runs {
			n.alive, n.born, n.silenceAt = true, at, never
			n.repeats = false
			n.legacy, n.relaunched = ev.Handshake.Legacy, false
			n.proven = n.legacy
			n.lastsAt = at + n.spec.Timings.Lasting()
		}
	case model.Connected:
		if runs {
			n.connected(at)
		}
	case model.Closed:
		if runs {
			n.ended(at, ev.End, false)
		}
	case model.Reaped:
		n.reaped(at, len(ev.Survivors) > 0)
	case model.Gone:
		n.gone()
	}
}

func (n *naive) connected(at instant) {
	if !n.lasted {
		n.phase = model.Settling
	}
	n.tell("connected attempt=%d", n.shown)
	n.probeIn(at, n.born) // P5
}

func (n *naive) probeIn(at, from instant) {
	if every := n.spec.Timings.ProbeInterval.D; every != model.Forever {
		n.probeAt = max(at, from+every)
	}
}

// backoff is B2 without jitter, and H1's Retry-After.
func (n *naive) backoff(attempt int, after time.Duration) time.Duration {
	t := n.spec.Timings
	wait := math.Min(float64(t.ReconnectInterval.D)*math.Pow(2, float64(attempt)), float64(t.ReconnectMaxInterval.D))
	return time.Duration(math.Min(math.Max(wait, float64(after)), float64(model.MaxTimer)))
}

// hangUp ends what runs because someone said so: no failure (L6).
func (n *naive) hangUp(at instant, then string) {
	if n.alive && !n.lasted && at-n.born >= n.spec.Timings.Lasting() {
		n.last()
	}
	n.rest(model.Stopping)
	n.then, n.noNumber = then, true
	n.act("hang up run=%d", n.run)
}

func (n *naive) probed(at instant, r model.Probed) {
	if n.phase != model.Settling && n.phase != model.Up {
		return // S
	}
	switch {
	case r.Outcome == model.Alive:
		n.row = 0
	case r.Outcome == model.TimedOut, r.Outcome == model.ProbeError && !r.End.Cause.Permanent():
		n.row++
	}
	n.tell("probe %s timeouts=%d", r.Outcome, n.row)
	switch {
	case r.Outcome == model.Missing, r.Outcome == model.Broken, r.End.Cause.Permanent():
		n.ended(at, r.End, true)
	case n.row == 3:
		n.ended(at, model.End{Cause: model.ClosedByHost, RetryAfter: r.End.RetryAfter}, true)
	default:
		n.probeIn(at, at)
	}
}
