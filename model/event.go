package model

import (
	"encoding/json"
	"time"

	"rollcall/redact"
)

// Kind is the kind of an event (A6).
type Kind uint8

// The kinds, in A6's order.
const (
	EvQueued Kind = iota
	EvStarting
	EvConnected
	EvAttemptFailed
	EvLasted
	EvLost
	EvDown
	EvRecovered
	EvWithdrawn
	EvUnsteady
	EvHalted
	EvRefused
	EvEnded
	EvProbe
	EvStopping
	EvOff
	EvOrder
	EvConfig
	kinds
)

var kindNames = [kinds]string{"queued", "starting", "connected", "attempt-failed", "lasted", "lost", "down", "recovered",
	"withdrawn", "unsteady", "halted", "refused", "ended", "probe", "stopping", "off", "order", "config"}

func (k Kind) String() string { return kindNames[k] }

// MarshalText writes the kind's word.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the kind's word.
func (k *Kind) UnmarshalText(b []byte) error { return fromWord(k, kindNames[:], b, "event") }

// Failure reports whether the event stands among the failures of the pane: a
// failed attempt, a lost connection, an alert, or the end of one. A4 says which
// of them failures.log has.
func (k Kind) Failure() bool {
	switch k {
	case EvAttemptFailed, EvDown, EvHalted, EvRefused, EvRecovered, EvUnsteady, EvLost:
		return true
	}
	return false
}

// Millis marshals as whole milliseconds.
type Millis time.Duration

// D is the duration.
func (m Millis) D() time.Duration { return time.Duration(m) }

// MarshalJSON writes milliseconds, rounded down.
func (m Millis) MarshalJSON() ([]byte, error) {
	return appendInt(nil, time.Duration(m).Milliseconds()), nil
}

// UnmarshalJSON reads milliseconds.
func (m *Millis) UnmarshalJSON(b []byte) error {
	n, err := parseInt(b)
	*m = Millis(time.Duration(n) * time.Millisecond)
	return err
}

// Event is one thing that happened, as the dashboard, the log, the webhook and
// the JSON output all read it (A6, X3). Text is the line that a person reads.
type Event struct {
	Seq    uint64    `json:"seq"`
	At     time.Time `json:"at"` // RFC 3339 with milliseconds
	Kind   Kind      `json:"event"`
	Server string    `json:"server"`
	Run    uint64    `json:"run"`

	Attempt   Opt[int]    `json:"attempt,omitzero"`
	Error     redact.Safe `json:"error,omitzero"`
	WillRetry Opt[bool]   `json:"will_retry,omitzero"`
	RetryIn   Opt[Millis] `json:"retry_in_ms,omitzero"` // the wait that B2 gave, from the end
	Life      Opt[Millis] `json:"life_ms,omitzero"`
	ExitCode  Opt[int]    `json:"exit_code,omitzero"`
	Signal    redact.Safe `json:"signal,omitzero"`
	// OutOfMemory: the kernel says that it sent the signal for want of memory.
	OutOfMemory bool           `json:"out_of_memory,omitempty"`
	CloseCode   Opt[int]       `json:"close_code,omitzero"`
	PID         int            `json:"pid,omitempty"`
	Transport   Opt[Transport] `json:"transport,omitzero"`
	Protocol    Opt[Protocol]  `json:"protocol,omitzero"`
	Revision    redact.Safe    `json:"revision,omitzero"`
	ServerInfo  redact.Safe    `json:"server_info,omitzero"`
	Tools       Opt[int]       `json:"tools,omitzero"`
	Outcome     redact.Safe    `json:"outcome,omitzero"` // of a probe, or an order
	Elapsed     Opt[Millis]    `json:"elapsed_ms,omitzero"`
	Timeouts    Opt[int]       `json:"timeouts,omitzero"` // P3's row
	Field       redact.Safe    `json:"field,omitzero"`
	Order       Opt[Verb]      `json:"order,omitzero"`
	OrderID     string         `json:"order_id,omitempty"`
	By          redact.Safe    `json:"by,omitzero"`
	Elsewhere   bool           `json:"in_force_offered,omitempty"` // O2's offer
	Stderr      []redact.Safe  `json:"stderr,omitempty"`           // the last lines
	Text        redact.Safe    `json:"text"`
}

// MarshalJSON writes the event with its time as X3 says.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return json.Marshal(struct {
		At string `json:"at"`
		plain
	}{Stamp(e.At), plain(e)})
}
