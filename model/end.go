package model

import (
	"time"

	"rollcall/redact"
)

// Cause is why an attempt failed or a connection ended, as far as anyone saw.
type Cause uint8

// The causes.
const (
	CauseUnknown     Cause = iota
	Exited                 // the process exited by itself: ExitCode
	Signalled              // the process was ended by a signal that was not ours: Signal
	ClosedByPeer           // a close frame, or end of file on a live process: CloseCode
	TransportBroken        // a write error, a reset, a refused dial, a cut connection
	ClosedByHost           // rollcall closed it: an order, a probe's verdict, a bound exceeded
	StartTimedOut          // no handshake within start_timeout
	HandshakeFailed        // the server answered the handshake with an error
	HTTPStatus             // the dial was answered with a status that is no success
	SessionMissing         // the server no longer knows our session (T5)
	DiscoveryRefused       // exited or closed upon the newest revision's discovery (T6)
	CommandMissing         // not found or not executable (H1)
	NoCommonRevision       // the server names no revision that we speak (H1)
	NeedsCredentials       // HTTP 401 (H1)
	PolicyRefused          // MCPL: accepted false with fallback close (M1)
	causes
)

var causeNames = [causes]string{"unknown", "exited", "signalled", "closed_by_peer", "transport_broken", "closed_by_host",
	"start_timed_out", "handshake_failed", "http_status", "session_missing", "discovery_refused", "command_missing",
	"no_common_revision", "needs_credentials", "policy_refused"}

func (c Cause) String() string { return causeNames[c] }

// MarshalText writes the cause's word.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the cause's word.
func (c *Cause) UnmarshalText(b []byte) error { return fromWord(c, causeNames[:], b, "cause") }

// Permanent reports whether the cause halts a server at whatever attempt (H1).
func (c Cause) Permanent() bool {
	switch c {
	case CommandMissing, NoCommonRevision, NeedsCredentials, PolicyRefused:
		return true
	}
	return false
}

// End is how an attempt or a connection ended: facts, and one text.
type End struct {
	Cause     Cause       `json:"cause"`
	ExitCode  Opt[int]    `json:"exit_code,omitzero"`
	Signal    redact.Safe `json:"signal,omitzero"` // killed, terminated, segmentation fault
	CloseCode Opt[int]    `json:"close_code,omitzero"`
	// OutOfMemory: the kernel says that it sent the signal for want of memory.
	OutOfMemory bool `json:"out_of_memory,omitempty"`
	// Text says what failed, redacted, for a report of an attempt that made no
	// connection and for what Exit cannot say: `dial tcp 127.0.0.1:1: connection
	// refused`, `npx not found: install Node.js, then c; searched PATH=/usr/bin`.
	Text redact.Safe `json:"text,omitzero"`
	// RetryAfter is the least wait that the server asked for (H1), 0 for none.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// How is the bracketed part of L4: `(exit code 1)`, `(signal: killed)`,
// `(killed: out of memory)`, `(close code 1011)`, `(closed by this host)`, else what was seen.
func (e End) How() redact.Safe {
	switch {
	case e.Cause == ClosedByHost && e.Text.IsZero():
		return redact.Word("(closed by this host)")
	case e.Cause == ClosedByHost:
		return redact.Sprintf("(closed by this host: %s)", e.Text)
	case e.ExitCode.Ok:
		return redact.Sprintf("(exit code %d)", redact.Int(e.ExitCode.V))
	case e.OutOfMemory:
		return redact.Sprintf("(%s: out of memory)", e.Signal)
	case !e.Signal.IsZero():
		return redact.Sprintf("(signal: %s)", e.Signal)
	case e.CloseCode.Ok && e.Text.IsZero():
		return redact.Sprintf("(close code %d)", redact.Int(e.CloseCode.V))
	case e.CloseCode.Ok:
		return redact.Sprintf("(close code %d: %s)", redact.Int(e.CloseCode.V), e.Text)
	case !e.Text.IsZero():
		return redact.Sprintf("(%s)", e.Text)
	}
	return redact.Word("(no reason was given)")
}

// Reason is why an attempt made no connection: what was seen, with how the
// process went where that says more.
func (e End) Reason() redact.Safe {
	switch how := e.How(); {
	case e.Text.IsZero(), e.CloseCode.Ok:
		return redact.Sprintf("no handshake %s", how)
	case e.ExitCode.Ok, !e.Signal.IsZero():
		return redact.Sprintf("%s %s", e.Text, how)
	}
	return e.Text
}

// AsAsked reports whether the server ended as it was asked to (H3): exit code
// 0, 129, 130 or 143, SIGTERM, SIGINT or SIGHUP, close code 1000 or 1001.
func (e End) AsAsked() bool {
	switch {
	case e.ExitCode.Ok:
		switch e.ExitCode.V {
		case 0, 129, 130, 143:
			return true
		}
	case !e.Signal.IsZero():
		switch e.Signal.String() {
		case "terminated", "interrupt", "hangup":
			return true
		}
	case e.CloseCode.Ok:
		return e.CloseCode.V == 1000 || e.CloseCode.V == 1001
	}
	return false
}

// Handshake is what a completed handshake told.
type Handshake struct {
	Revision     redact.Safe   `json:"revision"`
	Server       redact.Safe   `json:"server_info,omitzero"` // name and version
	Capabilities []redact.Safe `json:"capabilities,omitempty"`
	// Legacy says that the newest revision's discovery was not answered and
	// `initialize` was: the way that worked (T6).
	Legacy bool `json:"legacy,omitempty"`
}

// Outcome is what a probe observed (P1).
type Outcome uint8

// The outcomes of a probe.
const (
	Alive Outcome = iota
	Missing
	Broken
	TimedOut
	ProbeError
	outcomes
)

var outcomeNames = [outcomes]string{"alive", "missing", "broken", "timed out", "error"}

func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText writes the outcome's words.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the outcome's words.
func (o *Outcome) UnmarshalText(b []byte) error { return fromWord(o, outcomeNames[:], b, "outcome") }

// Probed is one probe's outcome.
type Probed struct {
	Outcome Outcome
	Elapsed time.Duration // the latency, or how long until it failed; the window for TimedOut
	// Text says what broke or which error was answered, redacted; empty for the
	// others.
	Text redact.Safe
	// End is what to make of it where it ends the connection: for Missing and
	// Broken, and for an Error whose cause halts (a 401). An Error that asks for a
	// wait (429, 503) has that in it.
	End End
}
