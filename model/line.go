package model

import (
	"time"

	"rollcall/redact"
)

// LineKind is where a line of the pane comes from.
type LineKind uint8

// The kinds of lines.
const (
	LineStderr  LineKind = iota // the server's stderr
	LineNoise                   // stdout that is not JSON-RPC (T2)
	LineEvent                   // one of rollcall's own: an event's text
	LineFailure                 // an event's text, of a kind that is a failure
	lineKinds
)

var lineNames = [lineKinds]string{"stderr", "noise", "event", "failure"}

func (k LineKind) String() string { return lineNames[k] }

// MarshalText writes the kind's word.
func (k LineKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the kind's word.
func (k *LineKind) UnmarshalText(b []byte) error { return fromWord(k, lineNames[:], b, "line") }

// Line is one line of a server's tail (T3, D5). Seq grows by one a line, a
// server's own count; a gap says how many the ring has dropped.
type Line struct {
	Seq  uint64      `json:"seq"`
	At   time.Time   `json:"at"`
	Run  uint64      `json:"run"`
	Kind LineKind    `json:"kind"`
	Text redact.Safe `json:"line"`
}
