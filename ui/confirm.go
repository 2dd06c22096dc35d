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

	head, tail, brief string // of text, around the names; brief is all of it without them

	reload *model.Reload // what is asked about is this
}

// line is the question in room cells: names are shortened, or fewer of them, so
// that the counts and the keys stay.
func (q question) line(l *look, beginning string, room int) string {
	if len(q.to) == 0 || l.width(q.text) <= room {
		return q.text
	}
	if text, ok := l.naming(q.head+": ", unsaid(q.to), q.tail, beginning, room); ok {
		return text
	}
	if text := q.head + q.tail; l.width(text) <= room {
		return text
	}
	return q.brief
}

// quits reports whether it is about quitting.
func (q question) quits() bool { return q.to == nil && q.reload == nil }

// declined says what was not done, where the answer was no yes.
func (q question) declined() string {
	switch {
	case q.quits():
		return "not quit"
	case q.reload != nil:
		return "not reloaded"
	}
	return "not " + inflected(q.verb, "ed")
}

// inflected is a verb with an ending: restarted, acknowledging.
func inflected(v model.Verb, ending string) string {
	return strings.TrimSuffix(v.String(), "e") + ending
}

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
	q.head = verb.String() + " " + several(len(rows), "server")
	var aside []string
	if verb == model.Restart && off > 0 {
		q.tail = " (" + strconv.Itoa(off) + " off, skipped)"
		aside = append(aside, strconv.Itoa(off)+" off")
	}
	if hidden > 0 {
		q.tail += " (" + strconv.Itoa(hidden) + " not shown)"
		aside = append(aside, strconv.Itoa(hidden)+" not shown")
	}
	const keys = "? y/n"
	q.tail += keys
	q.text = q.head + ": " + firstOf(q.to, maxNamed) + q.tail
	if q.brief = verb.String() + " " + strconv.Itoa(len(rows)); len(aside) > 0 {
		q.brief += " (" + strings.Join(aside, ", ") + ")"
	}
	q.brief += keys
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
