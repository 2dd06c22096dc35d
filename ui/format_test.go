package ui

import (
	"testing"
	"time"
)

func TestD1_Durations(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, c := range []struct {
		d                     time.Duration
		span, long, countdown string
	}{
		{-s, "0s", "0 s", "0:00"},
		{0, "0s", "0 s", "0:00"},
		{1, "0s", "0 s", "0:01"},
		{999 * time.Millisecond, "0s", "0 s", "0:01"},
		{48 * s, "48s", "48 s", "0:48"},
		{60 * s, "1m", "1 min", "1:00"},
		{252 * s, "4m", "4 min", "4:12"},
		{h - 1, "59m", "59 min", "1:00:00"},
		{64*m + 10*s, "1h 4m", "1 h", "1:04:10"},
		{3 * h, "3h", "3 h", "3:00:00"},
		{52 * h, "2d 4h", "2 d", "52:00:00"},
		{9 * 24 * h, "9d", "9 d", "9d"},
		{1<<31*time.Millisecond - time.Millisecond, "24d 20h", "24 d", "24d 20h"},
	} {
		if got := span(c.d); got != c.span {
			t.Errorf("span(%v) = %q, want %q", c.d, got, c.span)
		}
		if got := long(c.d); got != c.long {
			t.Errorf("long(%v) = %q, want %q", c.d, got, c.long)
		}
		if got := countdown(c.d); got != c.countdown {
			t.Errorf("countdown(%v) = %q, want %q", c.d, got, c.countdown)
		}
	}
	for d, want := range map[time.Duration]string{0: "<1 ms", 41 * time.Millisecond: "41 ms", 1240 * time.Millisecond: "1.2 s", 12 * s: "12 s"} {
		if got := latency(d); got != want {
			t.Errorf("latency(%v) = %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{48 * s: "48s", h - 1: "59m", 64 * m: "1h4m", 10*h - 1: "9h59m", 23*h + 59*m: "23h", 52 * h: "2d4h", 10*24*h - 1: "9d23h", 250 * h: "10d"} {
		if got := tightSpan(d); got != want {
			t.Errorf("tightSpan(%v) = %q, want %q", d, got, want)
		}
	}
}
