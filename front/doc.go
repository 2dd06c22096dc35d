// Package front keeps a terminal's job apart from the engine that the dashboard
// holds, so that the engine can outlive the terminal (N6).
//
//	shell ──▶ front ── starts ──▶ the same program: engine and screen
//	          front ── "signal 15", "resume" ──▶ Link
//	          front ◀── "released", "left" ── Link
//
// The two are in one session and one process group, which the front leads: the
// engine can leave both, and the shell that waits for the front gets its prompt
// back when the front ends. ctrl-z stops the front alone.
//
// Invariants: where the front dies the engine is told at once (Link.Gone), and
// stops everything (T1). Where the engine dies the front puts the terminal back,
// waits until what the engine left behind is gone, and says what happened (D10).
// A signal that both of them got counts once (X2). The front knows no more than
// its arguments and its environment; it reads no configuration.
package front
