package bus

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Protocol is the number of what is spoken here. Two ends with different
// numbers do not talk.
const Protocol = 2

const (
	maxPayload  = 1 << 20   // a message on the bus, in bytes
	partSize    = 256 << 10 // an answer is cut into parts of this size
	greetLimit  = 4 << 10   // the first line on a socket
	idLimit     = 128       // an order's id
	serverLimit = 256       // a server's name
	beatEvery   = 5 * time.Second
	// MaxKept is how many lines or events an answer holds, and a stream at its
	// begin: more than an engine keeps.
	MaxKept = 20_000
	// Silent is how long an engine may say nothing before it counts as silent (N4).
	Silent = 15 * time.Second
)

// greeting is the first line on a socket, from the client.
type greeting struct {
	Protocol int         `json:"protocol"`
	Version  redact.Safe `json:"version"`
	ReadOnly bool        `json:"read_only,omitempty"`
}

// Hello is what an engine says of itself when somebody connects.
type Hello struct {
	Protocol int         `json:"protocol"`
	Version  redact.Safe `json:"version"` // of rollcall
	Host     redact.Safe `json:"host"`
	Config   redact.Safe `json:"config"`   // the configuration's path
	Instance string      `json:"instance"` // another one for each start of an engine
	PID      int         `json:"pid"`
	Started  time.Time   `json:"started"`
	You      redact.Safe `json:"you"` // who the client is: anna (pts/3)
}

// welcome is the answer to a greeting, one line too.
type welcome struct {
	Hello
	Refused redact.Safe `json:"refused,omitzero"` // why nothing follows
	Who     string      `json:"who,omitempty"`
	Pass    string      `json:"pass,omitempty"`
	Prefix  string      `json:"prefix,omitempty"` // of the subjects
	Bye     redact.Safe `json:"bye,omitzero"`     // as in farewell: it is being stopped already
}

// question is what a client asks for.
type question struct {
	Server string `json:"server,omitempty"`
	After  uint64 `json:"after,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	ID     string `json:"id,omitempty"` // of a stream
}

var (
	errHostile = errors.New("the request cannot be read")
	errName    = errors.New("no server can have such a name: 1 to 64 of A–Z a–z 0–9 . _ -")
)

// decodeQuestion reads what may have come from anybody.
func decodeQuestion(b []byte) (question, error) {
	var q question
	if len(b) > 0 {
		if err := json.Unmarshal(b, &q); err != nil {
			return question{}, errHostile
		}
	}
	if len(q.Server) > serverLimit || len(q.ID) > idLimit || q.Limit < 0 {
		return question{}, errHostile
	}
	q.Limit = min(q.Limit, MaxKept)
	return q, nil
}

// decodeOrder reads an order that may have come from anybody.
func decodeOrder(b []byte) (model.Order, error) {
	var o model.Order
	if err := json.Unmarshal(b, &o); err != nil {
		return model.Order{}, errHostile
	}
	if o.ID == "" || len(o.ID) > idLimit {
		return model.Order{}, errHostile
	}
	if !isName(o.Server) {
		return model.Order{}, errName
	}
	return o, nil
}

// nameLimit is the longest name of a server (C1).
const nameLimit = 64

// isName reports whether a server may have a name (C1). Events bear an order's
// name as it came: so nothing else gets in (R3).
func isName(s string) bool {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._-", r):
		default:
			return false
		}
	}
	return s != "" && len(s) <= nameLimit
}

// delta is what changed between two snapshots: whole rows, so that it is good
// for every snapshot from From on.
type delta struct {
	Instance string       `json:"instance"`
	From     uint64       `json:"from"`
	Head     model.Fleet  `json:"head"`            // as it is now, without its rows
	Names    []string     `json:"names,omitempty"` // all rows in their order, where that changed
	Rows     []*model.Row `json:"rows,omitempty"`  // those that changed
	// Ask: too much changed for one message.
	Ask bool `json:"ask,omitempty"`
}

// beat says that an engine's loop answered.
type beat struct {
	Instance string       `json:"instance"`
	Seq      uint64       `json:"seq"` // of the newest snapshot that was published
	Health   model.Health `json:"health"`
}

// reloaded answers a reload.
type reloaded struct {
	Did model.Reload `json:"did"`
	Ok  bool         `json:"ok"`
}

// An answer's parts, and a stream's, start with one of these.
const (
	partMore  = 'm' // more parts follow
	partLast  = 'e'
	partError = 'x' // what follows says why there is none
)

// readLine reads one JSON line of at most greetLimit bytes.
func readLine(r *bufio.Reader, v any) error {
	var line []byte
	for {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) && len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return err
		case c == '\n':
			if json.Unmarshal(line, v) != nil {
				return errHostile
			}
			return nil
		case len(line) == greetLimit:
			return fmt.Errorf("the first line is longer than %d bytes", greetLimit)
		}
		line = append(line, c)
	}
}

func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
