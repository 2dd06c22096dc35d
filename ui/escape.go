package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// escapeTime is how soon after an escape a key may come to be read as one with
// alt: a terminal sends both alike.
const escapeTime = 50 * time.Millisecond

// escaped takes a key with alt that means nothing by itself. It may have been
// esc, and a key right after it. Where that key opens a line to type into, it is
// taken so: what follows is text. Else nothing is done, and what comes with it, as
// from a line that was pasted or a link that was slow, is no order either (D4): it
// was typed by somebody who had something else before them.
func (a *app) escaped(msg tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	typing := a.mode == filtering || a.mode == searching
	if msg.Mod&tea.ModAlt == 0 || a.keys.lookup(msg.String(), a.focus) != nothing {
		if typing || msg.Mod&tea.ModCtrl != 0 || !a.now().Before(a.deaf) {
			return nil, false
		}
		a.deaf = a.now().Add(escapeTime)
		return nil, true
	}
	if !typing {
		msg.Mod &^= tea.ModAlt
		switch do := a.keys.lookup(msg.String(), a.focus); {
		case do == openFilter || do == openSearch:
			return tea.Sequence(a.key(tea.KeyPressMsg{Code: tea.KeyEscape}), a.key(msg)), true
		}
		a.deaf = a.now().Add(escapeTime)
	}
	return nil, true
}
