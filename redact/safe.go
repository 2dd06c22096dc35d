package redact

import (
	"fmt"
	"strings"
)

// Safe is text that may be shown, stored and sent (R2, R3): it holds no
// configured secret, no control sequence and no invalid UTF-8. The zero value
// is the empty text. Only this package makes one out of text that came from
// outside; other packages write their own words with Word and Sprintf, which
// take constants only, so that the compiler refuses what has not been through.
type Safe struct{ s string }

// String returns the text.
func (s Safe) String() string { return s.s }

// IsZero reports whether the text is empty; encoding/json's omitzero asks it.
func (s Safe) IsZero() bool { return s.s == "" }

// MarshalText writes the text as it is.
func (s Safe) MarshalText() ([]byte, error) { return []byte(s.s), nil }

// UnmarshalText takes text from another process: it is cleaned again.
func (s *Safe) UnmarshalText(b []byte) error {
	*s = (*Redactor)(nil).Text(string(b))
	return nil
}

// literal is what only a constant converts to outside this package.
type literal string

// Word makes a Safe of one of rollcall's own constants. It is never redacted:
// a secret that happens to equal one of our words does not mutilate it.
func Word(s literal) Safe { return Safe{string(s)} }

// Name makes a Safe of an identifier: a server's, a field's, a variable's.
// What is no letter, digit, or one of "._-/@:*[]" becomes U+FFFD.
func Name(s string) Safe {
	return Safe{strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._-/@:*[]", r):
			return r
		}
		return '\uFFFD'
	}, s)}
}

// Arg is what Sprintf accepts: Safe, Int and Float.
type Arg interface{ arg() any }

func (s Safe) arg() any { return s.s }

// Int is a number in a text.
type Int int64

func (n Int) arg() any { return int64(n) }

// Float is a number in a text.
type Float float64

func (f Float) arg() any { return float64(f) }

// Sprintf composes safe text from a constant format and safe arguments.
func Sprintf(format literal, args ...Arg) Safe {
	plain := make([]any, len(args))
	for i, a := range args {
		plain[i] = a.arg()
	}
	return Safe{fmt.Sprintf(string(format), plain...)}
}

// Join joins safe texts with a constant between them.
func Join(sep literal, parts ...Safe) Safe {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(string(sep))
		}
		b.WriteString(p.s)
	}
	return Safe{b.String()}
}

// Cut returns at most n bytes of s, cut at a rune's edge, and whether it cut.
func (s Safe) Cut(n int) (Safe, bool) {
	if len(s.s) <= n {
		return s, false
	}
	for n > 0 && s.s[n]&0xC0 == 0x80 {
		n--
	}
	return Safe{s.s[:n]}, true
}

// Without returns s without a prefix, where it has it.
func (s Safe) Without(prefix Safe) Safe { return Safe{strings.TrimPrefix(s.s, prefix.s)} }

// WithoutEnd returns s without a suffix, where it has it.
func (s Safe) WithoutEnd(suffix Safe) Safe { return Safe{strings.TrimSuffix(s.s, suffix.s)} }
