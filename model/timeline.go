package model

import "time"

// Timeline is the last 24 h, of one server or of the fleet, in slots of equal
// length, the oldest first. Slots before the engine's start are empty.
type Timeline struct {
	Start time.Time     `json:"start"` // of the first slot
	Slot  time.Duration `json:"slot_ns"`
	Slots []Moment      `json:"slots"` // the last one is still going on
}

// Moment is one slot of a timeline: how long what lasted in it, and what
// happened. Its times add up over the servers that it counts.
type Moment struct {
	Up       time.Duration `json:"up_ns,omitempty"`       // connected and lasted
	Settling time.Duration `json:"settling_ns,omitempty"` // connected, had not lasted
	Trying   time.Duration `json:"trying_ns,omitempty"`   // queued, starting, waiting, stopping, without an open episode
	Down     time.Duration `json:"down_ns,omitempty"`     // an episode was open, in whatever phase but settling
	Off      time.Duration `json:"off_ns,omitempty"`      // off, ended as asked
	Failures int           `json:"failures,omitempty"`    // failed attempts and lost connections
	Latency  time.Duration `json:"latency_ns,omitempty"`  // the longest of its alive probes
	Timeouts int           `json:"timeouts,omitempty"`    // probes that timed out or were answered with an error
}
