// Package redact takes secrets and control sequences out of text. It is the
// only place that does; whatever a server, a file or an error says goes through
// it before it is stored, drawn or sent (R1, R2, R3, T3).
//
//	reads ──Lines──▶ one line ──stripper──▶ plain text
//	                                         │ as it is, and with its escapes undone
//	                                         ▼
//	                    table (configured secrets), patterns (what looks like one)
//	                                         │ spans, merged where they overlap
//	                                         ▼
//	                     apply: ‹NAME› for each span ──again until none──▶ Safe
//
// Invariants:
//
//   - A Safe holds no control character, no formatting character (bidi,
//     zero-width) and no invalid UTF-8.
//   - A Safe holds no form of a configured secret: plain, URL-encoded,
//     JSON-escaped, base64 in each alignment, hex. Only within a mark of ours,
//     ‹NAME›, does a field's name stand even where it equals a secret.
//   - Control sequences go first, so that a secret coloured in its middle is
//     found; cutting comes last, so that no cut hides one.
//   - Cleaning clean text changes nothing, to the byte.
//   - Secret gives its value to Reveal alone.
//   - Memory is bounded: a Lines holds at most some 24 KiB, whatever it is fed.
//
// What a server does on purpose is out of reach: one that prints its secret
// backwards is not caught. The rules are against accidents.
package redact
