package ui

import (
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// heardFor is how long the footer tells of another's order.
const heardFor = 10 * time.Second

// heard is the last order that another operator gave: several dashboards may
// look at one engine. As long as it is shown, what the same one orders of the
// same kind is counted with it: an order for many is answered as its servers
// stop, one after another.
type heard struct {
	verb    model.Verb
	by      string
	servers []string          // in the order of their answers
	outcome map[string]string // of each server, the last
	at      time.Time         // of the last one, by the engine's clock
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
		if by := e.By.String(); h.verb != e.Order.V || h.by != by || e.At.Sub(h.at) > heardFor {
			*h = heard{verb: e.Order.V, by: by, outcome: map[string]string{}}
		}
		if h.outcome[e.Server] == "" {
			h.servers = append(h.servers, e.Server)
		}
		h.outcome[e.Server], h.at = e.Outcome.String(), e.At
	}
	return found
}

// text is `restart github, by anna (pts/3), 5 s ago`, while that is news.
func (h *heard) text(now time.Time) string {
	age := now.Sub(h.at)
	if len(h.servers) == 0 || age > heardFor {
		return ""
	}
	text := h.verb.String() + " " + h.servers[0] + h.outcomes()
	if n := len(h.servers); n > 1 {
		text = h.verb.String() + " " + several(n, "server") + h.outcomes()
	}
	if h.by != "" {
		text += ", by " + h.by
	}
	return text + ", " + long(age) + " ago"
}

// outcomes is how many had which outcome, `: 11 done, 1 refused`, and nothing
// where all was done; of one order the word alone.
func (h *heard) outcomes() string {
	counts := map[string]int{}
	for _, o := range h.outcome {
		counts[o]++
	}
	done := model.Done.String()
	if counts[done] == len(h.outcome) {
		return ""
	}
	var parts []string
	for _, r := range []model.Result{model.Done, model.Merged, model.Superseded, model.Declined} {
		switch n := counts[r.String()]; {
		case n == 0:
		case len(h.outcome) == 1:
			return " " + r.String()
		default:
			parts = append(parts, strconv.Itoa(n)+" "+r.String())
		}
	}
	return ": " + strings.Join(parts, ", ")
}
