package ui

import (
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// span is how long something has lasted: seconds under a minute, then
// minutes, hours, days (D1): 48s, 13m, 3h 5m, 2d 4h. Below zero is 0s.
func span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return num(d/time.Second) + "s"
	case d < time.Hour:
		return num(d/time.Minute) + "m"
	case d < day:
		return two(d/time.Hour, "h", d%time.Hour/time.Minute, "m")
	}
	return two(d/day, "d", d%day/time.Hour, "h")
}

// tightSpan is a span in at most five cells: 48s, 13m, 3h5m, 23h, 2d4h, 12d.
func tightSpan(d time.Duration) string {
	switch d = max(d, 0); {
	case d >= 10*time.Hour && d < day:
		d = d.Truncate(time.Hour)
	case d >= 10*day:
		d = d.Truncate(day)
	}
	return strings.Replace(span(d), " ", "", 1)
}

// longSpan is a span in at most seven cells: 23h 59m, 99d 23h, 100d.
func longSpan(d time.Duration) string {
	if d >= 100*day {
		d = d.Truncate(day)
	}
	return span(d)
}

// two writes two units, the smaller one only where it is not zero.
func two(big time.Duration, unit string, small time.Duration, smaller string) string {
	if small == 0 {
		return num(big) + unit
	}
	return num(big) + unit + " " + num(small) + smaller
}

// long is a span in a sentence, in its largest unit: 48 s, 13 min, 3 h, 9 d.
func long(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return num(d/time.Second) + " s"
	case d < time.Hour:
		return num(d/time.Minute) + " min"
	case d < day:
		return num(d/time.Hour) + " h"
	}
	return num(d/day) + " d"
}

// countdown is the time that is left, rounded up to whole seconds, so that
// 0:00 means due: 0:07, 4:12, 1:04:10, and from four days on 24d 20h.
func countdown(d time.Duration) string {
	s := (max(d, 0) + time.Second - 1) / time.Second
	h, m, s := s/3600, s/60%60, s%60
	switch {
	case h >= 96:
		return two(h/24, "d", h%24, "h")
	case h > 0:
		return num(h) + ":" + pad2(m) + ":" + pad2(s)
	}
	return num(m) + ":" + pad2(s)
}

// latency is how long a probe took: <1 ms, 41 ms, 1.2 s.
func latency(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return num(d/time.Millisecond) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return num(d/time.Second) + " s"
}

// several is a counted noun: 1 server, 7 servers.
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func num(n time.Duration) string { return strconv.FormatInt(int64(n), 10) }

func pad2(n time.Duration) string {
	if n < 10 {
		return "0" + num(n)
	}
	return num(n)
}
