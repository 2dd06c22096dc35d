package supervise

import (
	"fmt"
	"time"

	"rollcall/model"
)

// audit keeps the books of one server from what its step says, and finds what
// breaks an invariant:
//
//   - at most one live process; no dial before the run before was reaped;
//   - no dial before the wait of the last failure is over, but for an order or
//     an entry; every wait within B2's bounds, and Retry-After's;
//   - the attempt made is the one before plus one after a failure, 1 after a
//     loss, the same for a fresh session or a second launch, else 0;
//   - an episode opens once and closes once, and `recovered` needs `lasted`;
//   - every order is answered once;
//   - what is acknowledged is an open episode, and stays so while it is no worse;
//   - after shutdown nothing begins, and no alert is raised;
//   - a timer is armed only in the phases that own it;
//   - no effect bears an old run.
type audit struct {
	live      bool // a process may be there
	closing   bool // the transport is ending it by itself
	run       uint64
	attempt   int     // of the last dial
	runs      int     // of that attempt
	notBefore instant // the next dial, unless someone intervenes
	next      map[int]bool
	retry     time.Duration // asked for by Retry-After
	open      bool          // an episode is open
	given     int           // orders, numbered from 1
	answered  map[string]bool
	stopped   bool
	started   [timerCount]uint64 // the newest token
	lastedRun uint64
}

func newAudit() audit {
	return audit{next: map[int]bool{0: true}, answered: map[string]bool{}}
}

// before notes what must be looked at before a step.
func (a *audit) before(s *state, ev event) state {
	if r, ok := ev.(reported); ok && r.run == s.run {
		switch e := r.event.(type) {
		case model.Closed:
			a.closing = true
			a.retry = e.End.RetryAfter
		case model.Reaped:
			a.live = len(e.Survivors) > 0
			a.closing = false
		case model.Gone:
			a.live = false
		}
	}
	if p, ok := ev.(probed); ok && p.run == s.run {
		a.retry = p.result.End.RetryAfter
	}
	return *s
}

// after looks at a step's outcome; "" where all is well.
func (a *audit) after(s *state, ev event, was state, out []effect) string {
	switch e := ev.(type) {
	case shutdown:
		a.stopped = true
	case configured:
		a.intervene()
	case entryRead:
		if e.refusal == nil {
			a.intervene()
		}
	case ordered:
		if e.order.Verb == model.Acknowledge {
			break // it moves nothing
		}
		a.intervene()
	}
	for _, f := range out {
		if why := a.effect(s, f, was); why != "" {
			return why
		}
	}
	if a.open != s.episode.open {
		if _, ok := ev.(restored); !ok {
			return fmt.Sprintf("the events say that an episode is open: %t, the state %t", a.open, s.episode.open)
		}
	}
	if why := a.acknowledged(s, ev, was); why != "" {
		return why
	}
	return a.timers(s)
}

// acknowledged: only an order does it, to an open episode, and only the end of
// that, or its getting worse, undoes it. The order changes nothing else.
func (a *audit) acknowledged(s *state, ev event, was state) string {
	now, before := s.episode, was.episode
	o, ok := ev.(ordered)
	ok = ok && o.order.Verb == model.Acknowledge
	switch _, restored := ev.(restored); {
	case now.acked.on && !now.open:
		return "acknowledged without an episode"
	case now.acked.on && !before.acked.on && !ok && !restored:
		return "acknowledged by nobody"
	case before.acked.on && now.open && now.since == before.since && !now.acked.on && s.phase != model.Halted && s.phase != model.Refused:
		return "no longer acknowledged, and no worse"
	case ok && (s.phase != was.phase || s.order != was.order || s.waits != was.waits || s.note != was.note || s.timers != was.timers):
		return "to acknowledge changed something else"
	}
	return ""
}

// intervene: someone said something; it may begin afresh, or at once.
func (a *audit) intervene() {
	a.notBefore, a.runs = -never, 0
	a.next[0], a.next[a.attempt], a.next[a.attempt+1], a.next[1] = true, true, true, true
}

func (a *audit) effect(s *state, f effect, was state) string {
	switch f := f.(type) {
	case dial:
		return a.dial(s, f)
	case hangUp:
		if f.run != a.run || !a.live {
			return fmt.Sprintf("hangs up run %d; run %d is live: %t", f.run, a.run, a.live)
		}
	case probe:
		if f.run != a.run || !s.alive || a.stopped {
			return fmt.Sprintf("probes run %d in %s", f.run, s.phase)
		}
	case startTimer:
		set := s.timers[f]
		a.started[f] = set.token
		if a.stopped || set.due-s.since > 400*24*time.Hour {
			return fmt.Sprintf("starts the %s timer for %s in %s", timer(f), set.due, s.phase)
		}
	case tell:
		return a.tell(s, f, was)
	}
	return ""
}

func (a *audit) dial(s *state, d dial) string {
	switch {
	case a.live:
		return fmt.Sprintf("dials run %d while run %d is live", d.run, a.run)
	case d.run != a.run+1 || d.run != s.run:
		return fmt.Sprintf("run %d follows run %d", d.run, a.run)
	case a.stopped:
		return "dials after shutdown"
	case s.since < a.notBefore:
		return fmt.Sprintf("attempt %d is dialled at %s, not before %s", d.attempt, s.since, a.notBefore)
	case !a.next[d.attempt]:
		return fmt.Sprintf("attempt %d is dialled after attempt %d; expected one of %v", d.attempt, a.attempt, a.next)
	case s.attempt != d.attempt || s.phase != model.Starting && s.phase != model.Stopping: // a disconnect may have waited
		return fmt.Sprintf("attempt %d is made, %s and %d are shown", d.attempt, s.phase, s.attempt)
	case d.timeout <= 0 || d.timeout > d.spec.Timings.StartTimeout.D:
		return fmt.Sprintf("dials with %s to go", d.timeout)
	}
	if a.runs++; d.attempt != a.attempt {
		a.runs = 1
	}
	a.live, a.closing, a.run, a.attempt = true, false, d.run, d.attempt
	a.next = map[int]bool{d.attempt: true} // T5, T6
	a.notBefore = -never
	if a.runs > 3 { // one launch, one more for discovery, one fresh session
		return fmt.Sprintf("%d launches within attempt %d", a.runs, d.attempt)
	}
	return ""
}

