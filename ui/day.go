package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// timeline is the last 24 h of a server, or of the fleet, as it was last read.
type timeline struct {
	day      model.Timeline
	asked    time.Time // when it was last asked for
	fetching bool
}

// How often a timeline is asked for, never each frame: a short time changes much
// in a minute.
const (
	dayEvery   = time.Minute
	youngEvery = 10 * time.Second // while it counts less than young
	young      = time.Hour
)

// due reports whether it is time to ask again.
func (t *timeline) due(now time.Time) bool {
	every := dayEvery
	if t.counted(t.asked) < young {
		every = youngEvery
	}
	return !t.fetching && (t.asked.IsZero() || now.Sub(t.asked).Abs() >= every)
}

// since is from when on it counts: the start of the first slot that holds
// anything; zero where none does.
func (t *timeline) since() time.Time {
	i := slices.IndexFunc(t.day.Slots, func(m model.Moment) bool { return m != model.Moment{} })
	if i < 0 {
		return time.Time{}
	}
	return t.day.Start.Add(time.Duration(i) * t.day.Slot)
}

// counted is how long it has counted until an instant; 0 where it is empty.
func (t *timeline) counted(until time.Time) time.Duration {
	since := t.since()
	if since.IsZero() {
		return 0
	}
	return until.Sub(since)
}

// lot is what happened most in a part of a day, or what must not be
// overlooked in it.
type lot uint8

const (
	unseenLot lot = iota // rollcall did not run, or nothing was known of it
	upLot
	settlingLot
	tryingLot
	downLot
	offLot
	lots
)

var lotTones = [lots]tone{upLot: good, settlingLot: active, tryingLot: warn, downLot: bad, offLot: dim}

var lotNames = [lots]string{upLot: "up", settlingLot: "settling", tryingLot: "trying", downLot: "down", offLot: "off"}

// lotSigns tell them apart without colour (D9): the fuller, the better.
var (
	lotGlyphs = [lots]string{" ", "█", "▓", "▒", "✕", "·"}
	lotASCII  = [lots]string{" ", "#", "+", "~", "x", "."}
)

// lotOf judges a moment. An open episode and a failure are shown however short
// they were; of the rest, what took longest.
func lotOf(m model.Moment) lot {
	if m.Down > 0 {
		return downLot
	}
	longest, of := m.Up, upLot
	if m.Failures > 0 {
		longest, of = max(m.Trying, 1), tryingLot
	}
	for _, x := range []struct {
		d time.Duration
		l lot
	}{{m.Settling, settlingLot}, {m.Trying, tryingLot}, {m.Off, offLot}} {
		if x.d > longest && m.Failures == 0 {
			longest, of = x.d, x.l
		}
	}
	if longest == 0 {
		return unseenLot
	}
	return of
}

// plus adds what two moments hold.
func plus(a, b model.Moment) model.Moment {
	return model.Moment{Up: a.Up + b.Up, Settling: a.Settling + b.Settling, Trying: a.Trying + b.Trying, Down: a.Down + b.Down,
		Off: a.Off + b.Off, Failures: a.Failures + b.Failures, Latency: max(a.Latency, b.Latency), Timeouts: a.Timeouts + b.Timeouts}
}

// merged is the slots in at most n columns, and what they hold together.
func merged(slots []model.Moment, n int) (columns []model.Moment, all model.Moment) {
	n = min(n, len(slots))
	if n < 1 {
		return nil, all
	}
	columns = make([]model.Moment, n)
	for i, s := range slots {
		at := i * n / len(slots)
		columns[at] = plus(columns[at], s)
		all = plus(all, s)
	}
	return columns, all
}

// latencyRow is the longest latency of each column, low to high; a column
// without one is empty, and one whose probes got no answer says so.
func latencyRow(l *look, columns []model.Moment) (row []piece, low, high time.Duration) {
	for _, m := range columns {
		if m.Latency > 0 && (low == 0 || m.Latency < low) {
			low = m.Latency
		}
		high = max(high, m.Latency)
	}
	for _, m := range columns {
		p := piece{plain, " "}
		switch {
		case m.Latency > 0:
			p.text = l.bar(m.Latency-low, high-low)
		case m.Timeouts > 0:
			p.text = "!"
		}
		if m.Timeouts > 0 {
			p.tone = warn
		}
		row = append(row, p)
	}
	return row, low, high
}

