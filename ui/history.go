package ui

import (
	"strings"
	"time"
	"unicode/utf8"

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
	if life := e.Life.V.D(); e.Life.Ok && !tells(text, life) {
		text += " (lived " + span(life) + ")"
	}
	kind := e.Kind.String()
	return entry{seq: e.Seq, tone: kindTone(e.Kind), text: text,
		head: e.At.Local().Format(stamp) + "  " + kind + strings.Repeat(" ", max(15-len(kind), 1))}
}

// tells reports whether a text says already how long a connection lived. From
// a minute on a number of seconds is not enough to a reader.
func tells(text string, life time.Duration) bool {
	seconds := num(life/time.Second) + " s"
	return life < time.Minute && (strings.Contains(text, " after "+seconds) || strings.Contains(text, " for "+seconds))
}

// addEvents appends events of the server. Probes that were answered are not
// listed: the timeline tells of these.
func (p *pane) addEvents(events []model.Event) {
	for _, e := range events {
		if e.Seq <= p.lastEvent {
			continue
		}
		p.lastEvent = e.Seq
		p.noteEnd(e)
		if e.Kind.Failure() {
			p.failures = append(p.failures, failureEntries(e)...)
		}
		if e.Kind == model.EvProbe && e.Outcome.String() == model.Alive.String() {
			if e.Elapsed.Ok {
				p.latencies = append(p.latencies, time.Duration(e.Elapsed.V))
			}
			continue
		}
		p.history = append(p.history, historyEntry(e))
	}
	p.history, p.failures, p.latencies, p.ends = newest(p.history), newest(p.failures), newest(p.latencies), newest(p.ends)
}

// newest keeps the last maxEvents.
func newest[T any](all []T) []T {
	if extra := len(all) - maxEvents; extra > 0 {
		return append([]T(nil), all[extra:]...)
	}
	return all
}

// Bounds of the failure view: how many lines an event bears, and how many bytes
// one of them takes. A line of 8 KiB would fill the pane with one failure.
const (
	maxStderr  = 50
	maxFailure = 480
)

// failureEntries is one failure: its text, and the server's last words. The
// sequence numbers leave room for those between two events.
func failureEntries(e model.Event) []entry {
	first := historyEntry(e)
	first.seq, first.text = e.Seq*(maxStderr+1), excerpt(first.text)
	first.head = e.At.Local().Format(stamp) + " ! "
	if e.Kind == model.EvRecovered {
		first.head = e.At.Local().Format(stamp) + "   "
	}
	entries := []entry{first}
	if e.Kind == model.EvDown { // the failed attempt before it has said them
		return entries
	}
	for i, line := range e.Stderr[max(len(e.Stderr)-maxStderr, 0):] {
		entries = append(entries, entry{seq: first.seq + 1 + uint64(i), head: "             | ", tone: dim, text: excerpt(line.String())})
	}
	return entries
}

// excerpt is the beginning of a text of a failure, and how much is missing.
func excerpt(text string) string {
	if len(text) <= maxFailure {
		return text
	}
	at := maxFailure
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "… (" + several(len(text)-at, "byte") + " more: 1 shows all)"
}
