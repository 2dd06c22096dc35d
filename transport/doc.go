// Package transport turns a model.Spec into a live run: it launches, dials,
// shakes hands, probes, closes, and tells what it cost and how it ended.
//
//	Start ─ launch ─▶ process ─ stdout ─▶ wire ─┐
//	      └ dial ──▶ WebSocket, HTTP ───────────┴▶ session ─▶ Handshaken, Connected
//	stderr, noise ─▶ redact.Lines ─▶ Dial.Line
//	exit, end of file, close frame, time-out, Stop ─▶ close (the first wins) ─▶ Closed
//	Closed ─▶ hang up ─▶ reap the group, H2 ─▶ Reaped ─▶ Gone
//
// Invariants: events of a run come in the order of model.RunEvent; Closed and
// Reaped come exactly once, whatever happens. A session is never renewed and
// nothing is launched twice: what comes next is the caller's business. stdout
// and stderr are drained until the process group is empty. All text that
// leaves goes through the entry's redactor. Whatever was launched bears a mark
// in its environment, so that what left its process group is found too; what
// threw that away is known by its parents, or by the pipes that it holds, and
// else ends with the host that adopted it.
package transport
