package ui

import (
	"slices"
	"strings"
)

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
	doAcknowledge
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
	doLeave // the engine goes on serving
	doQuit
)

// place is where a key works.
type place uint8

const (
	inTable place = 1 << iota
	inPane
	anywhere = inTable | inPane
)

// binding is one line of the keymap. Help, footer and the README's table are
// written from it, or held to it.
type binding struct {
	name   string   // in the configuration's [ui] keys
	keys   []string // as Bubble Tea names them
	label  string   // as a person reads them
	do     action
	where  place
	help   string // empty: the line before tells of it
	footer string // the word in the footer; empty: not there
	manual string // what the README says, which has more room; empty: as help
}

// others are a binding's keys that its label leaves out, as a person reads them.
func (b *binding) others() string {
	said := strings.Fields(b.label)
	return strings.Join(slices.DeleteFunc(labelsOf(b.keys), func(l string) bool { return slices.Contains(said, l) }), " ")
}

// keymap is all keys there are (D3), in the order in which help shows them.
// [ui] keys puts other ones in their places.
type keymap []binding

var defaultKeys = keymap{
	{"up", []string{"up", "k"}, "↑ k", moveUp, anywhere, "move", "", ""},
	{"down", []string{"down", "j"}, "↓ j", moveDown, anywhere, "", "", ""},
	{"page_up", []string{"pgup", "ctrl+b"}, "PgUp", pageUp, anywhere, "move a page", "", ""},
	{"page_down", []string{"pgdown", "ctrl+f"}, "PgDn", pageDown, anywhere, "", "", ""},
	{"first", []string{"g", "home"}, "g", toFirst, anywhere, "first, last", "", "to the first, to the last"},
	{"last", []string{"G", "end"}, "G", toLast, anywhere, "", "", ""},
	{"restart", []string{"r"}, "r", doRestart, anywhere, "restart, entry read anew", "restart", "restart, its entry read anew"},
	{"disconnect", []string{"d"}, "d", doDisconnect, anywhere, "disconnect until connected", "disconnect", ""},
	{"connect", []string{"c"}, "c", doConnect, anywhere, "connect; if it waits, now", "connect", ""},
	{"acknowledge", []string{"a"}, "a", doAcknowledge, anywhere, "acknowledge that it is down", "acknowledge", "acknowledge that it is down: it leaves the header and sinks among the quiet rows until it recovers or gets worse"},
	{"reload", []string{"R"}, "R", doReload, anywhere, "reload the file; asks first", "reload", "reload the configuration: shows what it adds, changes and removes, and asks"},
	{"mark", []string{"space"}, "space", toggleMark, inTable, "mark, mark all shown", "", "mark, mark all shown: orders then mean all marked"},
	{"mark_all", []string{"*"}, "*", markShown, inTable, "", "", ""},
	{"back", []string{"esc"}, "esc", leave, anywhere, "leave search, pane, filter", "back", "leave the innermost of search, full screen, pane, marks, filter"},
	{"pane", []string{"enter", "tab"}, "enter tab", switchFocus, anywhere, "to the pane, and back", "pane", "into the pane, and back"},
	{"filter", []string{"/"}, "/", openFilter, inTable, "filter: every word must fit", "filter", "filter by name, phase, tag, text of the last failure; every word must fit"},
	{"sort", []string{"s"}, "s", cycleSort, inTable, "sort: next column, reverse", "sort", "sort by the next column, reverse"},
	{"reverse", []string{"S"}, "S", reverseSort, inTable, "", "", ""},
	{"problems", []string{"p"}, "p", cycleProblems, inTable, "problems first, then only", "problems", "problems first, then problems only"},
	{"log", []string{"1"}, "1", showLog, anywhere, "log, failures", "", ""},
	{"failures", []string{"2"}, "2", showFailures, anywhere, "", "", ""},
	{"details", []string{"3"}, "3", showDetails, anywhere, "details, history", "", ""},
	{"history", []string{"4"}, "4", showHistory, anywhere, "", "", ""},
	{"follow", []string{"f"}, "f", toggleFollow, anywhere, "follow, wrap or cut lines", "follow", "follow what arrives, wrap or cut long lines"},
	{"wrap", []string{"w"}, "w", toggleWrap, anywhere, "", "wrap", ""},
	{"search", []string{"/"}, "/", openSearch, inPane, "search; next, previous", "search", "search in the pane, next and previous match, until `esc` or another server or view"},
	{"next", []string{"n"}, "n", searchNext, inPane, "", "next", ""},
	{"previous", []string{"N"}, "N", searchPrevious, inPane, "", "", ""},
	{"copy", []string{"y"}, "y", copyLine, anywhere, "copy the line", "copy", "copy the line to the terminal's clipboard"},
	{"write", []string{"W"}, "W", savePane, anywhere, "write the pane to a file", "", "write all of the pane to a new file in the working directory"},
	{"zoom", []string{"z"}, "z", toggleZoom, anywhere, "pane full screen", "zoom", ""},
	{"grow", []string{">"}, ">", growPane, anywhere, "larger, smaller pane", "", ""},
	{"shrink", []string{"<"}, "<", shrinkPane, anywhere, "", "", ""},
	{"help", []string{"?"}, "?", openHelp, anywhere, "this page", "help", "help"},
	{"suspend", []string{"ctrl+z"}, "ctrl-z", doSuspend, anywhere, "suspend; fg comes back", "", "suspend; `fg` comes back"},
	{"leave", []string{"Q"}, "Q", doLeave, anywhere, "leave, the servers go on", "leave", "leave the servers running"},
	{"quit", []string{"q"}, "q", doQuit, anywhere, "quit", "quit", "quit, which stops the servers where this dashboard started them; again kills them; `ctrl-c` too"},
}

