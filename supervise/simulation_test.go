package supervise

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// TestSimulation lets a fleet live for weeks of virtual time: deaths, hangs,
// slow probes, missing commands, orders, reloads, stubborn processes, ends and
// timers in the same instant. After every step the invariants of audit_test.go
// hold. A failure prints its seed and the last events of the server that broke
// one; ROLLCALL_SEED=n runs that seed alone.
//
// ROLLCALL_LONG=1 runs the full size: 2,000 servers for 30 days.
func TestSimulation(t *testing.T) {
	servers, days := 400, 12
	switch {
	case os.Getenv("ROLLCALL_LONG") != "":
		servers, days = 2000, 30
	case testing.Short():
		servers, days = 200, 7
	}
	seeds := []uint64{uint64(days), uint64(days) + 1}
	if seed, err := strconv.ParseUint(os.Getenv("ROLLCALL_SEED"), 10, 64); err == nil {
		seeds = []uint64{seed}
	} else {
		servers /= len(seeds)
	}
	for _, seed := range seeds { // each a fleet of its own, on a core of its own
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			run := func(watch int) (*fleet, error) {
				f := newFleet(seed, servers, watch)
				return f, f.run(time.Duration(days) * 24 * time.Hour)
			}
			f, err := run(-1)
			var bad *violation
			if errors.As(err, &bad) { // once more, watching the one that broke a rule
				f, _ = run(bad.server)
				t.Fatalf("ROLLCALL_SEED=%d, %d servers, %d days: %v\n%s", seed, servers, days, err, strings.Join(f.trace[max(0, len(f.trace)-40):], "\n"))
			}
			t.Logf("%d steps: %v", f.steps, f.counts)
			for k := range model.EvConfig + 1 {
				if f.counts[k.String()] == 0 && k != model.EvConfig {
					t.Errorf("the simulation never met %s", k)
				}
			}
		})
	}
}

// violation is an invariant that did not hold.
type violation struct {
	server int
	at     instant
	what   string
}

func (v *violation) Error() string {
	return fmt.Sprintf("server %d at %s: %s", v.server, v.at, v.what)
}

// fleet is many servers on one virtual clock: a queue of what comes next. The
// transport, the operators and the configuration are this file's.
type fleet struct {
	now     instant
	queue   agenda
	planned uint64
	slots   *slots
	limit   int
	all     []*patient
	host    *rand.Rand
	out     []effect
	stopped bool

	audits bool
	watch  int // the server to trace, or -1
	trace  []string
	steps  int
	counts map[string]int // events told, by kind
	told   func(tell)     // if any: each event, at f.now
}

// patient is one server with its fate and its books.
type patient struct {
	index int
	name  string
	s     state
	fate  *rand.Rand // its own, so that one server's life does not hang on another's
	mood  mood
	file  *model.Entry
	audit audit
	cut   cut
	gone  bool
	life  int // of how many incarnations: each leave begins a new one

	busy      int // steps in one instant
	busySince instant
}

// mood is how a server behaves for some runs.
type mood int

const (
	sound      mood = iota // lives for days
	crashing               // lasts, then dies
	flapping               // short lives
	dying                  // no handshake
	hanging                // no answer to probes
	forgetful              // ends its sessions (T5)
	oldFashion             // exits on discovery (T6)
	permanent              // H1
	busy                   // Retry-After
	moods
)

func newFleet(seed uint64, servers, watch int) *fleet {
	f := &fleet{limit: 2, host: rand.New(rand.NewPCG(seed, 0)), audits: true, watch: watch, counts: map[string]int{}}
	f.slots = newSlots(f.limit)
	for i := range servers {
		p := &patient{index: i, name: fmt.Sprint("s", i), fate: rand.New(rand.NewPCG(seed, uint64(i+1)))}
		f.all = append(f.all, p)
		f.appear(p)
	}
	return f
}

// appear is a server's coming into the configuration.
func (f *fleet) appear(p *patient) {
	p.s = newState(p.name, seedOf("host", p.name))
	p.audit = newAudit()
	p.gone, p.cut = false, cut{}
	p.life++
	p.file = p.entry()
	f.at(p, 0, configured{entry: p.file, apply: true})
	f.operator(p)
}

// run lets time pass, stops everything, and looks at what is left.
func (f *fleet) run(span time.Duration) error {
	storm := time.Duration(f.host.Int64N(int64(span)))
	for len(f.queue) > 0 && f.queue[0].at < span {
		if f.queue[0].at > storm {
			f.now = storm
			f.dieTogether()
			storm += time.Duration(f.host.Int64N(int64(4 * 24 * time.Hour)))
		}
		if err := f.next(); err != nil {
			return err
		}
	}
	f.now, f.stopped = span, true
	for _, p := range f.all {
		if err := f.play(p, shutdown{f.now}); err != nil {
			return err
		}
	}
	for steps := f.steps; len(f.queue) > 0; {
		if err := f.next(); err != nil {
			return err
		}
		if f.steps-steps > 100*len(f.all) {
			return &violation{-1, f.now, "there is no end of it after the shutdown"}
		}
	}
	if f.slots.free != f.limit {
		return &violation{-1, f.now, fmt.Sprintf("%d of %d slots are free at the end", f.slots.free, f.limit)}
	}
	for _, p := range f.all {
		if what := p.audit.atTheEnd(&p.s); what != "" && !p.gone {
			return &violation{p.index, f.now, what}
		}
	}
	return nil
}

