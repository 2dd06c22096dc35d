// Package supervise decides what happens next to each server, and makes it
// happen.
//
//	Do, Configure ─┐
//	transport ─────┼─▶ mailbox ─▶ step ─▶ perform ─▶ publish ─▶ Next
//	timers ────────┘                └─▶ tell ─▶ history, tail, listeners, followers
//
// step is pure: a state and an event in, the next state and effects out; no
// I/O, no clock, no randomness. One loop, Engine.Run, owns all state and
// performs the effects. Whatever blocks (reading an entry, a probe) runs in a
// goroutine of its own and comes back as an event. Lines never enter the step:
// they go from the transport to a server's tail, and to who follows it.
//
// Invariants:
//   - a server's phase changes in step and nowhere else;
//   - a run is dialled only when the one before was reaped, and what bears an
//     old run, ticket or token is dropped;
//   - an end is counted once, at the instant it was seen; what follows is
//     scheduled before it is told (L5);
//   - no timer is set beyond model.MaxTimer (B3);
//   - each order is answered once (O1);
//   - nothing that a listener, a follower, a store or a reader of snapshots does
//     delays the loop.
package supervise