// with is the keymap with other keys for some actions, by name. Names that
// nobody knows change nothing: the configuration has said so.
func (m keymap) with(keys map[string][]string) keymap {
	if len(keys) == 0 {
		return m
	}
	changed := slices.Clone(m)
	for i := range changed {
		if own, ok := keys[changed[i].name]; ok {
			changed[i].keys, changed[i].label = own, labelOf(own)
		}
	}
	return changed
}

// keyLabels are keys whose name is not what a person reads.
var keyLabels = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgup": "PgUp", "pgdown": "PgDn", "home": "Home",
	"end": "End", "insert": "Ins", "delete": "Del"}

// labelOf is how a person reads keys; none is said so.
func labelOf(keys []string) string {
	if len(keys) == 0 {
		return "(none)"
	}
	return strings.Join(labelsOf(keys), " ")
}

// labelsOf is how a person reads each of some keys.
func labelsOf(keys []string) []string {
	labels := make([]string, len(keys))
	for i, k := range keys {
		mods, base := "", k
		if at := strings.LastIndexByte(k, '+'); at > 0 && at < len(k)-1 {
			mods, base = strings.ReplaceAll(k[:at+1], "+", "-"), k[at+1:]
		}
		if l, ok := keyLabels[base]; ok {
			base = l
		}
		labels[i] = mods + base
	}
	return labels
}

// lookup is the action of a key at a place.
func (m keymap) lookup(key string, at place) action {
	for i := range m {
		if m[i].where&at != 0 && slices.Contains(m[i].keys, key) {
			return m[i].do
		}
	}
	return nothing
}

// label is what a person reads of an action's keys.
func (m keymap) label(do action) string {
	for i := range m {
		if m[i].do == do {
			return m[i].label
		}
	}
	return ""
}

// Key is one action of the dashboard, for whoever describes or changes the keys.
type Key struct {
	Name            string   // in [ui] keys
	Keys            []string // that it has by default
	InTable, InPane bool     // where they work
}

// Keys are all actions and their default keys. ctrl+c quits, whatever they are.
func Keys() []Key {
	all := make([]Key, len(defaultKeys))
	for i, b := range defaultKeys {
		all[i] = Key{b.name, slices.Clone(b.keys), b.where&inTable != 0, b.where&inPane != 0}
	}
	return all
}
