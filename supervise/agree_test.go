package supervise

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// TestNaiveModelAgrees plays thousands of random lives of one server to the
// step and to the naive model, and compares them after every event. A failure
// prints its seed; ROLLCALL_SEED=n runs that one alone.
func TestNaiveModelAgrees(t *testing.T) {
	if seed, err := strconv.ParseUint(os.Getenv("ROLLCALL_SEED"), 10, 64); err == nil {
		if _, why := agree(randomly(seed), 400); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
		return
	}
	lives := 3_000
	switch {
	case testing.Short():
		lives = 500
	case os.Getenv("ROLLCALL_LONG") != "": // a minute
		lives = 60_000
	}
	failed, steps := 0, 0
	for seed := range uint64(lives) {
		played, why := agree(randomly(seed), 400)
		steps += played
		if why != "" {
			t.Errorf("ROLLCALL_SEED=%d: %s", seed, why)
			if failed++; failed == 3 {
				return
			}
		}
	}
	t.Logf("%d lives, %d steps", lives, steps)
}

// FuzzNaiveModelAgrees lets the fuzzer choose: each byte is one choice.
func FuzzNaiveModelAgrees(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("the quick brown fox jumps over the lazy dog"))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		source := func() func(n int) int {
			b := bytes
			return func(n int) int {
				if len(b) == 0 {
					return 0
				}
				c := b[0]
				b = b[1:]
				return int(c) % n
			}
		}
		if _, why := agree(source, min(2*len(bytes), 400)); why != "" {
			t.Fatal(why)
		}
	})
}

// randomly chooses by a seed.
func randomly(seed uint64) func() func(n int) int {
	return func() func(n int) int { return rand.New(rand.NewPCG(seed, 1)).IntN }
}

// agree plays one life of at most so many events. It returns how many it played,
// and where the two disagree, and what came before. Only a life that failed is
// played again with its trace.
func agree(source func() func(n int) int, events int) (played int, why string) {
	for _, traced := range []bool{false, true} {
		w := &world{choose: source(), s: newState("s", 1), n: newNaive(), tickets: map[uint64]bool{}, traced: traced}
		w.s.spread = 0
		w.begin()
		why = ""
		for played = 0; played < events && !w.left && why == ""; played++ {
			why = w.next()
		}
		if why == "" {
			break
		}
		if traced {
			why = fmt.Sprintf("%s\n%s", why, strings.Join(w.trace[max(0, len(w.trace)-40):], "\n"))
		}
	}
	return played, why
}

// world is what surrounds one server: a transport, slots, an operator and a
// configuration, all of which do what `choose` says.
type world struct {
	choose  func(n int) int
	s       state
	n       *naive
	now     instant
	due     [timerCount]instant
	plans   []plan
	planned int
	ids     int
	file    *model.Entry // as it stands in the configuration; nil: removed
	left    bool
	traced  bool
	tickets map[uint64]bool // wanted and not given back

	acts, told, trace []string
}

// plan is an event that comes at a time: before or after the timers that are
// due in the same instant.
type plan struct {
	at    instant
	after bool
	seq   int
	run   uint64 // of a report or a probe
	event func(at instant) event
}

func pick[T any](w *world, from ...T) T { return from[w.choose(len(from))] }

func (w *world) plan(in time.Duration, run uint64, ev func(at instant) event) {
	w.planned++
	w.plans = append(w.plans, plan{w.now + in, w.choose(2) == 0, w.planned, run, ev})
}

// begin configures the server, perhaps after what an engine before it knew.
func (w *world) begin() {
	if w.choose(8) == 1 {
		sv := saved{}
		if w.choose(2) == 1 {
			sv.hold = hold{on: true, by: redact.Word("anna")}
		}
		if w.choose(2) == 1 {
			sv.episode = episode{open: true, since: -time.Hour, permanent: w.choose(2) == 1}
			sv.episode.acked.on = w.choose(2) == 1
			sv.episode.repeats = sv.episode.permanent
		}
		w.s, _ = step(w.s, restored{0, sv}, nil)
		w.n.held, w.n.episode = sv.hold.on, sv.episode.open
		w.n.repeats, w.n.acked = sv.episode.repeats, sv.episode.acked.on
	}
	w.plan(0, 0, func(at instant) event { w.file = w.entry(); return configured{at, w.file, true, false} })
	w.planOperator()
}

