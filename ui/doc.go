// Package ui is the dashboard: what an operator sees of a fleet of servers,
// and the keys by which orders are given. It shows what an Engine says and
// never guesses: a row changes only when the engine says so (D8).
//
//	Engine.Next ──fleet──▶ feed (latest wins) ──message──▶ app.Update ──▶ table, pane, ledger
//	a key ──▶ keymap ──action──▶ app ──Order──▶ Engine.Do      (never blocks)
//	Engine.Lines, Engine.Events ◀──command── app               (outside Update)
//	Engine.Timeline, Engine.Usage ◀──command── app             (once a minute, a young one each 10 s; every 2 s while looked at)
//	Engine.Pending, Engine.Reload ◀──command── app             (R; outside Update)
//	app.View: one string, built anew only when something visible changed
//	          ──▶ Bubble Tea, at once (pace): the cells that differ go to the terminal
//
// Invariants: app, table, pane and ledger belong to Bubble Tea's own
// goroutine; nothing else touches them. Update neither blocks nor does I/O.
// Every text is measured in cells, and no line is wider than the screen. The
// terminal is restored however Run ends (D10).
package ui
