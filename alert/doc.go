// Package alert makes failures known beyond the screen: failures.log, the ops
// webhook, a program of the operator's (A4, A5, A7). It reads events and
// changes nothing.
//
//	engine ──Event──▶ Log ──▶ failures.log, rotated ──▶ Read
//	engine ──Event──▶ desk ──Post──▶ queue a sink ──▶ Webhook, Exec
//	                   └──▶ alerts-….json: what is open, and what is not sent yet
//	engine ──Line───▶ Stderr ──▶ stderr/NAME.log, rotated
//
// desk is pure: events and times in, posts out; no clock, no I/O.
//
// Invariants:
//   - nothing here blocks the engine: events are taken in its listeners'
//     goroutines, what is posted waits in bounded queues;
//   - what could not be written or posted is counted, and said;
//   - a recovery is posted where an opening of its episode was, and after it; an
//     opening is posted once to each sink, over a restart too, but where its
//     answer was cut off: it bears the same id then;
//   - no write is waited for without bound: a lock may be held, a disk may hang;
//     Stderr alone waits, in its caller's own goroutine, and says so;
//   - a text says what was observed, and holds no secret: it is made of
//     redact.Safe, and of the webhook's address nothing is said but its host; what
//     a program says is cleaned of all that rollcall holds.
package alert
