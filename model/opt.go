package model

import "encoding/json"

// Opt is a value that may be absent. With `json:",omitzero"` an absent one
// has no key; a present zero has.
type Opt[T any] struct {
	V  T
	Ok bool
}

// Some is a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// IsZero reports absence; encoding/json's omitzero asks it.
func (o Opt[T]) IsZero() bool { return !o.Ok }

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.Ok {
		return []byte("null"), nil
	}
	return json.Marshal(o.V)
}

// UnmarshalJSON reads a value; null is absence.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*o = Opt[T]{}
		return nil
	}
	o.Ok = true
	return json.Unmarshal(b, &o.V)
}
