package supervise

import (
	"maps"
	"slices"
	"time"

	"rollcall/redact"
)

// warnEvery is the least time between two tellings of the same warning: a
// listener that fails and recovers at each event would else feed itself.
const warnEvery = time.Minute

// warnings are what an operator must know of rollcall itself, by their keys.
type warnings struct {
	standing map[string]*warning
	shown    []redact.Safe // of those that stand, sorted by key; never changed
}

// warning is one key's: it stands while its text is not empty.
type warning struct {
	text  redact.Safe
	told  bool    // an event has told that it stands
	since instant // the last event that told so
	ever  bool    // there was one
}

// Warn says what an operator must know of rollcall itself besides the
// configuration's file: failures.log cannot be written, the webhook does not
// answer. It stands in Fleet.Warnings, sorted by key, until it is taken away
// with the empty text; each comes from one place, which has its own key.
//
// An event tells that it came, and one that it is gone; a new text for the same
// key is only shown, so that one with a count in it costs no event. It never
// blocks: a listener may call it from its own call, and for each event.
func (e *Engine) Warn(key string, text redact.Safe) {
	e.call(func() { e.warn(key, text) })
}

// warn is Warn, for the loop.
func (e *Engine) warn(key string, text redact.Safe) {
	w := e.warnings.standing[key]
	switch {
	case w == nil && text.IsZero():
		return
	case w == nil:
		w = &warning{}
		e.warnings.standing[key] = w
	}
	was := w.text
	w.text = text
	switch {
	case text.IsZero() && w.told:
		w.told = false
		e.tellConfig(redact.Sprintf("no longer: %s", was))
	case !text.IsZero() && !w.told && (!w.ever || e.now()-w.since >= warnEvery):
		w.told, w.ever, w.since = true, true, e.now()
		e.tellConfig(text)
	}
	if text != was {
		e.warnings.show()
		e.changed = true
	}
}

func (w *warnings) show() {
	w.shown = nil
	for _, key := range slices.Sorted(maps.Keys(w.standing)) {
		if text := w.standing[key].text; !text.IsZero() {
			w.shown = append(w.shown, text)
		}
	}
}