// bar is the bar for a part of a whole.
func (l *look) bar(part, whole time.Duration) string {
	if whole <= 0 {
		return l.signs.bars[0]
	}
	return l.signs.bars[int(int64(part)*int64(len(l.signs.bars)-1)/int64(whole))]
}

// lotRow is what each column was.
func (l *look) lotRow(columns []model.Moment) []piece {
	row := make([]piece, len(columns))
	for i, m := range columns {
		lot := lotOf(m)
		row[i] = piece{lotTones[lot], l.lots[lot]}
	}
	return row
}

// minLabel is how many cells an hour of the axis has at least.
const minLabel = 8

// axis names hours below n columns: `15:00   18:00   21:00`.
func axis(day model.Timeline, n int) string {
	whole := day.Slot * time.Duration(len(day.Slots))
	if n < minLabel || whole <= 0 {
		return ""
	}
	step := 24
	for _, hours := range []int{1, 2, 3, 4, 6, 12} {
		if time.Duration(hours)*time.Hour*time.Duration(n)/whole >= minLabel {
			step = hours
			break
		}
	}
	line := []byte(strings.Repeat(" ", n))
	start := day.Start.Local()
	for t := start.Truncate(time.Hour); t.Before(start.Add(whole)); t = t.Add(time.Hour) {
		at := int(t.Sub(start) * time.Duration(n) / whole)
		if label := t.Format("15:04"); t.Hour()%step == 0 && at >= 0 && at+len(label) <= n {
			copy(line[at:], label)
		}
	}
	return strings.TrimRight(string(line), " ")
}

// summaryHeight is how many of so many lines above the history tell of the day
// as a whole.
func (p *pane) summaryHeight(height int) int {
	switch {
	case len(p.day.day.Slots) > 0 && height >= 10:
		return 4
	case len(p.day.day.Slots) > 0 && height >= 6:
		return 2
	case len(p.latencies) > 0 && height > 2:
		return 1
	}
	return 0
}

// drawSummary writes the day of the server: what it adds up to, the latency of
// its probes, what it was, and when; in fewer lines less of it.
func (p *pane) drawSummary(c *canvas, lines int) {
	l, day := c.look, p.day.day
	columns, all := merged(day.Slots, c.width-2)
	row := func(pieces ...piece) {
		c.fill(1)
		putAll(c, pieces)
		c.end()
	}
	switch lines {
	case 1:
		row(piece{dim, sparkline(l, p.latencies, c.width-2)})
	case 2, 4:
		if lines == 4 {
			bars, low, high := latencyRow(l, columns)
			row(l.sum(all, low, high)...)
			row(bars...)
		}
		row(l.lotRow(columns)...)
		row(piece{dim, axis(day, len(columns))})
	}
}

// sum is what a day adds up to; each part bears its sign, so that it tells
// what the signs mean.
func (l *look) sum(all model.Moment, low, high time.Duration) []piece {
	pieces := []piece{{dim, "24 h:"}}
	for lot, d := range [lots]time.Duration{upLot: all.Up, settlingLot: all.Settling, tryingLot: all.Trying, downLot: all.Down, offLot: all.Off} {
		if d >= time.Second {
			pieces = append(pieces, piece{lotTones[lot], "  " + l.lots[lot]}, piece{dim, " " + lotNames[lot] + " " + span(d)})
		}
	}
	var parts []string
	if all.Failures > 0 {
		parts = append(parts, several(all.Failures, "failure"))
	}
	if high > 0 {
		parts = append(parts, "probes "+between(low, high))
	}
	if all.Timeouts > 0 {
		parts = append(parts, strconv.Itoa(all.Timeouts)+" unanswered")
	}
	return append(pieces, piece{dim, "  " + strings.Join(parts, ", ")})
}

// sparkline is the latency of the last probes, and its range; empty where no
// probe was answered.
func sparkline(l *look, all []time.Duration, width int) string {
	if len(all) == 0 {
		return ""
	}
	all = all[max(len(all)-clamp(width-40, 8, 120), 0):]
	low, high := all[0], all[0]
	for _, d := range all {
		low, high = min(low, d), max(high, d)
	}
	var b strings.Builder
	for _, d := range all {
		b.WriteString(l.bar(d-low, high-low))
	}
	return "probes " + b.String() + " " + between(low, high)
}

// between is a range of latencies; one that reads alike at both ends is said once.
func between(low, high time.Duration) string {
	if from, to := latency(low), latency(high); from != to {
		return from + " to " + to
	}
	return latency(high)
}
