package ui

import (
	"strings"
	"time"

	"rollcall/model"
)

// stamp is a time of the last days: its weekday tells today from yesterday.
const stamp = "Mon 15:04:05"

// kindTone sets the kinds that matter apart.
func kindTone(k model.Kind) tone {
	switch k {
	case model.EvAttemptFailed, model.EvLost, model.EvUnsteady:
		return warn
	case model.EvDown, model.EvHalted, model.EvRefused:
		return bad
	case model.EvLasted, model.EvRecovered:
		return good
	}
	return plain
}

// historyEntry is one event: when, what, how long it lived, its text.
func historyEntry(e model.Event) entry {
	text := e.Text.String()
	if text == "" {
		text = e.Error.String()
	}
	if e.Life.Ok {
		text += " (lived " + span(time.Duration(e.Life.V)) + ")"
	}
	kind := e.Kind.String()
	return entry{seq: e.Seq, tone: kindTone(e.Kind), text: text,
		head: e.At.Local().Format(stamp) + "  " + kind + strings.Repeat(" ", max(15-len(kind), 1))}
}

// maxStderr is how many lines an event bears at most for the failure view.
const maxStderr = 50

// failureEntries is one failure: its text, and the server's last words. The
// sequence numbers leave room for those between two events.
func failureEntries(e model.Event) []entry {
	first := historyEntry(e)
	first.seq = e.Seq * (maxStderr + 1)
	first.head = e.At.Local().Format(stamp) + " ! "
	if e.Kind == model.EvRecovered {
		first.head = e.At.Local().Format(stamp) + "   "
	}
	entries := []entry{first}
	for i, line := range e.Stderr[max(len(e.Stderr)-maxStderr, 0):] {
		entries = append(entries, entry{seq: first.seq + 1 + uint64(i), head: "             | ", tone: dim, text: line.String()})
	}
	return entries
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
		i := 0
		if high > low {
			i = int(int64(d-low) * int64(len(l.signs.bars)-1) / int64(high-low))
		}
		b.WriteString(l.signs.bars[i])
	}
	return "probes " + b.String() + " " + latency(low) + " to " + latency(high)
}
