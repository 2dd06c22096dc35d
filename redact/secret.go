package redact

import (
	"fmt"
	"io"
)

// Secret is a configured value that must never be shown (R1). However it is
// printed, formatted or marshalled, it says ‹secret›. Reveal alone gives it up,
// and is called where it is used: for a child's environment, a header, a URL.
//
// Two secrets of equal value are not ==, but reflect.DeepEqual holds.
type Secret struct {
	// v is a pointer because fmt reads the unexported fields of a struct by
	// reflection, past all methods: it then prints an address, not the value.
	v *string
}

const hidden = "‹secret›"

// NewSecret wraps a value. The empty value gives the zero Secret.
func NewSecret(v string) Secret {
	if v == "" {
		return Secret{}
	}
	return Secret{&v}
}

// Reveal returns the value, for the one who must send it.
func (s Secret) Reveal() string {
	if s.v == nil {
		return ""
	}
	return *s.v
}

// IsZero reports whether the value is empty.
func (s Secret) IsZero() bool { return s.v == nil }

// String hides the value.
func (s Secret) String() string { return hidden }

// GoString hides the value.
func (s Secret) GoString() string { return hidden }

// Format hides the value, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText hides the value.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
