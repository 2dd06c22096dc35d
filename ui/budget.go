package ui

import "time"

// What a terminal that takes 16 kB a second is sent, in bytes, whatever it is that
// is sent: the rest is for keys, which never wait. What the table says is worth
// more than the next lines of a flood: these wait first.
const (
	lineRate  = 10_000 // a second, and the pane's lines wait
	tableRate = 12_000 // a second, and the table of servers that change all the time waits
	burst     = 16_000 // at once: a wide screen, drawn whole
)

// How long they wait at most, however slow the terminal is.
const (
	maxPause = 5 * time.Second // lines: there are more than anyone reads
	slowest  = time.Second     // a snapshot: what the table says is to be true
)

// budget is what may be sent to the terminal before what comes without end has
// to wait: the pane's lines, snapshots. All that is drawn is taken from it. The
// zero value lets nothing through; it belongs to one goroutine.
type budget struct {
	rate float64       // bytes a second
	most time.Duration // of a pause: what was sent beyond that is forgotten
	left float64       // bytes; below 0 where too many were sent
	at   time.Time     // when that was counted; zero: never
	sent int64         // until then
}

func lineBudget() budget  { return budget{rate: lineRate, most: maxPause} }
func tableBudget() budget { return budget{rate: tableRate, most: slowest} }

// pause is how long to wait now: 0 where nothing has to. sent is what was sent in
// all (gate.sent).
func (b *budget) pause(now time.Time, sent int64) time.Duration {
	if b.at.IsZero() {
		b.left = burst
	} else {
		b.left = min(b.left+b.rate*max(now.Sub(b.at), 0).Seconds(), burst)
	}
	b.left = max(b.left-float64(sent-b.sent), -b.rate*b.most.Seconds())
	b.at, b.sent = now, sent
	if b.left >= 0 {
		return 0
	}
	return time.Duration(-b.left / b.rate * float64(time.Second))
}

// costOf is what a write of so many bytes costs: a terminal that takes its time
// is sent less, so that half of its time is left for keys.
func costOf(bytes int, took time.Duration) int64 {
	return max(int64(bytes), int64(2*lineRate*took.Seconds()))
}
