package model

import (
	"time"

	"rollcall/redact"
)

// Dial is what a transport needs to make one run of a server. Report and Line
// may be called from any goroutine, and never block.
type Dial struct {
	Run     uint64
	Timeout time.Duration // start_timeout, or what is left of it; at most MaxTimer
	// Legacy: go straight to `initialize`, the way that worked before (T6).
	Legacy bool
	Report func(RunEvent)
	Line   func(at time.Time, kind LineKind, text redact.Safe)
}

// RunEvent is what a transport reports of a run, in this order:
//
//	Launched? → Handshaken? → Connected? → Closed → Staged* → Reaped → Gone?
//
// Closed and Reaped come exactly once each, whatever happened; Gone follows
// only a Reaped that names survivors.
type RunEvent interface{ runEvent() }

// Launched: a process was started for the run.
type Launched struct {
	At  time.Time
	PID int
}

// Handshaken: the handshake is complete; life starts here.
type Handshaken struct {
	At        time.Time
	Handshake Handshake
}

// Connected: the policy exchange (M1) and tools/list were answered or gave up.
type Connected struct {
	At    time.Time
	Tools Opt[int] // absent where the server did not say
}

// Closed: the attempt failed (no Handshaken before it), or the connection
// ended. At is when it was seen. The transport closes what is left by itself.
type Closed struct {
	At  time.Time
	End End
}

// Staged: the stop has come a stage further (H2).
type Staged struct {
	At    time.Time
	Stage StopStage
}

// Reaped: nothing of the run is left, but for the survivors (H2). It comes
// after stderr's own end, or 250 ms after Closed (L5).
type Reaped struct {
	At        time.Time
	Survivors []int // PIDs
}

// Gone: the survivors are gone after all (H2).
type Gone struct{ At time.Time }

func (Launched) runEvent()   {}
func (Handshaken) runEvent() {}
func (Connected) runEvent()  {}
func (Closed) runEvent()     {}
func (Staged) runEvent()     {}
func (Reaped) runEvent()     {}
func (Gone) runEvent()       {}

// StopStage is how far a stop has come (H2).
type StopStage uint8

// The stages. Closing: stdin, or the connection, was closed.
const (
	Closing StopStage = iota
	TermSent
	KillSent
)

var stageNames = []string{"closing", "TERM sent", "KILL sent"}

func (s StopStage) String() string { return stageNames[s] }

// MarshalText writes the stage.
func (s StopStage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the stage.
func (s *StopStage) UnmarshalText(b []byte) error { return fromWord(s, stageNames, b, "stage") }
