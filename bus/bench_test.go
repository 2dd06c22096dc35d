package bus

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// spent is the processor time of this process so far, without its children's.
func spent() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkStatus is a client that comes, asks for 500 rows, and goes.
func BenchmarkStatus(b *testing.B) {
	e := newFake()
	e.set(many(500))
	_, lock := serve(b, e)
	before, n := spent(), 0
	defer func() { b.ReportMetric(float64((spent()-before).Microseconds())/float64(n)/1000, "cpu-ms/op") }()
	for ; b.Loop(); n++ {
		c, err := Dial(b.Context(), lock.Paths().Socket, DialOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if f, err := c.Whole(b.Context()); err != nil || len(f.Rows) != 500 {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkAttach is a dashboard that comes, and has 500 rows to draw.
func BenchmarkAttach(b *testing.B) {
	e := newFake()
	e.set(many(500))
	_, lock := serve(b, e)
	before, n := spent(), 0
	defer func() { b.ReportMetric(float64((spent()-before).Microseconds())/float64(n)/1000, "cpu-ms/op") }()
	for ; b.Loop(); n++ {
		c, err := Dial(b.Context(), lock.Paths().Socket, DialOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if f, err := c.Next(b.Context(), 0); err != nil || len(f.Rows) != 500 {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkServe is what it takes to put an engine on the bus.
func BenchmarkServe(b *testing.B) {
	e := newFake("a")
	config := runtimeDir(b)
	lock, err := Acquire(config)
	if err != nil {
		b.Fatal(err)
	}
	defer lock.Release()
	for b.Loop() {
		s, err := Serve(lock, Options{Engine: e, Host: "edge-7"})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

// BenchmarkLines sends 40,000 lines a second to a follower in a process of its
// own, and says what part of a core that takes in this one. It needs some
// seconds: -benchtime 1x.
func BenchmarkLines(b *testing.B) {
	const rate, seconds = 40_000, 5
	for b.Loop() {
		e := newFake("a")
		e.lines.room = 1 << 15
		s, lock := serve(b, e)
		exe, err := os.Executable()
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "ROLLCALL_BUS_FOLLOW="+lock.Paths().Socket)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		until(b, "it follows", func() bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.follows == 1
		})
		text := redact.Word("2026-11-29T20:51:04.123Z INFO request served path=/v1/items status=200 elapsed=12ms id=4711")
		before, start, sent, dropped := spent(), time.Now(), 0, 0
		for tick := time.NewTicker(10 * time.Millisecond); sent < rate*seconds; <-tick.C {
			for due := int(time.Since(start).Seconds() * rate); sent < min(due, rate*seconds); sent++ {
				if !e.lines.put(FollowedLine{Server: "a", Line: model.Line{Seq: uint64(sent + 1), At: time.Now(), Run: 1, Text: text}}) {
					dropped++
				}
			}
		}
		until(b, "all are taken", func() bool {
			e.lines.mu.Lock()
			defer e.lines.mu.Unlock()
			return len(e.lines.queue) == 0
		})
		share := float64(spent()-before) / float64(time.Since(start))
		e.lines.Close() // the stream ends when all of it was sent
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(100*share, "%core")
		b.ReportMetric(float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())/float64(seconds*time.Second)*100, "%core-client")
		b.ReportMetric(float64(dropped), "dropped")
		b.Logf("sent %d, dropped %d; the follower had: lines, missed = %s", sent, dropped, strings.TrimSpace(out.String()))
		s.Close()
		lock.Release()
	}
}

// BenchmarkIdle has three dashboards attached to 200 servers of which nothing
// changes, and says what part of a core that takes, in all four together.
func BenchmarkIdle(b *testing.B) {
	const seconds = 12 // two beats
	for b.Loop() {
		e := newFake()
		e.set(many(200))
		s, lock := serve(b, e)
		var clients []*Client
		for range 3 {
			c := dial(b, lock)
			seen := next(b, c, 0, all).Seq
			go func() {
				for {
					if _, err := c.Next(context.Background(), seen); err != nil {
						return
					}
				}
			}()
			clients = append(clients, c)
		}
		before, start := spent(), time.Now()
		time.Sleep(seconds * time.Second)
		b.ReportMetric(100*float64(spent()-before)/float64(time.Since(start)), "%core")
		for _, c := range clients {
			c.Close()
		}
		s.Close()
		lock.Release()
	}
}
