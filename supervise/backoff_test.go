package supervise

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"rollcall/model"
)

const limit = 2147483647 * time.Millisecond // of any timer: 2³¹−1 ms

func TestB2_TheWaitAfterAttemptN(t *testing.T) {
	for n, want := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		if got := backoff(5*time.Second, 300*time.Second, n, 1); got != want*time.Second {
			t.Errorf("after attempt %d: %s, want %d s", n, got, want)
		}
	}
	// The cap is applied before the jitter.
	if got := backoff(5*time.Second, 300*time.Second, 6, 0.75); got != 225*time.Second {
		t.Errorf("at the cap, least jitter: %s, want 225 s", got)
	}
	if got := backoff(5*time.Second, 300*time.Second, 6, 1.25); got != 375*time.Second {
		t.Errorf("at the cap, most jitter: %s, want 375 s", got)
	}
}

func TestB3_NothingOverflows(t *testing.T) {
	const inf = model.Forever
	for _, c := range []struct {
		base, limit time.Duration
		n           int
		jitter      float64
		want        time.Duration
	}{
		{5 * time.Second, inf, 18, 1, 1310720 * time.Second},
		{5 * time.Second, inf, 19, 1, limit},
		{5 * time.Second, inf, 1000, 1, limit},
		{5 * time.Second, inf, 1000, 1.25, limit},
		{5 * time.Second, inf, math.MaxInt, 1.25, limit},
		{5 * time.Second, inf, 62, 0.75, limit},
		{5 * time.Second, inf, 63, 0.75, limit},
		{5 * time.Second, inf, 64, 0.75, limit},
		{1, inf, 61, 1, limit},
		{1, inf, 62, 1, limit},
		{1, inf, 63, 1, limit},
		{1, 5, 62, 1, 5},
		{1, 4, 2, 1, 4},
		{1, 5, 2, 1, 4},
		{1, 3, 2, 1, 3},
		{inf, inf, 0, 1, limit},
		{inf, inf, 1, 1.25, limit},
		{inf, 300 * time.Second, 3, 1, 300 * time.Second},
		{5 * time.Second, 300 * time.Second, 1000, 1.25, 375 * time.Second},
		{limit, limit, 0, 1.25, limit},
		{limit, limit, 0, 0.75, limit / 4 * 3},
	} {
		got := backoff(c.base, c.limit, c.n, c.jitter)
		if got != c.want {
			t.Errorf("backoff(%s, %s, %d, %g) = %s, want %s", c.base, c.limit, c.n, c.jitter, got, c.want)
		}
		if got > limit {
			t.Errorf("backoff(%s, %s, %d, %g) = %s, longer than a timer may be set for", c.base, c.limit, c.n, c.jitter, got)
		}
	}
}

func TestB4_ACapBelowTheBaseWins(t *testing.T) {
	for n := range 3 {
		if got := backoff(10*time.Second, 2*time.Second, n, 1); got != 2*time.Second {
			t.Errorf("base 10 s, cap 2 s, attempt %d: %s, want 2 s", n, got)
		}
	}
}

func TestB2_JitterIsUniformBetweenThreeAndFiveQuarters(t *testing.T) {
	const runs = 100_000
	s := newState("s", seedOf("host", "s"))
	least, most, sum := 2.0, 0.0, 0.0
	var tenths [10]int
	for run := range uint64(runs) {
		s.run, s.attempt = run, int(run%40)
		j := s.jitter()
		if j < 0.75 || j >= 1.25 {
			t.Fatalf("run %d: jitter %g is outside [0.75, 1.25)", run, j)
		}
		least, most, sum = min(least, j), max(most, j), sum+j
		tenths[int((j-0.75)*20)]++
	}
	if least > 0.7501 || most < 1.2499 || math.Abs(sum/runs-1) > 0.002 {
		t.Errorf("jitter from %g to %g, mean %g: not all of [0.75, 1.25)", least, most, sum/runs)
	}
	for i, n := range tenths {
		if n < runs/10*95/100 || n > runs/10*105/100 {
			t.Errorf("tenth %d holds %d of %d", i, n, runs)
		}
	}
}

func TestB6_AFleetThatDiedTogetherIsSpread(t *testing.T) {
	for _, host := range []string{"edge-1", "edge-2", "edge-3"} {
		for _, run := range []uint64{7, 8, 100} {
			due := dueTimes(host, run)
			worst := 0
			for i := range due {
				j := i
				for j < len(due) && due[j]-due[i] < time.Second {
					j++
				}
				worst = max(worst, j-i)
			}
			if worst > 20 {
				t.Errorf("host %s, run %d: a window of 1 s holds %d due times, want at most 20", host, run, worst)
			}
		}
	}
}

