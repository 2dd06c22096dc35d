package ui

// action is what a key asks for.
type action uint8

const (
	nothing action = iota
	moveUp
	moveDown
	pageUp
	pageDown
	toFirst
	toLast
	doRestart
	doDisconnect
	doConnect
	doReload
	toggleMark
	markShown
	leave // esc: the innermost thing that can be left
	openFilter
	cycleSort
	reverseSort
	cycleProblems
	switchFocus
	showLog
	showFailures
	showDetails
	showHistory
	toggleFollow
	toggleWrap
	openSearch
	searchNext
	searchPrevious
	copyLine
	savePane
	toggleZoom
	growPane
	shrinkPane
	openHelp
	doSuspend
	doQuit
)

// place is where a key works.
type place uint8

const (
	inTable place = 1 << iota
	inPane
	anywhere = inTable | inPane
)

// binding is one line of the keymap. Help and footer are written from it.
type binding struct {
	keys   []string // as Bubble Tea names them
	label  string   // as a person reads them
	do     action
	where  place
	help   string // empty: the line before tells of it
	footer string // the word in the footer; empty: not there
}

// keymap is all keys there are (D3), in the order in which help shows them.
var keymap = []binding{
	{[]string{"up", "k"}, "↑ k", moveUp, anywhere, "move", ""},
	{[]string{"down", "j"}, "↓ j", moveDown, anywhere, "", ""},
	{[]string{"pgup", "ctrl+b"}, "PgUp", pageUp, anywhere, "move by a page", ""},
	{[]string{"pgdown", "ctrl+f"}, "PgDn", pageDown, anywhere, "", ""},
	{[]string{"g", "home"}, "g", toFirst, anywhere, "first, last", ""},
	{[]string{"G", "end"}, "G", toLast, anywhere, "", ""},
	{[]string{"r"}, "r", doRestart, anywhere, "restart, entry read anew", "restart"},
	{[]string{"d"}, "d", doDisconnect, anywhere, "disconnect until connected", "disconnect"},
	{[]string{"c"}, "c", doConnect, anywhere, "connect; if it waits, now", "connect"},
	{[]string{"R"}, "R", doReload, anywhere, "reload the file: shows, asks", "reload"},
	{[]string{"space"}, "space", toggleMark, inTable, "mark; r d c mean all marked", ""},
	{[]string{"*"}, "*", markShown, inTable, "mark all shown", ""},
	{[]string{"esc"}, "esc", leave, anywhere, "leave pane, marks, filter", "back"},
	{[]string{"enter", "tab"}, "tab", switchFocus, anywhere, "to the pane, and back", "pane"},
	{[]string{"/"}, "/", openFilter, inTable, "filter name, phase, tag, why", "filter"},
	{[]string{"s"}, "s", cycleSort, inTable, "sort by the next column", "sort"},
	{[]string{"S"}, "S", reverseSort, inTable, "reverse the order", ""},
	{[]string{"p"}, "p", cycleProblems, inTable, "problems first, then only", "problems"},
	{[]string{"1"}, "1", showLog, anywhere, "log failures details history", ""},
	{[]string{"2"}, "2", showFailures, anywhere, "", ""},
	{[]string{"3"}, "3", showDetails, anywhere, "", ""},
	{[]string{"4"}, "4", showHistory, anywhere, "", ""},
	{[]string{"f"}, "f", toggleFollow, anywhere, "follow what arrives", "follow"},
	{[]string{"w"}, "w", toggleWrap, anywhere, "wrap or cut long lines", "wrap"},
	{[]string{"/"}, "/", openSearch, inPane, "search in the pane", "search"},
	{[]string{"n"}, "n", searchNext, inPane, "next, previous match", "next"},
	{[]string{"N"}, "N", searchPrevious, inPane, "", ""},
	{[]string{"y"}, "y", copyLine, anywhere, "copy the line", "copy"},
	{[]string{"W"}, "W", savePane, anywhere, "write the pane to a file", ""},
	{[]string{"z"}, "z", toggleZoom, anywhere, "pane full screen", "zoom"},
	{[]string{">"}, ">", growPane, anywhere, "larger, smaller pane", ""},
	{[]string{"<"}, "<", shrinkPane, anywhere, "", ""},
	{[]string{"?"}, "?", openHelp, anywhere, "this page", "help"},
	{[]string{"ctrl+z"}, "ctrl-z", doSuspend, anywhere, "suspend; fg comes back", ""},
	{[]string{"q", "ctrl+c"}, "q", doQuit, anywhere, "quit", "quit"},
}

// lookup is the action of a key at a place.
func lookup(key string, at place) action {
	for i := range keymap {
		if keymap[i].where&at == 0 {
			continue
		}
		for _, k := range keymap[i].keys {
			if k == key {
				return keymap[i].do
			}
		}
	}
	return nothing
}