func (a *audit) tell(s *state, t tell, was state) string {
	ev := t.event
	if ev.Run > s.run {
		return fmt.Sprintf("%s bears run %d, the newest is %d", ev.Kind, ev.Run, s.run)
	}
	switch ev.Kind {
	case model.EvLasted:
		a.lastedRun = ev.Run
		a.attempt, a.runs, a.next = 0, 0, map[int]bool{0: true}
	case model.EvRecovered:
		if !a.open || a.lastedRun != ev.Run || a.stopped && was.phase != model.Settling {
			return fmt.Sprintf("recovered; open: %t, lasted: run %d", a.open, a.lastedRun)
		}
		a.open = false
	case model.EvWithdrawn:
		if !a.open {
			return "withdrawn without an episode"
		}
		a.open = false
	case model.EvDown, model.EvHalted, model.EvRefused:
		if a.stopped {
			return fmt.Sprintf("%s after shutdown", ev.Kind)
		}
		if ev.Kind != model.EvDown {
			a.next = map[int]bool{0: true}
		}
		a.open = true
	case model.EvUnsteady:
		if a.stopped {
			return "unsteady after shutdown"
		}
	case model.EvAttemptFailed, model.EvLost:
		return a.failed(t, was)
	case model.EvOrder:
		if a.answered[ev.OrderID] {
			return fmt.Sprintf("order %s is answered twice", ev.OrderID)
		}
		a.answered[ev.OrderID] = true
	}
	return ""
}

// failed checks a failure's number and wait (B2, H1, L2, L3).
func (a *audit) failed(t tell, was state) string {
	ev := t.event
	n := 0
	if ev.Kind == model.EvAttemptFailed {
		if n = ev.Attempt.V; n != a.attempt {
			return fmt.Sprintf("attempt %d failed, attempt %d was made", n, a.attempt)
		}
	}
	if a.stopped && ev.WillRetry.V {
		return fmt.Sprintf("%s will be retried after shutdown", ev.Kind)
	}
	if !ev.RetryIn.Ok {
		return ""
	}
	ts, wait := was.spec.Timings, time.Duration(ev.RetryIn.V)
	full := float64(ts.ReconnectMaxInterval.D)
	if doubled := float64(ts.ReconnectInterval.D) * float64(uint64(1)<<min(n, 62)); doubled < full {
		full = doubled
	}
	least, most := max(0.75*full, float64(a.retry)), max(1.25*full, 1.25*float64(a.retry))
	limit := float64(model.MaxTimer)
	if w := float64(wait) + 1; w < min(least, limit) || float64(wait) > min(most, limit) {
		return fmt.Sprintf("%s attempt %d waits %s, not %.0f to %.0f s", ev.Kind, n, wait, least/1e9, most/1e9)
	}
	a.notBefore = t.at + wait
	a.next = map[int]bool{n + 1: true}
	return ""
}

// timers are armed in the phases that own them alone.
func (a *audit) timers(s *state) string {
	tries := s.phase == model.Queued || s.phase == model.Starting || s.phase == model.Waiting || s.phase == model.Stopping
	owned := [timerCount]bool{
		retryTimer:   s.phase == model.Waiting,
		lastingTimer: s.alive && !s.lasted && (s.phase == model.Starting || s.phase == model.Settling),
		probeTimer:   s.alive && (s.phase == model.Settling || s.phase == model.Up),
		silenceTimer: tries && !s.alive,
	}
	for k := range timerCount {
		if s.timers[k].token != 0 && !owned[k] {
			return fmt.Sprintf("the %s timer is armed in %s", k, s.phase)
		}
		if s.timers[k].token != 0 && s.timers[k].token != a.started[k] {
			return fmt.Sprintf("the %s timer is armed, and was not started", k)
		}
	}
	must := s.phase == model.Waiting && s.timers[retryTimer].token == 0 || s.phase == model.Settling && s.timers[lastingTimer].token == 0
	switch slot := s.phase == model.Queued || s.phase == model.Starting; {
	case must:
		return fmt.Sprintf("%s without its timer", s.phase)
	case s.slotHeld != slot && s.phase != model.Stopping:
		return fmt.Sprintf("%s, a slot asked for or held: %t", s.phase, s.slotHeld)
	case s.runs() != a.live && !s.quits:
		return fmt.Sprintf("%s, a process may be live: %t", s.phase, a.live)
	}
	return ""
}

// atTheEnd looks at what is left when rollcall has stopped.
func (a *audit) atTheEnd(s *state) string {
	for k := range timerCount {
		if s.timers[k].token != 0 {
			return fmt.Sprintf("the %s timer is armed at the end", k)
		}
	}
	for id := 1; id <= a.given; id++ {
		if !a.answered[fmt.Sprint(id)] {
			return fmt.Sprintf("order %d was never answered", id)
		}
	}
	switch {
	case s.phase != model.Off && len(s.survivors) == 0:
		return fmt.Sprintf("%s at the end", s.phase)
	case a.live && len(s.survivors) == 0:
		return "a process is left at the end"
	}
	return ""
}