// dueTimes are the waits of 1,000 servers that failed in one instant at attempt
// 6, in order.
func dueTimes(host string, run uint64) []time.Duration {
	var due []time.Duration
	for i := range 1000 {
		name := fmt.Sprintf("server-%03d", i)
		s := newState(name, seedOf(host, name))
		s.run, s.attempt = run, 6
		due = append(due, backoff(5*time.Second, 300*time.Second, 6, s.jitter()))
	}
	slices.Sort(due)
	return due
}

func TestB6_HostsServersRunsAndAttemptsAreNotInLockstep(t *testing.T) {
	type key struct {
		host, server string
		run          uint64
		attempt      int
	}
	jitters := map[float64]key{}
	for _, host := range []string{"a", "b", "ab"} {
		for _, server := range []string{"s", "t", "bs", "ss"} {
			for run := range uint64(20) {
				for attempt := range 20 {
					s := newState(server, seedOf(host, server))
					s.run, s.attempt = run, attempt
					k := key{host, server, run, attempt}
					if other, ok := jitters[s.jitter()]; ok {
						t.Fatalf("%v and %v wait alike", other, k)
					}
					jitters[s.jitter()] = k
				}
			}
		}
	}
	// Alike is not all: one host's waits say nothing about the other's.
	var product float64
	const n = 10_000
	for run := range uint64(n) {
		product += (draw(seedOf("a", "s"), run, 6) - 0.5) * (draw(seedOf("b", "s"), run, 6) - 0.5)
	}
	if correlation := product / n * 12; math.Abs(correlation) > 0.05 {
		t.Errorf("two hosts' jitters correlate by %.3f", correlation)
	}
}

func TestL1_TheThreshold(t *testing.T) {
	for _, c := range []struct{ limit, lastingAfter, want time.Duration }{
		{300 * time.Second, 0, 300 * time.Second},
		{time.Second, 0, 300 * time.Second},
		{299 * time.Second, 0, 300 * time.Second},
		{301 * time.Second, 0, 301 * time.Second},
		{600 * time.Second, 0, 600 * time.Second},
		{time.Hour, 0, time.Hour},
		{time.Hour + 1, 0, time.Hour},
		{24 * time.Hour, 0, time.Hour},
		{model.Forever, 0, time.Hour},
		{600 * time.Second, 10 * time.Second, 10 * time.Second},
		{600 * time.Second, 24 * time.Hour, 24 * time.Hour},
		{600 * time.Second, 1, 1},
	} {
		s := newState("s", 1)
		s.spec = spec("s")
		s.spec.Timings.ReconnectMaxInterval.D = c.limit
		s.spec.Timings.LastingAfter.D = c.lastingAfter
		s.born = time.Minute
		if got := s.threshold() - s.born; got != c.want {
			t.Errorf("cap %s, lasting_after %s: %s, want %s", c.limit, c.lastingAfter, got, c.want)
		}
	}
}

func TestB3_AnInstantTooFarOffIsNever(t *testing.T) {
	const far = model.Forever
	for _, c := range []struct{ at, wait, want time.Duration }{
		{0, far, far},
		{1, far, far},
		{1, far - 1, far},
		{1, far - 2, far - 1},
		{-5, far, far - 5},
		{-5, 3, -2},
		{5, 3, 8},
	} {
		if got := later(c.at, c.wait); got != c.want {
			t.Errorf("later(%d, %d) = %d, want %d", c.at, c.wait, got, c.want)
		}
	}
}

func TestP6_ALatencyIsAsFineAsItIsShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                              "0.0 ms",
		640 * time.Microsecond:         "0.6 ms",
		9900 * time.Microsecond:        "9.9 ms",
		10 * time.Millisecond:          "10 ms",
		10900 * time.Microsecond:       "10 ms",
		999 * time.Millisecond:         "999 ms",
		1500 * time.Millisecond:        "1500 ms",
		8 * time.Second:                "8 s",
		9999 * time.Millisecond:        "9999 ms",
		10*time.Second + 1:             "10 s",
		90*time.Second + time.Second/2: "90 s",
	} {
		if got := fineSpan(d).String(); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
