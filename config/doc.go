// Package config reads servers.toml: every entry becomes a model.Spec that can
// be run, or is refused with all that is wrong with it, each problem with its
// place in the file.
//
//	servers.toml ─▶ toml.Decode ─▶ values ─┐
//	             ─▶ scan ─▶ places ────────┴▶ entryReader ─▶ model.Entry (Spec or problems)
//	environment ─▶ Env ─▶ ${NAME}, child's environment ──┘
//	env_file ─▶ dotenv ─▶ child's environment
//	a change of servers.toml or an env_file ─▶ Watch ─▶ Load ─▶ Diff with what is in force
//	another client's JSON, YAML or TOML ─▶ foreign ─▶ takeover ─▶ Import: our TOML; Load: values and places
//	all that is secret ─▶ secrets ─▶ redact.Redactor, Shown
//
// Invariants: one bad entry fails alone (C5); every problem is told, not the
// first alone (C6); no problem repeats a text of the file, only keys, numbers and
// what kind of value it was (C3), but for a command or a cwd that is not there;
// what another client's file cannot say here is noted, and Import resolves
// nothing and writes no secret (C10); the place of a problem comes from the same bytes that were decoded; a relative
// path is relative to the file's folder, wherever rollcall was started; nothing
// is started, dialled or written. A File and what it holds is immutable; every
// function may be called from any goroutine.
package config
