package alert

import (
	"encoding/json"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Record is a line of failures.log (A4). A key without a meaning for its kind
// is absent.
type Record struct {
	At        time.Time
	Server    string // empty in a gap
	Kind      string // an event's word (A6), or Gap
	Attempt   model.Opt[int]
	Error     redact.Safe
	Stderr    []redact.Safe // the last lines
	WillRetry model.Opt[bool]
	RetryIn   model.Opt[model.Millis]
	Elapsed   model.Opt[model.Millis] // recovered: how long the episode was open
	Lost      uint64                  // Gap: how many lines are missing before this one
	Config    redact.Safe             // the configuration's path: several may share a log; empty in lines of older versions
}

// Gap is the kind of a record that says how many lines are missing.
const Gap = "gap"

// RecordOf is what failures.log has of an event; ok is false for one that it
// does not have. It has A4's kinds, and `ended` where that is a failure (H3).
func RecordOf(ev model.Event) (r Record, ok bool) {
	switch ev.Kind {
	case model.EvAttemptFailed, model.EvDown, model.EvHalted, model.EvRefused:
	case model.EvRecovered:
		r.Elapsed = ev.Elapsed
	case model.EvEnded:
		if _, failed := ev.Brief(); !failed {
			return Record{}, false
		}
	default:
		return Record{}, false
	}
	r.At, r.Server, r.Kind = ev.At, ev.Server, ev.Kind.String()
	r.Attempt, r.Error, r.Stderr = ev.Attempt, ev.Error, ev.Stderr
	r.WillRetry, r.RetryIn = ev.WillRetry, ev.RetryIn
	return r, true
}

// written is a Record with the keys of A4, in their order.
type written struct {
	At        string                  `json:"at"` // RFC 3339, ms
	Server    string                  `json:"server"`
	Kind      string                  `json:"kind"`
	Attempt   model.Opt[int]          `json:"attempt,omitzero"`
	Error     redact.Safe             `json:"error,omitzero"`
	Stderr    []redact.Safe           `json:"stderr,omitempty"`
	WillRetry model.Opt[bool]         `json:"will_retry,omitzero"`
	RetryIn   model.Opt[model.Millis] `json:"retry_in_ms,omitzero"`
	Elapsed   model.Opt[model.Millis] `json:"elapsed_ms,omitzero"`
	Lost      uint64                  `json:"lost,omitempty"`
	Config    redact.Safe             `json:"config,omitzero"`
}

// MarshalJSON writes the record as A4 has it.
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(written{model.Stamp(r.At), r.Server, r.Kind, r.Attempt, r.Error, r.Stderr, r.WillRetry, r.RetryIn, r.Elapsed, r.Lost, r.Config})
}

// UnmarshalJSON reads a record. The file may have been written by anyone: texts
// are cleaned again, names are taken for names.
func (r *Record) UnmarshalJSON(b []byte) error {
	var w written
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, w.At)
	if err != nil {
		return err
	}
	*r = Record{at, redact.Name(w.Server).String(), redact.Name(w.Kind).String(), w.Attempt, w.Error, w.Stderr, w.WillRetry, w.RetryIn, w.Elapsed, w.Lost, w.Config}
	return nil
}
