package supervise

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkFleet100000 is a virtual hour of 100,000 servers, with the faults,
// probes, orders and reloads of the simulation, its audits left out: the steps
// that one core takes in a second, and the memory that a server costs, its
// place in the virtual agenda included.
func BenchmarkFleet100000(b *testing.B) {
	const servers = 100_000
	steps := 0
	var bytes uint64
	for b.Loop() {
		b.StopTimer()
		empty := heap()
		f := newFleet(1, servers, -1)
		f.audits = false
		f.limit = 400
		f.slots = newSlots(f.limit)
		b.StartTimer()
		for len(f.queue) > 0 && f.queue[0].at < time.Hour {
			if err := f.next(); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		steps += f.steps
		bytes = heap() - empty
		runtime.KeepAlive(f)
		b.StartTimer()
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
	b.ReportMetric(float64(bytes)/servers, "B/server")
}

// heap is what is reachable now, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
