package model

import "rollcall/redact"

// Spec is one server's entry, read and validated: what to launch or dial, and
// how to supervise it. It is immutable. Two specs of the same entry are equal
// in effect exactly where their Fingerprint is.
type Spec struct {
	Name      string
	Transport Transport
	Protocol  Protocol
	// Revision pins the protocol revision to ask for; empty asks for the newest.
	Revision string

	Launch  *Launch       // nil where the server is only dialled
	URL     redact.Secret // empty for stdio
	Headers []Pair        // sent with each HTTP request, or the WebSocket's opening
	// Credentials are the variables that the headers and the url take credentials
	// from, at most four: what to set where the server wants others (D7).
	Credentials []redact.Safe

	Enabled   bool
	Reconnect bool
	Timings   Timings

	// Redactor takes this entry's secrets out of whatever the server says.
	Redactor *redact.Redactor
	// Shown is what may be shown of the entry.
	Shown *Shown
	// Fingerprint changes with every field that matters for running it.
	Fingerprint [32]byte
}

// Launch is a process to start (T1, T10).
type Launch struct {
	Path string          // as the entry has it; looked up in PATH of Env where it holds no slash
	Args []redact.Secret // each may hold a secret
	Dir  string          // empty: rollcall's own
	Env  []Pair          // the whole environment of the child
}

// Pair is a named value that may be secret: a header, a variable.
type Pair struct {
	Name  string
	Value redact.Secret
}

// Shown is what the details pane and `check` say of an entry (D6, R1).
type Shown struct {
	Command redact.Safe   `json:"command,omitzero"` // with its arguments, secrets hidden
	URL     redact.Safe   `json:"url,omitzero"`     // without userinfo, query values hidden
	Dir     redact.Safe   `json:"cwd,omitzero"`
	Env     []redact.Safe `json:"env,omitempty"`     // names that the entry declares
	Headers []redact.Safe `json:"headers,omitempty"` // names
	Secrets []Judged      `json:"secrets,omitempty"` // what is treated as secret (R1)
	Open    []Judged      `json:"open,omitempty"`    // what stands where secrets do, and is shown as it is
	Tags    []redact.Safe `json:"tags,omitempty"`
	Timings Timings       `json:"timings"`

	// Reconnect says whether an end is followed by another attempt (H3).
	Reconnect bool `json:"reconnect"`
}

// Judged is the name of a configured value, and why that is a secret or none.
type Judged struct {
	Name redact.Safe `json:"name"`
	Why  redact.Safe `json:"why"`
}

// Entry is one entry of the configuration as it was read: with a Spec, or
// refused. Problems may hold warnings beside a Spec.
type Entry struct {
	Name     string
	Spec     *Spec // nil where the entry was refused
	Problems []Problem
	// Redactor takes out what is secret of a refused entry, as far as that was read;
	// nil beside a Spec, which has its own.
	Redactor *redact.Redactor
	// Known is what could be read of a refused entry; nil beside a Spec.
	Known *Known
}

// Tags are the entry's tags, those of a refused one as far as they could be read.
func (e Entry) Tags() []redact.Safe {
	switch {
	case e.Spec != nil:
		return e.Spec.Shown.Tags
	case e.Known != nil:
		return e.Known.Tags
	}
	return nil
}

// Known is what is known of an entry that was refused: how its server would be
// reached, and its tags, so that its row is found by them.
type Known struct {
	Transport Opt[Transport] `json:"transport,omitzero"`
	Tags      []redact.Safe  `json:"tags,omitempty"`
}

// Problem is one thing that is wrong with a configuration (C6).
type Problem struct {
	Warning bool        `json:"warning,omitempty"` // false: an error
	Server  string      `json:"server,omitempty"`
	Field   string      `json:"field,omitempty"` // reconnect_interval, env.TOKEN, args[2]
	File    redact.Safe `json:"file,omitzero"`
	Line    int         `json:"line,omitempty"`    // from 1; 0 where unknown
	Column  int         `json:"column,omitempty"`  // from 1, in characters
	Caret   int         `json:"caret,omitempty"`   // the column under which the caret goes in Excerpt, from 1
	Width   int         `json:"width,omitempty"`   // of the caret, in characters; at least 1
	Excerpt redact.Safe `json:"excerpt,omitzero"`  // the line, every string value masked
	Text    redact.Safe `json:"text"`              // what is wrong
	Hint    redact.Safe `json:"hint,omitzero"`     // what to do
	Inherit []string    `json:"refuses,omitempty"` // servers that a bad [defaults] refuses
}
