package ui

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

func TestD6_ADayKeepsWhatMattersAtEveryWidth(t *testing.T) {
	day := newFake(model.Fleet{}).Timeline("github")
	_, whole := merged(day.Slots, len(day.Slots))
	for width := 1; width <= 300; width++ {
		columns, all := merged(day.Slots, width)
		if len(columns) != min(width, len(day.Slots)) || all != whole {
			t.Fatalf("%d columns at %d cells, %+v", len(columns), width, all)
		}
		if last := columns[len(columns)-1]; lotOf(last) != downLot {
			t.Errorf("at %d cells the last column does not say that it is down", width)
		}
		if n := len(axis(day, width)); n > width {
			t.Errorf("an axis of %d cells below %d", n, width)
		}
	}
}

func TestD6_WhatAMomentWas(t *testing.T) {
	for _, c := range []struct {
		m    model.Moment
		want lot
	}{
		{model.Moment{}, unseenLot},
		{model.Moment{Up: time.Hour, Down: time.Second}, downLot},
		{model.Moment{Up: time.Hour, Failures: 1}, tryingLot}, // however short
		{model.Moment{Up: time.Minute, Settling: time.Hour}, settlingLot},
		{model.Moment{Up: time.Hour, Settling: time.Minute}, upLot},
		{model.Moment{Trying: time.Hour, Up: time.Minute}, tryingLot},
		{model.Moment{Off: time.Hour, Up: time.Minute}, offLot},
	} {
		if got := lotOf(c.m); got != c.want {
			t.Errorf("%+v is %d, want %d", c.m, got, c.want)
		}
	}
}

func TestD9_ADaysPartsDifferWithoutColour(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		l, seen := newLook(Options{ASCII: ascii}, traits{}), map[string]bool{}
		for _, sign := range l.lots {
			if seen[sign] || l.width(sign) != 1 {
				t.Errorf("%q twice, or not one cell", sign)
			}
			seen[sign] = true
		}
	}
}

// TestADayIsReadOnceAMinute: not each frame, and a server's only where it is
// looked at.
func TestADayIsReadOnceAMinute(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	at := noon
	b.app.now = func() time.Time { return at }
	read := func() string {
		b.engine.mu.Lock()
		defer b.engine.mu.Unlock()
		got := strings.Join(b.engine.days, ",")
		b.engine.days = nil
		return got
	}
	if got := read(); got != "" || len(b.app.day.day.Slots) == 0 {
		t.Errorf("read %q", got)
	}
	b.press("j", "j", "4", "2", "4", "k")
	if got := read(); got != "ledger,legacy-index" {
		t.Errorf("read %q", got)
	}
	for range 59 {
		at = at.Add(time.Second)
		b.press("z") // any message
	}
	if got := read(); got != "" {
		t.Errorf("read within the minute: %q", got)
	}
	at = at.Add(time.Second)
	b.press("z")
	if got := read(); got != ",legacy-index" {
		t.Errorf("after a minute read %q", got)
	}
}

func TestTheFleetsDayNeedsRoom(t *testing.T) {
	for height, want := range map[int]bool{29: false, 30: true} {
		b := newBench(t, tenPhases(), 120, height, Options{})
		if got := strings.Contains(b.screen(), " of the time wanted"); got != want {
			t.Errorf("at %d lines the fleet's day is there: %t\n%s", height, got, b.screen())
		}
	}
}

func TestPercentRoundsDown(t *testing.T) {
	for _, c := range []struct {
		part, whole time.Duration
		want        string
	}{{1, 1, "100 %"}, {999_999, 1_000_000, "99.9 %"}, {0, 5, "0.0 %"}, {1, 3, "33.3 %"}} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d is %s, want %s", c.part, c.whole, got, c.want)
		}
	}
}

// TestTheFleetsDayAgreesWithTheHeader: who is connected counts, lasting or not;
// a day that is none yet says since when it counts, and is read more often.
func TestTheFleetsDayAgreesWithTheHeader(t *testing.T) {
	const slot = 5 * time.Minute
	start := noon.Add(-24 * time.Hour).Truncate(slot)
	at := func(ago time.Duration, m model.Moment) timeline {
		day := timeline{day: model.Timeline{Start: start, Slot: slot, Slots: make([]model.Moment, 289)}}
		day.day.Slots[int(noon.Add(-ago).Sub(start)/slot)] = m
		return day
	}
	settling := model.Moment{Settling: 9 * time.Minute, Trying: time.Minute}
	for _, c := range []struct {
		t    timeline
		m    model.Moment
		want string
	}{
		{at(6*time.Minute, settling), settling, "connected 90.0 % of the time wanted since 13:55"},
		{at(0, settling), settling, "since 14:05"}, // for 9 s
		{at(time.Hour, model.Moment{Off: 1, Failures: 2}), model.Moment{Off: 1, Failures: 2}, "since 13:05, 2 failures"},
		{at(24*time.Hour, settling), settling, "connected 90.0 % of the time wanted"},
		{timeline{}, model.Moment{}, "nothing counted yet"},
	} {
		if got := c.t.text(c.m, noon); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
	for age, every := range map[time.Duration]time.Duration{6 * time.Minute: youngEvery, 2 * time.Hour: dayEvery} {
		d := at(age, settling)
		d.asked = noon
		if d.due(noon.Add(every-time.Second)) || !d.due(noon.Add(every)) {
			t.Errorf("a day that counts for %v is not read each %v", age, every)
		}
	}
}

func TestD11_NoServersHaveNoDay(t *testing.T) {
	b := newBench(t, model.Fleet{Seq: 1, At: noon, Config: text("servers.toml")}, 120, 40, Options{})
	if got := b.screen(); strings.Contains(got, "24 h") || !strings.Contains(got, "No servers in") {
		t.Errorf("an empty configuration shows\n%s", got)
	}
}

func TestARangeOfLatenciesIsSaidOnce(t *testing.T) {
	for _, c := range []struct {
		low, high time.Duration
		want      string
	}{{1, 900, "<1 ms"}, {time.Millisecond, time.Second, "1 ms to 1.0 s"}} {
		if got := between(c.low, c.high); got != c.want {
			t.Errorf("%v to %v is %q", c.low, c.high, got)
		}
	}
}
