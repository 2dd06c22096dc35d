package model

import "rollcall/redact"

// Verb is what an operator orders (O1).
type Verb uint8

// The orders.
const (
	Connect Verb = iota
	Disconnect
	Restart
	// Acknowledge: its open episode is known. It changes no phase, is answered at
	// once, and replaces no order that waits.
	Acknowledge
)

var verbNames = []string{"connect", "disconnect", "restart", "acknowledge"}

func (v Verb) String() string { return verbNames[v] }

// Word is the verb as safe text.
func (v Verb) Word() redact.Safe { return redact.Name(verbNames[v]) }

// MarshalText writes the verb.
func (v Verb) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the verb.
func (v *Verb) UnmarshalText(b []byte) error { return fromWord(v, verbNames, b, "order") }

// Order is an operator's order for one server. An order for several is one
// Order each, with Bulk set.
type Order struct {
	ID     string      `json:"order_id"` // unique; the answer bears it
	Verb   Verb        `json:"order"`
	Server string      `json:"server"`
	By     redact.Safe `json:"by,omitzero"` // who gave it: anna (pts/3)
	// Bulk: one of an order for many; a restart then skips a server that is off.
	Bulk bool `json:"bulk,omitempty"`
	// InForce: do not read the entry anew, use the one in force (O2: offered
	// where the file is broken elsewhere).
	InForce bool `json:"in_force,omitempty"`
}

// Result is what became of an order (O1).
type Result uint8

// The results. Done: it was carried out (a connect or restart: the attempt is
// queued; a disconnect: off).
const (
	Done Result = iota
	Declined
	Merged
	Superseded
	results
)

var resultNames = [results]string{"done", "refused", "merged", "superseded"}

func (r Result) String() string { return resultNames[r] }

// Refusal says why an entry could not be read for an order (O2).
type Refusal struct {
	Field string      // the server's field, empty where the file is broken elsewhere
	Text  redact.Safe // names server and field, and what to do
	// Elsewhere: the file is broken outside this entry; the entry in force may
	// be used instead.
	Elsewhere bool
}
