package model

import (
	"time"

	"rollcall/redact"
)

// Fleet is an immutable snapshot of all servers, in the configuration's order.
// Rows that did not change are the same pointers as in the snapshot before.
type Fleet struct {
	Seq    uint64      `json:"seq"` // grows with every snapshot
	At     time.Time   `json:"at"`  // the engine's clock when it was made
	Host   redact.Safe `json:"host"`
	Config redact.Safe `json:"config"`        // the file's path
	Note   redact.Safe `json:"note,omitzero"` // what is wrong with the file, until it is mended
	// Warnings are what else an operator must know of rollcall itself, until it
	// is mended: failures.log cannot be written, the webhook does not answer.
	Warnings []redact.Safe `json:"warnings,omitempty"`
	Waits    Waits         `json:"waits,omitzero"` // for a reload
	Rows     []*Row        `json:"rows"`
	Stopping bool          `json:"stopping,omitempty"` // rollcall is shutting down
}

// Row is one server as the table shows it. All that it says comes from the
// engine: a screen derives countdowns from its times and guesses nothing (D8).
type Row struct {
	Server    string        `json:"server"`
	Phase     Phase         `json:"phase"`
	Run       uint64        `json:"run"`
	Attempt   int           `json:"attempt"`            // B1; 0 while up
	Since     time.Time     `json:"since"`              // in this phase since
	Next      time.Time     `json:"next,omitzero"`      // waiting: when the next attempt is due
	Connected time.Time     `json:"connected,omitzero"` // settling, up: when the handshake completed
	LastsAt   time.Time     `json:"lasts_at,omitzero"`  // settling: when it will have lasted
	Lasting   time.Duration `json:"lasting"`            // the threshold in force (L1)
	Starts    int           `json:"starts"`             // dials since rollcall started

	Transport Transport `json:"transport"`
	Protocol  Protocol  `json:"protocol"`

	Probe Probe `json:"probe,omitzero"`

	LastFailure   redact.Safe `json:"last_failure,omitzero"` // most telling part first
	LastFailureAt time.Time   `json:"last_failure_at,omitzero"`

	DownSince time.Time `json:"down_since,omitzero"` // an episode is open since

	// Acked: an operator knows of the open episode (`a`): who and since when. It
	// ends with the episode, and when that gets worse.
	AckedBy    redact.Safe `json:"acked_by,omitzero"`
	AckedSince time.Time   `json:"acked_since,omitzero"`

	// Stage is how far the stop has come, with stopping alone (H2).
	Stage   StopStage `json:"stage,omitzero"`
	StageAt time.Time `json:"stage_at,omitzero"`

	PID       int        `json:"pid,omitempty"`
	Handshake *Handshake `json:"handshake,omitempty"` // of the present connection
	Tools     Opt[int]   `json:"tools,omitzero"`

	// Held: an operator disconnected it (O5): who and since when.
	HeldBy    redact.Safe `json:"held_by,omitzero"`
	HeldSince time.Time   `json:"held_since,omitzero"`
	// Pending is an order in progress or waiting.
	Pending redact.Safe `json:"pending,omitzero"`
	// Note stands on the row until the next order: a refusal, `gone: c connects`,
	// `changed: restart applies it`.
	Note redact.Safe `json:"note,omitzero"`

	Lines uint64 `json:"lines"` // the Seq of the newest line of its tail
	Noise uint64 `json:"noise"` // stdout lines that were not JSON-RPC (T2)

	// What its stderr came to since rollcall knows the server: lines, and the
	// bytes of their text as it is kept (T3).
	StderrLines uint64 `json:"stderr_lines"`
	StderrBytes uint64 `json:"stderr_bytes"`

	Shown *Shown `json:"shown,omitempty"` // nil where the entry was refused
	Known *Known `json:"known,omitempty"` // what could be read of it then
}

// Via is the transport, as far as it is known: of a refused entry it may not be.
func (r *Row) Via() (t Transport, known bool) {
	switch {
	case r.Shown != nil:
		return r.Transport, true
	case r.Known != nil:
		return r.Known.Transport.V, r.Known.Transport.Ok
	}
	return t, false
}

// Tags are the entry's tags, those of a refused one as far as they could be read.
func (r *Row) Tags() []redact.Safe {
	switch {
	case r.Shown != nil:
		return r.Shown.Tags
	case r.Known != nil:
		return r.Known.Tags
	}
	return nil
}

// Probe is what the probe column says.
type Probe struct {
	At       time.Time     `json:"at"` // of the last outcome
	Outcome  Outcome       `json:"outcome"`
	Latency  time.Duration `json:"latency"`  // of the last alive
	Timeouts int           `json:"timeouts"` // P3's row: 0 to 2
}

// IsZero reports whether there was no probe yet.
func (p Probe) IsZero() bool { return p.At.IsZero() }
