// Package bus carries an engine to other processes: an embedded NATS server
// that listens on no network, behind a unix socket of the operator's own (N1).
//
//	socket ─▶ door: who is it (kernel), which version ─▶ bridge ─▶ broker ◀─ hub, as a leaf
//	broker ─ ask.VERB.WHO ───▶ Server.asked ───▶ Engine ─▶ answer, in parts, on credit
//	       ─ order.VERB.WHO ─▶ Server.ordered ─▶ Engine.Do ─▶ the event that answers
//	Engine.Next ─▶ pump: what changed ─▶ rows ─▶ Client.Next
//	Engine.Follow, FollowEvents ─▶ stream, on credit ─▶ Client.FollowLines, FollowEvents
//
// Who runs an engine takes the lock first, then serves:
//
//	lock, err := bus.Acquire(configPath) // *HeldError: one runs, and its pid
//	server, err := bus.Serve(lock, bus.Options{…})
//	…
//	server.Ended(left) // what could not be ended, to those who ordered it
//	server.Close()
//	lock.Release() // when all was reaped
//
// Who wants one dials it:
//
//	paths, err := bus.Where(configPath)
//	client, err := bus.Dial(ctx, paths.Socket, bus.DialOptions{…}) // ErrNoEngine, *RefusedError
//	fleet, err := client.Whole(ctx)                                // status
//	event, err := client.Order(ctx, order)                         // restart --wait
//	err = client.FollowLines(ctx, "github", 0, 100, print)         // logs -n 100 -f
//
// and a dashboard takes the client for its engine as it is.
//
// Invariants:
//   - one engine a configuration: the held lock says so, not the socket;
//   - who gives an order is what the kernel says of the connection; a client
//     can neither publish under another's name nor hear another's answers;
//   - who may only read has no subject to order on;
//   - an order's id is carried out once, however often it comes;
//   - changes bear the engine's instance and the snapshot they start from: a
//     client never applies one engine's to another's rows, and one that missed
//     some asks for the whole;
//   - rows are published while somebody subscribes, lines and events to those
//     who follow; what a slow follower misses is counted and said;
//   - no part of an answer or a stream is lost: a client has credit for each, and
//     one that takes nothing is told, or cut off;
//   - nothing that a client does, or does not do, delays the engine.
package bus
