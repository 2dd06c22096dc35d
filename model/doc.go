// Package model holds what is true: the values that the rooms exchange, their
// names and their text. No goroutine, no clock, no I/O.
//
//	config ──Entry──▶ supervise ──Fleet, Line──▶ ui, serve
//	transport ──End, Probed, Handshake──▶ supervise ──Event──▶ alert, ui, serve
//	ui ──Order──▶ supervise
//
// Invariants: every text is redact.Safe; a value is immutable once handed
// over; each marshals to JSON with the words of SPEC.md in snake_case, so that
// an engine in another process can be read as if it were here.
package model
