package model

import (
	"math"
	"strings"
	"time"

	"rollcall/redact"
)

// Forever stands for `inf`.
const Forever = time.Duration(math.MaxInt64)

// MaxTimer is the longest that any timer is set for: 2³¹−1 ms (B2, B3).
const MaxTimer = (1<<31 - 1) * time.Millisecond

// Source says where a timing came from (D6).
type Source uint8

// Where a timing in force came from.
const (
	FromDefault  Source = iota // built in
	FromDefaults               // the [defaults] table
	FromEntry                  // the server's own entry
)

var sourceNames = []string{"built in", "[defaults]", "entry"}

func (s Source) String() string { return sourceNames[s] }

// MarshalText writes the source's words.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the source's words.
func (s *Source) UnmarshalText(b []byte) error { return fromWord(s, sourceNames, b, "source") }

// Timing is a duration above 0, or Forever, and where it came from.
type Timing struct {
	D    time.Duration `json:"ns"`
	From Source        `json:"from"`
}

// Text is the duration as a person writes it: 5s, 1m30s, inf.
func (t Timing) Text() redact.Safe {
	if t.D == Forever {
		return redact.Word("inf")
	}
	return redact.Name(strings.Replace(t.D.String(), "µ", "u", 1)) // a name is ASCII
}

// Timings are the timings in force for one server (C1). All are above 0;
// LastingAfter is 0 where it is not set (L1 then applies).
type Timings struct {
	ReconnectInterval    Timing `json:"reconnect_interval"`     // B2's base
	ReconnectMaxInterval Timing `json:"reconnect_max_interval"` // B2's cap
	LastingAfter         Timing `json:"lasting_after"`
	StartTimeout         Timing `json:"start_timeout"`
	RequestTimeout       Timing `json:"request_timeout"`
	ProbeInterval        Timing `json:"probe_interval"`
	ProbeTimeout         Timing `json:"probe_timeout"`
	StopGrace            Timing `json:"stop_grace"`
}

// DefaultTimings are those of C1, B2, P4 and H2.
func DefaultTimings() Timings {
	at := func(d time.Duration) Timing { return Timing{D: d} }
	return Timings{
		ReconnectInterval:    at(5 * time.Second),
		ReconnectMaxInterval: at(300 * time.Second),
		StartTimeout:         at(30 * time.Second),
		RequestTimeout:       at(30 * time.Second),
		ProbeInterval:        at(60 * time.Second),
		ProbeTimeout:         at(8 * time.Second),
		StopGrace:            at(5 * time.Second),
	}
}

// Lasting is the life that a connection must reach to have lasted (L1):
// max(300 s, min(cap, 1 h)), or LastingAfter where it is set.
func (t Timings) Lasting() time.Duration {
	if t.LastingAfter.D > 0 {
		return t.LastingAfter.D
	}
	return max(300*time.Second, min(t.ReconnectMaxInterval.D, time.Hour))
}
