package ui

import (
	"crypto/rand"
	"strconv"
	"strings"

	"rollcall/model"
)

// maxAnswers is how many events are looked through at a time for answers.
const maxAnswers = 10_000

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
	for i := range orders {
		l.given++
		orders[i].ID = l.prefix + "-" + strconv.Itoa(l.given)
		l.verb = orders[i].Verb
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

// reason is an answer's text; among many it names its server, and why.
func (l *ledger) reason(e model.Event) string {
	why := e.Error.String()
	switch {
	case l.total == 1 || why == "":
		return e.Text.String()
	case strings.HasPrefix(why, e.Server):
		return why
	}
	return e.Server + ": " + why
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
	l.waiting, l.counts, l.offers = nil, nil, nil
	l.total, l.text, l.refused = 0, "", false
}

// say is the footer's line about the last orders, empty where there is none,
// and what it means.
func (l *ledger) say() (tone, string) {
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
	}
	var parts []string
	for _, r := range []model.Result{model.Done, model.Merged, model.Superseded, model.Declined} {
		if n := l.counts[r.String()]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+r.String())
		}
	}
	if n := len(l.waiting); n > 0 {
		t = active
		parts = append(parts, strconv.Itoa(n)+" not answered yet")
	}
	text := l.verb.String() + " " + several(l.total, "server")
	if len(l.waiting) > 0 {
		text = l.verb.String() + "ing " + strconv.Itoa(l.total)
	}
	text += ": " + strings.Join(parts, ", ")
	if l.refused {
		text += ": " + l.text
	}
	return t, text + l.offerText()
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
