package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rollcall/model"
)

// Counts is what the events came to, since it was made. Observe may be called
// from any goroutine.
type Counts struct {
	mu       sync.Mutex // of all below
	kinds    map[model.Kind]uint64
	missed   uint64
	servers  map[string]*tally
	attempts *prometheus.CounterVec
	failures *prometheus.CounterVec
	losses   *prometheus.CounterVec
	probes   *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	lives    prometheus.Histogram // of all servers: which one dies early its failures say
}

// tally is one server's counts, and what it takes to tell an attempt's second
// dial from the next attempt.
type tally struct {
	last     time.Time // of the newest event
	attempts prometheus.Counter
	failures prometheus.Counter
	losses   prometheus.Counter
	probes   map[string]prometheus.Counter
	latency  prometheus.Observer

	attempt int  // of the newest dial
	goesOn  bool // nothing has ended that attempt
}

// NewCounts makes Counts at 0, for an engine that is yet to be made.
func NewCounts() *Counts {
	return &Counts{
		kinds:    map[model.Kind]uint64{},
		servers:  map[string]*tally{},
		attempts: prometheus.NewCounterVec(attemptsOpts, perServer),
		failures: prometheus.NewCounterVec(failuresOpts, perServer),
		losses:   prometheus.NewCounterVec(lossesOpts, perServer),
		probes:   prometheus.NewCounterVec(probesOpts, perOutcome),
		latency:  prometheus.NewHistogramVec(latencyOpts, perServer),
		lives:    prometheus.NewHistogram(livesOpts),
	}
}

// Observe counts one event; it is a listener of the engine. missed is how many
// events were dropped before it.
func (c *Counts) Observe(ev model.Event, missed uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missed += missed
	c.kinds[ev.Kind]++
	if ev.Life.Ok { // a connection's end, whatever came of it
		c.lives.Observe(ev.Life.V.D().Seconds())
	}
	if ev.Server == "" || ev.Kind == model.EvOrder { // an order may name a server that there is not
		return
	}
	t := c.of(ev.Server)
	t.last = ev.At
	t.count(ev)
	t.follow(ev)
}

// send sends what was counted, of the servers in the fleet. It holds the lock
// throughout, so that a late event of one that left brings no series back.
func (c *Counts) send(ch chan<- prometheus.Metric, fleet model.Fleet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(fleet)
	for k := model.EvQueued; k <= model.EvConfig; k++ {
		counter(ch, eventsTotal, c.kinds[k], k.String())
	}
	counter(ch, eventsMissed, c.missed)
	for _, v := range c.vectors() {
		v.Collect(ch)
	}
}

// vectors are what the client library counts.
func (c *Counts) vectors() []prometheus.Collector {
	return []prometheus.Collector{c.attempts, c.failures, c.losses, c.probes, c.latency, c.lives}
}

// of returns a server's tally. A new one has all its series from the start, at
// 0, so that the first failure is an increase.
func (c *Counts) of(server string) *tally {
	if t := c.servers[server]; t != nil {
		return t
	}
	t := &tally{
		attempts: c.attempts.WithLabelValues(server),
		failures: c.failures.WithLabelValues(server),
		losses:   c.losses.WithLabelValues(server),
		probes:   map[string]prometheus.Counter{},
		latency:  c.latency.WithLabelValues(server),
	}
	for _, o := range outcomes {
		t.probes[o.String()] = c.probes.WithLabelValues(server, o.String())
	}
	c.servers[server] = t
	return t
}

// keep drops the series of every server that is not in the fleet. One that an
// event told of after the snapshot was made is too new to be in it.
func (c *Counts) keep(fleet model.Fleet) {
	there := make(map[string]bool, len(fleet.Rows))
	for _, row := range fleet.Rows {
		there[row.Server] = true
		c.of(row.Server)
	}
	for server, t := range c.servers {
		if there[server] || t.last.After(fleet.At) {
			continue
		}
		delete(c.servers, server)
		c.attempts.DeleteLabelValues(server)
		c.failures.DeleteLabelValues(server)
		c.losses.DeleteLabelValues(server)
		c.latency.DeleteLabelValues(server)
		for o := range t.probes {
			c.probes.DeleteLabelValues(server, o)
		}
	}
}

func (t *tally) count(ev model.Event) {
	switch ev.Kind {
	case model.EvAttemptFailed:
		t.failures.Inc()
	case model.EvLost:
		t.losses.Inc()
	case model.EvProbe:
		outcome := ev.Outcome.String()
		if n := t.probes[outcome]; n != nil {
			n.Inc()
		}
		if outcome == model.Alive.String() {
			t.latency.Observe(ev.Elapsed.V.D().Seconds())
		}
	}
}

// follow counts the attempts. A second launch upon the newest revision's
// discovery (T6) and a fresh session (T5) are dials of the same attempt: between
// the dials nothing has ended it, and the number is the same.
func (t *tally) follow(ev model.Event) {
	switch ev.Kind {
	case model.EvStarting:
		if !t.goesOn || ev.Attempt.V != t.attempt {
			t.attempts.Inc()
		}
		t.goesOn, t.attempt = true, ev.Attempt.V
	case model.EvLasted:
		t.attempt = 0 // the count starts afresh (L2)
	case model.EvStopping:
		t.goesOn = ev.Life.Ok // a session's end (T5), else a close by this host
	case model.EvAttemptFailed, model.EvLost, model.EvEnded, model.EvHalted, model.EvRefused, model.EvOff:
		t.goesOn = false
	}
}
