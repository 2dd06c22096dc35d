package metrics

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rollcall/model"
)

// Engine is what the numbers are read from.
type Engine interface {
	// Next blocks until there is a snapshot with a Seq above seen.
	Next(ctx context.Context, seen uint64) (model.Fleet, error)
	// Health asks the loop how it is doing, until ctx ends.
	Health(ctx context.Context) (model.Health, error)
}

// answerLimit is how long the engine's loop may take to answer before it counts
// as stuck.
const answerLimit = time.Second

// Collector is the fleet as Prometheus reads it. Its methods may be called from
// any goroutine.
type Collector struct {
	engine  Engine
	counts  *Counts
	version string

	mu    sync.Mutex
	fleet model.Fleet // the newest; Seq 0 before the first
}

// NewCollector makes a Collector on an engine and the counts that listen to it.
// version is rollcall's own.
func NewCollector(e Engine, c *Counts, version string) *Collector {
	return &Collector{engine: e, counts: c, version: version}
}

// Follow keeps the newest snapshot until ctx ends or the engine has stopped.
// Without a reader the engine makes none, so a scrape alone would find an old
// one.
func (c *Collector) Follow(ctx context.Context) {
	for seen := uint64(0); ; {
		fleet, err := c.engine.Next(ctx, seen)
		if err != nil {
			return
		}
		seen = fleet.Seq
		c.mu.Lock()
		c.fleet = fleet
		c.mu.Unlock()
	}
}

func (c *Collector) newest() model.Fleet {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fleet
}

// Describe names what Collect sends.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{buildInfo, engineUp, loopLag, mailbox, episodesOpen, configProblem, warnings,
		eventsTotal, eventsMissed, serverPhase, serverAttempt, serverEpisode, serverStarts, serverLines, serverBytes, serverNoise} {
		ch <- d
	}
	for _, v := range c.counts.vectors() {
		v.Describe(ch)
	}
}

// Collect asks the loop, and sends what is known. Of an engine that does not
// answer the snapshot is not sent: nobody knows whether it is still so.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	health, err := c.engine.Health(ctx)
	gauge(ch, buildInfo, 1, c.version, runtime.Version())
	gauge(ch, engineUp, truth(err == nil))
	gauge(ch, loopLag, health.Lag.Seconds())
	gauge(ch, mailbox, float64(health.Mailbox))

	fleet := c.newest()
	if err == nil && fleet.Seq > 0 {
		sendFleet(ch, fleet)
	}
	c.counts.send(ch, fleet)
}

func sendFleet(ch chan<- prometheus.Metric, fleet model.Fleet) {
	open := 0
	for _, row := range fleet.Rows {
		if !row.DownSince.IsZero() {
			open++
		}
		sendRow(ch, row)
	}
	gauge(ch, episodesOpen, float64(open))
	gauge(ch, configProblem, truth(!fleet.Note.IsZero()))
	gauge(ch, warnings, float64(len(fleet.Warnings)))
}

func sendRow(ch chan<- prometheus.Metric, row *model.Row) {
	for p := range model.Phases {
		gauge(ch, serverPhase, truth(row.Phase == p), row.Server, p.String())
	}
	gauge(ch, serverAttempt, float64(row.Attempt), row.Server)
	gauge(ch, serverEpisode, truth(!row.DownSince.IsZero()), row.Server)
	counter(ch, serverStarts, uint64(row.Starts), row.Server)
	counter(ch, serverLines, row.StderrLines, row.Server)
	counter(ch, serverBytes, row.StderrBytes, row.Server)
	counter(ch, serverNoise, row.Noise, row.Server)
}

func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func counter(ch chan<- prometheus.Metric, d *prometheus.Desc, n uint64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

// truth is 1 or 0.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