// next plays what comes next to both, and compares.
func (w *world) next() string {
	timers := w.n.due()
	for k := range timerCount {
		if w.s.timers[k].token != 0 {
			timers = min(timers, w.due[k])
		}
	}
	slices.SortFunc(w.plans, func(a, b plan) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq)) })
	if len(w.plans) == 0 && timers == never {
		w.left = true
		return ""
	}
	if len(w.plans) == 0 || timers < w.plans[0].at || timers == w.plans[0].at && w.plans[0].after {
		w.now = max(w.now, timers)
		if w.traced {
			w.say("%s timers", w.now)
		}
		w.passTimers()
	} else {
		p := w.plans[0]
		w.plans = w.plans[1:]
		w.now = p.at
		ev := p.event(p.at)
		if w.traced {
			w.say("%s %s %v", w.now, strings.TrimPrefix(fmt.Sprintf("%T", ev), "supervise."), brief(ev))
		}
		w.step(ev)
		w.naive(ev)
	}
	return w.compare()
}

func (w *world) say(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

func brief(ev event) any {
	switch ev := ev.(type) {
	case reported:
		return fmt.Sprintf("run %d %s", ev.run, reportText(ev.event))
	case probed:
		return fmt.Sprintf("run %d %s, %s", ev.run, ev.result.Outcome, ev.result.End.Cause)
	case ordered:
		return fmt.Sprintf("%s %s bulk=%t in_force=%t", ev.order.ID, ev.order.Verb, ev.order.Bulk, ev.order.InForce)
	case configured:
		if ev.entry == nil {
			return fmt.Sprintf("removed apply=%t", ev.apply)
		}
		return fmt.Sprintf("apply=%t %s", ev.apply, specText(ev.entry.Spec))
	case slotGranted:
		return ev.ticket
	case slotAwaited, timerFired, shutdown:
		return ""
	case entryRead:
		return ev.id + " " + specText(ev.spec)
	}
	return ev
}

func reportText(ev model.RunEvent) string {
	switch ev := ev.(type) {
	case model.Closed:
		return fmt.Sprintf("closed: %s %s, retry after %s", ev.End.Cause, ev.End.How(), ev.End.RetryAfter)
	case model.Reaped:
		return fmt.Sprintf("reaped, survivors %v", ev.Survivors)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", ev), "model.")
}

func specText(s *model.Spec) string {
	if s == nil {
		return "bad"
	}
	ts := s.Timings
	return fmt.Sprintf("enabled=%t reconnect=%t base=%s cap=%s lasting=%s probes=%s", s.Enabled, s.Reconnect,
		ts.ReconnectInterval.Text(), ts.ReconnectMaxInterval.Text(), ts.LastingAfter.Text(), ts.ProbeInterval.Text())
}

// passTimers fires all that is due now, at both.
func (w *world) passTimers() {
	for fired := 0; ; fired++ {
		if fired == 100 {
			w.told = append(w.told, "timers without an end")
			break
		}
		first := timerCount
		for k := range timerCount {
			if w.s.timers[k].token != 0 && w.due[k] <= w.now && (first == timerCount || w.due[k] < w.due[first]) {
				first = k
			}
		}
		if first == timerCount {
			break
		}
		w.step(timerFired{w.now, first, w.s.timers[first].token})
	}
	for w.n.due() <= w.now {
		w.n.pass(w.n.due())
	}
}

func (w *world) naive(ev event) {
	at := ev.when()
	switch ev := ev.(type) {
	case ordered:
		w.n.ordered(at, &ev.order)
	case entryRead:
		w.n.entryRead(at, ev.id, ev.spec)
	case slotGranted:
		if w.tickets[ev.ticket] {
			w.n.granted(at)
		}
	case reported:
		if ev.run == w.n.run {
			w.n.reported(at, ev.event)
		}
	case probed:
		if ev.run == w.n.run {
			w.n.probed(at, ev.result)
		}
	case configured:
		w.n.configured(at, ev.entry, ev.apply)
	case shutdown:
		w.n.shutdown(at)
	}
}

// step plays an event to the step, and does what it says.
func (w *world) step(ev event) {
	var out []effect
	w.s, out = step(w.s, ev, nil)
	for _, f := range out {
		w.perform(f)
	}
}

func (w *world) perform(f effect) {
	act := func(format string, args ...any) { w.acts = append(w.acts, fmt.Sprintf(format, args...)) }
	switch f := f.(type) {
	case readEntry:
		act("read %s", f.id)
		w.planRead(f.id)
	case wantSlot:
		act("want")
		w.tickets[f.ticket] = true
		w.plan(pick(w, 0, 0, 0, time.Millisecond, 3*time.Second, time.Hour), 0, func(at instant) event { return slotGranted{at, f.ticket} })
	case freeSlot:
		delete(w.tickets, f.ticket)
	case dial:
		act("dial run=%d attempt=%d within=%s legacy=%t", f.run, f.attempt, f.timeout, f.legacy)
		w.planRun(f)
	case hangUp:
		act("hang up run=%d", f.run)
		w.planHangUp(f.run)
	case probe:
		act("probe run=%d", f.run)
		w.planProbe(f.run)
	case startTimer:
		w.due[f] = w.s.timers[f].due
	case leave:
		if w.left = true; !w.n.stopped {
			act("leave")
		}
	case tell:
		if text := toldText(f.event); text != "" {
			w.told = append(w.told, text)
		}
	}
}

// toldText is what SPEC.md settles of an event; "" where it settles nothing.
func toldText(ev model.Event) string {
	attempt := ""
	if ev.Attempt.Ok {
		attempt = fmt.Sprintf(" attempt=%d", ev.Attempt.V)
	}
	retry := ""
	if ev.WillRetry.Ok {
		retry = fmt.Sprintf(" will_retry=%t", ev.WillRetry.V)
	}
	if ev.RetryIn.Ok {
		retry += fmt.Sprintf(" retry_in=%s", time.Duration(ev.RetryIn.V))
	}
	switch ev.Kind {
	case model.EvStarting, model.EvConnected, model.EvDown, model.EvHalted:
		return ev.Kind.String() + attempt
	case model.EvAttemptFailed:
		return ev.Kind.String() + attempt + retry
	case model.EvLost:
		return ev.Kind.String() + retry
	case model.EvProbe:
		return fmt.Sprintf("probe %s timeouts=%d", ev.Outcome, ev.Timeouts.V)
	case model.EvOrder:
		return fmt.Sprintf("order %s %s", ev.OrderID, ev.Outcome)
	case model.EvQueued, model.EvStopping, model.EvConfig:
		return ""
	}
	return ev.Kind.String()
}

// compare says where the two differ, and forgets what they said.
func (w *world) compare() string {
	s, n := &w.s, w.n
	if w.traced {
		w.say("    %s attempt=%d after=%d\t%s\t%s", s.phase, s.attempt, s.after, strings.Join(w.acts, ", "), strings.Join(w.told, ", "))
	}
	why := ""
	differ := func(what string, step, naive any) {
		if step != naive {
			why += fmt.Sprintf("%s: the step has %v, the naive model %v\n", what, step, naive)
		}
	}
	differ("acts", strings.Join(w.acts, ", "), strings.Join(n.acts, ", "))
	differ("told", strings.Join(w.told, ", "), strings.Join(n.told, ", "))
	differ("acknowledged", s.episode.acked.on, n.acked)
	differ("order", idOf(s.order)+", then "+idOf(s.waits), idOf(n.order)+", then "+idOf(n.waits))
	if !n.stopped && !w.left {
		differ("phase", s.phase, n.phase)
		if s.phase != model.Off {
			differ("attempt", s.attempt, n.shown)
		}
		differ("run", s.run, n.run)
	}
	if s.phase == model.Waiting {
		differ("due", s.due, n.retryAt)
	}
	if held := n.in(model.Queued, model.Starting); n.phase != model.Stopping { // T6 keeps it
		differ("slots asked for or held", len(w.tickets) == 1, held)
	}
	w.acts, w.told, n.acts, n.told = nil, nil, nil, nil
	return why
}

func idOf(o *model.Order) string {
	if o == nil {
		return "none"
	}
	return o.ID
}
