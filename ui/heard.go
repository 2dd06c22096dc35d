package ui

import (
	"strings"
	"time"

	"rollcall/model"
)

const (
	heardFor   = 10 * time.Second // how long the footer tells of another's order
	heardAsOne = 2 * time.Second  // orders of one wish come within this of each other
)

// heard is the last order that another operator gave: several dashboards may
// look at one engine.
type heard struct {
	verb    model.Verb
	by      string
	outcome string
	servers []string
	at      time.Time // of the last one, by the engine's clock
}

// listen looks through events for orders that this dashboard (whose ids begin
// with own) did not give, and reports whether there was one.
func (h *heard) listen(events []model.Event, own string) bool {
	found := false
	for _, e := range events {
		if e.Kind != model.EvOrder || !e.Order.Ok || strings.HasPrefix(e.OrderID, own+"-") {
			continue
		}
		found = true
		next := heard{verb: e.Order.V, by: e.By.String(), outcome: e.Outcome.String(), servers: []string{e.Server}, at: e.At}
		if h.verb == next.verb && h.by == next.by && h.outcome == next.outcome && next.at.Sub(h.at) <= heardAsOne {
			next.servers = append(h.servers, e.Server)
		}
		*h = next
	}
	return found
}

// text is `restart github, by anna (pts/3), 5 s ago`, while that is news.
func (h *heard) text(now time.Time) string {
	age := now.Sub(h.at)
	if len(h.servers) == 0 || age > heardFor {
		return ""
	}
	what := h.servers[0]
	if n := len(h.servers); n > 1 {
		what = several(n, "server")
	}
	text := h.verb.String() + " " + what
	if h.outcome != model.Done.String() {
		text += " " + h.outcome
	}
	if h.by != "" {
		text += ", by " + h.by
	}
	return text + ", " + long(age) + " ago"
}
