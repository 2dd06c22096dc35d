// Package metrics is the fleet in numbers, for Prometheus, and a page that says
// whether the engine's loop answers.
//
//	supervise ──Fleet──▶ Follow ──the newest──┐
//	supervise ──Event──▶ Observe ──counts──┐  │
//	supervise ◀──Health── at each scrape ──┴──┴──▶ Collect ──▶ /metrics
//	supervise ◀──Health── at each request ───────▶ /healthz
//
// Invariants: a label holds a server's name, a word of SPEC.md or rollcall's
// own version, and no text that a server, a file or an error said, so that no
// secret can be in one (R2) and the number of series is bounded; a server that
// is not in the fleet has no series; what the engine's loop did not confirm
// within a second is not shown as if it were so.
package metrics
