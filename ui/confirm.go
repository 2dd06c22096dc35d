package ui

import (
	"strconv"
	"strings"

	"rollcall/model"
)

// question is what must be confirmed first (D4), in a line that names what
// will happen to how many.
type question struct {
	text string
	verb model.Verb
	to   []string // servers of an order

	reload *model.Reload // what is asked about is this
}

// quits reports whether it is about quitting.
func (q question) quits() bool { return q.to == nil && q.reload == nil }

// orderQuestion asks before an order for more than one server, or for one that
// is not on the screen; hidden is how many are not.
func orderQuestion(verb model.Verb, rows []*model.Row, hidden int) question {
	q := question{verb: verb}
	off := 0
	for _, r := range rows {
		q.to = append(q.to, r.Server)
		if r.Phase == model.Off {
			off++
		}
	}
	q.text = verb.String() + " " + several(len(rows), "server") + ": " + firstOf(q.to, 3)
	if verb == model.Restart && off > 0 {
		q.text += " (" + strconv.Itoa(off) + " off, skipped)"
	}
	if hidden > 0 {
		q.text += " (" + strconv.Itoa(hidden) + " not shown)"
	}
	q.text += "? y/n"
	return q
}

// quitQuestion asks before servers are stopped by quitting.
func quitQuestion(running int) question {
	return question{text: "quit and stop " + several(running, "running server") + "? y/n"}
}

// firstOf names the first n, and how many more there are: a, b, c and 4 more.
func firstOf(names []string, n int) string {
	if len(names) <= n+1 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:n], ", ") + " and " + strconv.Itoa(len(names)-n) + " more"
}

// running counts the servers that hold a process or a connection.
func running(rows []*model.Row) int {
	n := 0
	for _, r := range rows {
		if r.Phase.Runs() {
			n++
		}
	}
	return n
}
