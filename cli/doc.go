// Package cli is what a person types: one file a command. It wires the rooms
// together; each of them knows only what it declares.
//
//	config ──entries──▶ deck ──▶ supervise.Engine ◀──▶ ui, serve
//	config.Watch, R, SIGHUP ──▶ reloader ──Configure──┘
//	                      ├─ transport.Host.Start, config.Entries.Read, state file
//	                      ├─ outlets: failures.log, webhook, exec, stderr on disk
//	                      └─ carry ──▶ bus ◀── reach: attach, status, logs, orders
//
// Invariants: an error goes to stderr as `rollcall: what failed: why`; exit 2
// is wrong usage, 1 a failure (X4), 3 no engine (N3); nothing is launched without
// the configuration's lock (N1); whoever starts an engine waits until it has
// reaped everything, and names what it could not (X2); all text from outside is
// redacted before it is printed (R2).
package cli
