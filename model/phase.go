package model

import "fmt"

// Phase is where a server stands (SPEC.md, "Phases").
type Phase uint8

// The ten phases, in the order in which SPEC.md names them.
const (
	Off      Phase = iota // not wanted: disabled, or disconnected by an operator
	Queued                // wants to start, waits for a start slot (T9)
	Starting              // an attempt is in flight
	Settling              // connected, has not lasted yet
	Up                    // connected and lasted
	Waiting               // the next attempt has a time
	Stopping              // its connection is being closed, its process reaped
	Ended                 // the connection ended and reconnect is off
	Halted                // a permanent failure; waits for an operator or a changed entry
	Refused               // its configuration was refused; nothing was started
	Phases                // how many there are
)

var phaseNames = [Phases]string{"off", "queued", "starting", "settling", "up", "waiting", "stopping", "ended", "halted", "refused"}

// String is the phase's word.
func (p Phase) String() string {
	if p >= Phases {
		return fmt.Sprintf("Phase(%d)", uint8(p))
	}
	return phaseNames[p]
}

// Runs reports whether a launch or a connection may be there in this phase: there
// is something to stop, and no other may be started.
func (p Phase) Runs() bool {
	switch p {
	case Starting, Settling, Up, Stopping:
		return true
	}
	return false
}

// MarshalText writes the phase's word.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the phase's word.
func (p *Phase) UnmarshalText(b []byte) error { return fromWord(p, phaseNames[:], b, "phase") }

// Transport is how a server is reached (C2, X3).
type Transport uint8

// The transports, as X3 writes them.
const (
	Stdio Transport = iota
	WebSocket
	HTTP
)

var transportNames = []string{"stdio", "websocket", "http"}

func (t Transport) String() string { return transportNames[t] }

// MarshalText writes the transport's word.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads the transport's word.
func (t *Transport) UnmarshalText(b []byte) error { return fromWord(t, transportNames, b, "transport") }

// Protocol is what a server speaks.
type Protocol uint8

// The protocols, as the configuration writes them.
const (
	MCP Protocol = iota
	MCPL
)

var protocolNames = []string{"mcp", "mcpl"}

func (p Protocol) String() string { return protocolNames[p] }

// Title is the protocol's name in a sentence: MCP, MCPL.
func (p Protocol) Title() string { return [...]string{"MCP", "MCPL"}[p] }

// MarshalText writes the protocol's word.
func (p Protocol) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the protocol's word.
func (p *Protocol) UnmarshalText(b []byte) error { return fromWord(p, protocolNames, b, "protocol") }

// fromWord sets *p to the index of the word b in names.
func fromWord[T ~uint8](p *T, names []string, b []byte, what string) error {
	for i, n := range names {
		if n == string(b) {
			*p = T(i)
			return nil
		}
	}
	return fmt.Errorf("%s: unknown word of %d bytes", what, len(b))
}
