// Package demo holds small MCP and MCPL servers that behave and misbehave, for
// the example configuration and the tests. It speaks JSON-RPC by hand, so that
// it can also say what no library would.
//
//	rollcall demo NAME [flags] ─▶ behaviour: NAME's, changed by flags
//	stdin, WebSocket, POST ─▶ conn.handle ─▶ stdout, WebSocket, response
//	what it would log ─▶ stderr
//
// Invariants: without flags that say otherwise a server exits 0 at stdin's end;
// it listens on loopback only unless told an address; it writes nothing to the
// file system.
package demo
