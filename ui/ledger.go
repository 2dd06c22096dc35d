package ui

import (
	"crypto/rand"
	"strconv"
	"strings"

	"rollcall/model"
)

// maxAnswers is how many events are looked through at a time for answers.
const maxAnswers = 10_000

// leftOff is the engine's reason for a bulk restart that leaves a server off, as
// it was told to: skipped, and no refusal.
const (
	leftOff = "it is off: an order for many leaves it off"
	skipped = "skipped"
)

// ledger knows which orders were given last and what the engine answered. It
// shows answers, and changes no row (D8).
type ledger struct {
	prefix   string // makes ids unique among dashboards of one engine
	given    int
	after    uint64 // events up to here were looked through
	ready    bool   // after is known
	fetching bool

	verb    model.Verb
	waiting map[string]model.Order // by id: given and not answered
	ids     []string               // of all of them, as they were given
	total   int
	counts  map[string]int // by the word of the result
	text    string         // the last answer, a refusal before anything else
	refused bool
	offers  []model.Order // refused, but the entry in force would do (O2)
}

func newLedger() ledger { return ledger{prefix: rand.Text()[:10]} }

// give makes the orders of one wish. What was given before is forgotten, but
// stays in force: the engine answers each, the screen shows the latest.
func (l *ledger) give(base model.Order, verb model.Verb, servers []string) []model.Order {
	orders := make([]model.Order, len(servers))
	for i, s := range servers {
		o := base
		o.Verb, o.Server, o.Bulk = verb, s, len(servers) > 1
		orders[i] = o
	}
	return l.again(orders)
}

// again gives orders new ids and waits for their answers.
func (l *ledger) again(orders []model.Order) []model.Order {
	l.clear()
	l.waiting, l.counts, l.total = map[string]model.Order{}, map[string]int{}, len(orders)
	l.ids = make([]string, len(orders))
	for i := range orders {
		l.given++
		orders[i].ID = l.prefix + "-" + strconv.Itoa(l.given)
		l.verb, l.ids[i] = orders[i].Verb, orders[i].ID
		l.waiting[orders[i].ID] = orders[i]
	}
	return orders
}

// read looks through events for answers and reports whether there was one.
func (l *ledger) read(events []model.Event) bool {
	found := false
	for _, e := range events {
		l.after = max(l.after, e.Seq)
		o, ours := l.waiting[e.OrderID]
		if e.Kind != model.EvOrder || !ours {
			continue
		}
		found = true
		delete(l.waiting, e.OrderID)
		result := e.Outcome.String()
		if o.Bulk && e.Error.String() == leftOff {
			result = skipped
		}
		l.counts[result]++
		declined := result == model.Declined.String()
		if declined || !l.refused {
			l.text, l.refused = l.reason(e), declined
		}
		if declined && e.Elsewhere {
			o.InForce = true
			l.offers = append(l.offers, o)
		}
	}
	return found
}

// reason is an answer's text; among many it names its server, and why. It names
// the server once: what was refused is what the footer's end would else cut.
func (l *ledger) reason(e model.Event) string {
	why := unnamed(e.Error.String(), e.Server)
	switch {
	case l.total == 1 || why == "":
		return unnamed(e.Text.String(), e.Server)
	case strings.HasPrefix(why, e.Server):
		return why
	}
	return e.Server + ": " + why
}

// unnamed is a text without the words that say which server it is about.
func unnamed(s, server string) string {
	for _, joint := range []string{": ", " is ", " "} {
		if before, after, ok := strings.Cut(s, "server "+server+joint); ok {
			return before + after
		}
	}
	return s
}

// offer is what the key y does now: the orders to give again, nil for none.
func (l *ledger) offer() []model.Order {
	if len(l.waiting) > 0 {
		return nil
	}
	return l.offers
}

// clear forgets what was answered.
func (l *ledger) clear() {
	l.waiting, l.ids, l.counts, l.offers = nil, nil, nil, nil
	l.total, l.text, l.refused = 0, "", false
}

// say is the footer's line about the last orders in room cells, empty where there
// is none, and what it means. Beginning is what is left out of long names.
func (l *ledger) say(look *look, beginning string, room int) (tone, string) {
	t := note
	if l.refused {
		t = bad
	}
	switch {
	case l.total == 0:
		return note, ""
	case l.total == 1 && l.text == "":
		for _, o := range l.waiting {
			return active, o.Verb.String() + " " + o.Server + ": given, not answered yet"
		}
	case l.total == 1:
		return t, l.text + l.offerText()
	case len(l.waiting) > 0:
		return active, l.progress(look, beginning, room)
	}
	text := l.verb.String() + " " + several(l.total, "server") + ": " + l.tally()
	if l.refused {
		text += ": " + l.text
	}
	return t, text + l.offerText()
}

// tally counts the answers by their results: `6 done, 3 skipped (off)`.
func (l *ledger) tally() string {
	var parts []string
	for _, r := range []model.Result{model.Done, model.Merged, model.Superseded, model.Declined} {
		if n := l.counts[r.String()]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+r.String())
		}
	}
	if n := l.counts[skipped]; n > 0 {
		parts = append(parts, strconv.Itoa(n)+" "+skipped+" (off)")
	}
	return strings.Join(parts, ", ")
}

// minReason is how many cells of a refusal are worth a place among what is still
// waited for.
const minReason = 16

// progress says how far an order for many has come, and for whom it waits:
// `restarting 40: 36 done, waiting for a, b, c and 1 more`. What was refused so
// far stands where there is room for it.
func (l *ledger) progress(look *look, beginning string, room int) string {
	head := inflected(l.verb, "ing") + " " + strconv.Itoa(l.total) + ": "
	tally := l.tally()
	joint := ""
	if tally != "" {
		joint = ", "
	}
	who := make([]named, len(l.waiting))
	n := 0
	for _, id := range l.ids {
		if o, waits := l.waiting[id]; waits {
			who[n].name = o.Server
			if n++; n > maxNamed { // nobody reads the others
				break
			}
		}
	}
	text, ok := look.naming(head+tally+joint+"waiting for ", who, "", beginning, room)
	if !ok {
		return head + tally + joint + strconv.Itoa(len(l.waiting)) + " not answered"
	}
	if spare := room - look.width(text) - len(" ()"); l.refused && spare >= minReason {
		text = head + tally + " (" + look.cut(l.text, spare) + ")" + strings.TrimPrefix(text, head+tally)
	}
	return text
}

// offerText is O2's offer.
func (l *ledger) offerText() string {
	if len(l.offer()) == 0 {
		return ""
	}
	if n := len(l.offers); n > 1 {
		return "  y: " + l.verb.String() + " " + several(n, "server") + " with the entries in force"
	}
	return "  y: " + l.verb.String() + " with the entry in force"
}
