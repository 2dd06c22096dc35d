package ui

import "time"

// What lines may cost a terminal that takes 16 kB a second, in bytes: the rest of
// it is for keys, which never wait.
const (
	lineRate  = 10_000 // a second
	lineBurst = 16_000 // at once: a wide screen, drawn whole
)

// maxPause bounds how long lines wait, however slow the terminal is.
const maxPause = 5 * time.Second

// budget is what may be sent to the terminal before the pane's lines have to
// wait. All that is drawn is taken from it; but only what lines cause, which come
// without end, waits for it.
type budget struct {
	left float64   // bytes; below 0 where too many were sent
	at   time.Time // when that was counted; zero: never
	sent int64     // until then
}

// pause is how long lines wait now: 0 where they need not. sent is what was sent
// in all (gate.sent).
func (b *budget) pause(now time.Time, sent int64) time.Duration {
	if b.at.IsZero() {
		b.left = lineBurst
	} else {
		b.left = min(b.left+lineRate*max(now.Sub(b.at), 0).Seconds(), lineBurst)
	}
	b.left -= float64(sent - b.sent)
	b.at, b.sent = now, sent
	if b.left >= 0 {
		return 0
	}
	return min(time.Duration(-b.left/lineRate*float64(time.Second)), maxPause)
}

// costOf is what a write of so many bytes costs: a terminal that takes its time
// is sent less, so that half of its time is left for keys.
func costOf(bytes int, took time.Duration) int64 {
	return max(int64(bytes), int64(2*lineRate*took.Seconds()))
}
