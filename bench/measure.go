package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// result is what one subject cost under one load.
type result struct {
	first    time.Duration // to the first whole frame
	bytes    float64       // to the terminal, a second
	cpu      float64       // of one core
	resident float64       // MiB, at the end
	keys     []time.Duration
	unseen   int // keys without an effect within two seconds
	lost     int // lines that are not accounted for; −1 where nothing counts them
}

// subject is a program that supervises others.
type subject struct {
	name       string
	countdowns bool // it shows when a server is tried again
	// start launches it on the load; its files go into dir.
	start func(dir string, l load) (*session, error)
	// next and previous are the keys that move the selection; moved is what the
	// terminal gets then and else not. Empty where it has no screen.
	next, previous, moved string
	lost                  func(s *session, l load) (int, error) // nil where nothing counts lines
	stop                  func(dir string, s *session)
}

// measure runs it under a load.
func (x subject) measure(dir string, l load) (r result, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, err
	}
	s, err := x.start(dir, l)
	if err != nil {
		return r, err
	}
	defer x.stop(dir, s)
	time.Sleep(l.settle)
	bytes0, cpu0, begun := s.bytes(), s.cpu(), time.Now()
	if l.lines == 0 {
		time.Sleep(l.measure)
	} else {
		x.press(s, begun.Add(l.measure), &r)
	}
	took := time.Since(begun).Seconds()
	r.first, r.resident = s.first(), s.resident()
	r.bytes, r.cpu = float64(s.bytes()-bytes0)/took, (s.cpu()-cpu0).Seconds()/took
	r.lost = -1
	if l.lines > 0 && x.lost != nil {
		if r.lost, err = x.lost(s, l); err != nil {
			return r, err
		}
	}
	return r, nil
}

// press moves the selection up and down until it is time, and notes how long
// each takes. The pauses are of different lengths, so that no clock of the
// subject's own beats with them.
func (x subject) press(s *session, until time.Time, r *result) {
	for i := 0; time.Now().Before(until); i++ {
		time.Sleep(time.Duration(100+37*i%90) * time.Millisecond)
		if x.moved == "" {
			continue
		}
		key := x.next
		if i%2 == 1 {
			key = x.previous
		}
		if took, ok := s.effect(key, x.moved); ok {
			r.keys = append(r.keys, took)
		} else {
			r.unseen++
		}
	}
	slices.Sort(r.keys)
}

// table is what is printed.
type table struct{ lines []string }

func (t *table) add(name string, l load, r result) {
	row := func(what, value string) {
		t.lines = append(t.lines, fmt.Sprintf("| %s | %s | %s | %s |", name, l.name, what, value))
	}
	if r.first > 0 {
		row("first frame", fmt.Sprintf("%d ms", r.first.Milliseconds()))
	}
	row("to the terminal", fmt.Sprintf("%.0f B/s", r.bytes))
	row("CPU, one core", fmt.Sprintf("%.2f %%", 100*r.cpu))
	row("resident", fmt.Sprintf("%.1f MiB", r.resident))
	if n := len(r.keys); n > 0 {
		row("key to effect, median", ms(r.keys[n/2]))
		row("key to effect, p99", ms(r.keys[n*99/100]))
	}
	if n := len(r.keys) + r.unseen; n > 0 {
		row("keys", fmt.Sprintf("%d, %d without effect in 2 s", n, r.unseen))
	}
	if r.lost >= 0 {
		row("lines lost", fmt.Sprintf("%d of %d", r.lost, l.total()*l.servers))
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func (t *table) text() string {
	return fmt.Sprintf("| | load | | |\n| --- | --- | --- | --- |\n%s\n", strings.Join(t.lines, "\n"))
}
