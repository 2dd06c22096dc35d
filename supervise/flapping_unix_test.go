//go:build unix

package supervise

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// BenchmarkEngineFlapping is the real loop in real time with 10,000 servers
// that all die at once, base 5 s: some 2,000 attempts a second. It reports the
// share of a core that this takes; its target is below 25 %.
func BenchmarkEngineFlapping(b *testing.B) {
	const servers = 10_000
	var attempts atomic.Int64
	var entries []model.Entry
	for i := range servers {
		s := spec(fmt.Sprint("s", i))
		s.Timings.ReconnectMaxInterval.D = 5 * time.Second
		entries = append(entries, model.Entry{Name: s.Name, Spec: s})
	}
	e := New(Options{Host: redact.Word("host"), Slots: 1000, Start: func(_ *model.Spec, d model.Dial) Run {
		go func() {
			d.Report(model.Closed{At: time.Now(), End: exit(1)})
			d.Report(model.Reaped{At: time.Now()})
		}()
		attempts.Add(1)
		return deadRun{}
	}}, entries)
	ended := make(chan []Survivor, 1)
	go func() { ended <- e.Run() }()
	time.Sleep(6 * time.Second) // past the first burst

	attempts.Store(0)
	began, used := time.Now(), processorTime(b)
	for b.Loop() {
		time.Sleep(5 * time.Second) // what is measured is real time
	}
	b.ReportMetric(100*(processorTime(b)-used).Seconds()/time.Since(began).Seconds(), "%core")
	b.ReportMetric(float64(attempts.Load())/time.Since(began).Seconds(), "attempts/s")
	e.Stop()
	<-ended
}

// deadRun is a run that has ended before anyone could end it.
type deadRun struct{}

func (deadRun) Usage() (model.Usage, error)        { return model.Usage{}, nil }
func (deadRun) Probe(context.Context) model.Probed { return model.Probed{Outcome: model.Broken} }
func (deadRun) Stop()                              {}
func (deadRun) Kill()                              {}

// processorTime is what this process has used of all cores.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
