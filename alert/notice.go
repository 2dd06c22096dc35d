package alert

import (
	"slices"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	// gatherFor is how long what is posted at once waits for others of its class:
	// each that comes has it wait so long again, up to outageSpan.
	gatherFor  = 2 * time.Second
	outageSpan = 30 * time.Second
	outageSize = 20 // servers within outageSpan are one post
)

// notice is one thing to be said of one server.
type notice struct {
	Server  string                  `json:"server"`
	Kind    model.Kind              `json:"event"`
	At      time.Time               `json:"at"` // when it happened
	Since   time.Time               `json:"since,omitzero"`
	Due     time.Time               `json:"due"`                 // when A5 has it posted
	NotYet  time.Time               `json:"not_yet,omitzero"`    // held back until then
	Attempt model.Opt[int]          `json:"attempt,omitzero"`    // of the last alert
	Error   redact.Safe             `json:"error,omitzero"`      // likewise
	Elapsed model.Opt[model.Millis] `json:"elapsed_ms,omitzero"` // how long the episode was open
	// Unknown: nobody saw how the episode ended.
	Unknown bool `json:"unknown,omitempty"`
	// HeldBack is how many openings were held back since the last, this one
	// included; known once it is posted.
	HeldBack int `json:"held_back,omitempty"`
	// Owed are the kinds of the sinks that did not get it before a restart; nil:
	// none of them did.
	Owed []string `json:"owed,omitempty"`
}

// owedTo reports whether it is for a sink of a kind.
func (n notice) owedTo(kind string) bool { return n.Owed == nil || slices.Contains(n.Owed, kind) }

// ready is the earliest time at which it may be posted.
func (n notice) ready() time.Time {
	return later(n.Due, n.NotYet)
}

// gathers reports whether it waits for others of its class. Those that are down
// have waited for a minute, and all that will be posted with them is known.
func (n notice) gathers() bool { return n.Kind != model.EvDown }

// class is what is posted together where it comes in great number.
type class uint8

const (
	openings class = iota
	recoveries
	withdrawals
	losses // unsteady
	classes
)

func classOf(k model.Kind) class {
	switch k {
	case model.EvRecovered:
		return recoveries
	case model.EvWithdrawn:
		return withdrawals
	case model.EvUnsteady:
		return losses
	}
	return openings
}

// line is the notices of one class, in the order in which they are ready.
type line []notice

func (l line) add(n notice) line {
	i, _ := slices.BinarySearchFunc(l, n, func(a, b notice) int {
		if a.ready().After(b.ready()) {
			return 1
		}
		return -1 // behind those that are ready at the same time
	})
	return slices.Insert(l, i, n)
}

// departure is what of a line leaves next: n notices from an index on.
type departure struct {
	at       time.Time
	from, n  int
	together bool // as one post: outageSize or more came within outageSpan
}

// next says what leaves next. The line is not empty.
func (l line) next() departure {
	first := l[0].ready()
	limit := first.Add(outageSpan)
	n, single := 0, -1      // single: the first that waits for nobody
	gathered := time.Time{} // when those that gather have waited enough
	for n < len(l) && !l[n].ready().After(limit) {
		if l[n].gathers() {
			gathered = earlier(l[n].ready().Add(gatherFor), limit)
		} else if single < 0 {
			single = n
		}
		n++
	}
	switch {
	case n >= outageSize:
		return departure{at: later(l[n-1].ready(), gathered), n: n, together: true}
	case single >= 0 && (gathered.IsZero() || l[single].ready().Before(gathered)):
		return departure{at: l[single].ready(), from: single, n: 1}
	}
	return departure{at: gathered, from: l.firstGathering(), n: 1}
}

func (l line) firstGathering() int { return slices.IndexFunc(l, notice.gathers) }

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