// next plays what comes next.
func (f *fleet) next() error {
	it := f.queue.pop()
	f.now = it.at
	p := f.all[it.server]
	if it.life != p.life || p.gone || p.cut.off(it) {
		return nil // to one that left, or of a run that was hung up
	}
	if it.event == nil { // an operator looks
		if f.stopped {
			return nil
		}
		f.operator(p)
		if it.event = f.order(p); it.event == nil {
			return nil
		}
	}
	return f.play(p, it.event)
}

// play takes one event through the step, audits it, and does what it says.
func (f *fleet) play(p *patient, ev event) error {
	f.steps++
	if !f.audits {
		p.s, f.out = step(p.s, ev, f.out[:0])
		for _, e := range f.out {
			f.perform(p, e)
		}
		return nil
	}
	before := p.audit.before(&p.s, ev)
	p.s, f.out = step(p.s, ev, f.out[:0])
	if p.index == f.watch {
		f.note(p, ev)
	}
	what := p.audit.after(&p.s, ev, before, f.out)
	if p.busy++; p.busySince != f.now {
		p.busy, p.busySince = 0, f.now
	} else if p.busy > 1000 {
		what = "more than 1,000 steps in one instant"
	}
	for _, e := range f.out {
		f.perform(p, e)
	}
	if len(f.slots.held) > f.limit || f.slots.free+len(f.slots.held) != f.limit {
		what = fmt.Sprintf("%d slots are held and %d free of %d", len(f.slots.held), f.slots.free, f.limit)
	}
	if what != "" {
		return &violation{p.index, f.now, what}
	}
	return nil
}

func (f *fleet) note(p *patient, ev event) {
	f.trace = append(f.trace, fmt.Sprintf("%s %T %+v → %s, attempt %d, run %d", f.now, ev, ev, p.s.phase, p.s.attempt, p.s.run))
	for _, e := range f.out {
		if t, ok := e.(tell); ok {
			f.trace = append(f.trace, "    "+t.event.Text.String())
			continue
		}
		f.trace = append(f.trace, fmt.Sprintf("    %T %+v", e, e))
	}
}

func (f *fleet) perform(p *patient, e effect) {
	switch e := e.(type) {
	case readEntry:
		f.read(p, e.id)
	case wantSlot:
		granted, ahead := f.slots.want(claim{p.name, e.ticket}, e.urgent)
		if granted {
			f.at(p, 0, slotGranted{f.now, e.ticket})
		} else {
			f.at(p, 0, slotAwaited{f.now, e.ticket, ahead})
		}
	case freeSlot:
		if next, ok := f.slots.release(claim{p.name, e.ticket}); ok {
			i, _ := strconv.Atoi(next.server[1:])
			f.at(f.all[i], 0, slotGranted{f.now, next.ticket})
		}
	case dial:
		f.live(p, e)
	case hangUp:
		f.hangUp(p, e.run)
	case probe:
		f.probe(p, e)
	case startTimer:
		f.timer(p, e)
	case leave:
		p.gone = true
		f.comeBack(p)
	case tell:
		f.counts[e.event.Kind.String()]++
		if f.told != nil {
			f.told(e)
		}
	}
}

// comeBack lets a server that left appear again, as a new one of its name.
func (f *fleet) comeBack(p *patient) {
	if !f.stopped {
		f.appear(p)
	}
}

// order is what an operator or the configuration does; nil for nothing.
func (f *fleet) order(p *patient) event {
	switch k := p.fate.IntN(100); {
	case k < 40:
		p.audit.given++
		return ordered{f.now, model.Order{ID: strconv.Itoa(p.audit.given), Server: p.name, By: redact.Word("anna"),
			Verb: model.Verb(p.fate.IntN(4)), Bulk: p.fate.IntN(4) == 0, InForce: p.fate.IntN(10) == 0}}
	case k < 70 && p.s.hold.on: // what was disconnected comes back
		p.audit.given++
		return ordered{f.now, model.Order{ID: strconv.Itoa(p.audit.given), Server: p.name, Verb: model.Connect}}
	case k < 80:
		p.file = p.entry()
		return configured{f.now, p.file, p.fate.IntN(3) == 0, false}
	case k == 80:
		return configured{at: f.now, apply: true} // removed
	case k == 81:
		return slotGranted{f.now, p.s.ticket - 1}
	case k == 82:
		return reported{f.now, p.s.run - 1, model.Reaped{}}
	}
	return nil
}

// operator plans the next look of an operator: every few hours, at times
// several in a row.
func (f *fleet) operator(p *patient) {
	in := time.Duration(p.fate.ExpFloat64() * float64(8*time.Hour))
	if p.fate.IntN(4) == 0 {
		in = time.Duration(p.fate.IntN(3)) * time.Second
	}
	f.at(p, in, nil)
}

// at plans an event. Of those in the same instant a server's own come in the
// order in which they were planned, but timers at random before or after.
func (f *fleet) at(p *patient, in time.Duration, ev event) {
	f.planned++
	rank := f.planned
	if _, ok := ev.(timerFired); ok && p.fate.IntN(2) == 0 {
		rank = 0
	}
	if c, ok := ev.(configured); ok {
		c.at = f.now + in
		ev = c
	}
	f.queue.push(item{at: f.now + in, rank: rank, server: p.index, life: p.life, event: ev})
}

// item is what comes at a time.
type item struct {
	at     instant
	rank   uint64
	server int
	life   int
	event  event
}

func (a item) before(b item) bool { return a.at < b.at || a.at == b.at && a.rank < b.rank }

// agenda is a binary heap of items.
type agenda []item

func (a *agenda) push(it item) {
	*a = append(*a, it)
	h := *a
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (a *agenda) pop() item {
	h := *a
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h[last] = item{}
	h = h[:last]
	*a = h
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
