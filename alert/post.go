package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"rollcall/model"
	"rollcall/redact"
)

const (
	maxText    = 500  // characters of a message (A5)
	maxServers = 1000 // servers that a post's JSON lists; the others are counted
	maxListed  = 100  // characters of each one's error
)

// The events of a post that are no event's word (A6).
const (
	outage = "outage" // openings of many servers
	test   = "test"
)

// Post is one message to the operators. It is immutable.
type Post struct {
	At       time.Time
	Event    string // down, halted, refused, recovered, withdrawn, unsteady, outage, test
	Host     redact.Safe
	Server   string // empty where it is about many
	Attempt  model.Opt[int]
	Error    redact.Safe
	Since    time.Time
	Elapsed  model.Opt[model.Millis]
	HeldBack int
	Count    int // of the servers that it is about
	Text     redact.Safe
	// ID is the same each time that a post is sent, over a restart too, and no
	// other post's.
	ID string

	seq uint64 // the runner's, to know it again
	of  []notice
}

// listed is one server of a post about many.
type listed struct {
	Server string      `json:"server"`
	Event  string      `json:"event"`
	Error  redact.Safe `json:"error,omitzero"`
}

// MarshalJSON writes the post as the format json and exec have it: the keys are
// X3's.
func (p Post) MarshalJSON() ([]byte, error) {
	v := struct {
		At       string                  `json:"at"`
		ID       string                  `json:"id,omitempty"`
		Event    string                  `json:"event"`
		Host     redact.Safe             `json:"host,omitzero"`
		Server   string                  `json:"server,omitempty"`
		Attempt  model.Opt[int]          `json:"attempt,omitzero"`
		Error    redact.Safe             `json:"error,omitzero"`
		Since    string                  `json:"since,omitempty"`
		Elapsed  model.Opt[model.Millis] `json:"elapsed_ms,omitzero"`
		HeldBack int                     `json:"held_back,omitempty"`
		Count    int                     `json:"count,omitempty"`
		Servers  []listed                `json:"servers,omitempty"`
		Text     redact.Safe             `json:"text"`
	}{model.Stamp(p.At), p.ID, p.Event, p.Host, p.Server, p.Attempt, cut(p.Error, maxText), "", p.Elapsed, p.HeldBack, p.Count, nil, p.Text}
	if !p.Since.IsZero() {
		v.Since = model.Stamp(p.Since)
	}
	if p.Server == "" {
		for _, n := range p.of[:min(len(p.of), maxServers)] {
			v.Servers = append(v.Servers, listed{n.Server, n.Kind.String(), cut(n.Error, maxListed)})
		}
	}
	return json.Marshal(v)
}

// Test is the post of `rollcall alert --test`.
func Test(host redact.Safe, now time.Time) Post {
	id := idOf([]notice{{At: now}}, host)
	return Post{At: now, ID: id, Event: test, Host: host, Text: redact.Sprintf("%s: a test of rollcall's alerts; no server is concerned", host)}
}

// idOf is made of what is not told twice: which server, what, and when.
func idOf(list []notice, host redact.Safe) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", host.String())
	for _, n := range list {
		fmt.Fprintf(h, "%q %s %d %d\n", n.Server, n.Kind, n.Since.UnixNano(), n.At.UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// postOf is the post of one notice.
func postOf(n notice, host redact.Safe, now time.Time) Post {
	p := Post{At: now, ID: idOf([]notice{n}, host), Event: n.Kind.String(), Host: host, Server: n.Server, Attempt: n.Attempt, Since: n.Since,
		Elapsed: n.Elapsed, HeldBack: n.HeldBack, Count: 1, of: []notice{n}}
	if n.Kind != model.EvUnsteady {
		p.Error = n.Error
	}
	text := redact.Sprintf("%s on %s: %s", redact.Name(n.Server), host, said(n, now))
	var tail redact.Safe
	if n.HeldBack > 0 {
		tail = redact.Sprintf("; held back: %d", redact.Int(n.HeldBack))
	}
	p.Text = redact.Sprintf("%s%s", cut(text, maxText-size(tail)), tail)
	return p
}

// said is what of a server happened, in words.
func said(n notice, now time.Time) redact.Safe {
	switch n.Kind {
	case model.EvDown:
		text := redact.Sprintf("down for %s", model.Span(now.Sub(n.Since)))
		if n.Attempt.Ok {
			text = redact.Sprintf("%s (attempt %d)", text, redact.Int(n.Attempt.V))
		}
		return redact.Sprintf("%s: %s", text, n.Error)
	case model.EvHalted, model.EvRefused:
		word := redact.Name(n.Kind.String())
		if ago := now.Sub(n.At); ago >= openFor {
			word = redact.Sprintf("%s %s ago, and not recovered since", word, model.Span(ago))
		}
		return redact.Sprintf("%s: %s", word, n.Error)
	case model.EvRecovered:
		return redact.Sprintf("recovered, after %s", model.Span(n.Elapsed.V.D()))
	case model.EvWithdrawn:
		why := redact.Word("nobody wants it connected any more; it did not recover")
		if n.Unknown {
			why = redact.Word("rollcall knows of no open alert any more, and did not see how it ended")
		}
		return redact.Sprintf("withdrawn, after %s: %s", model.Span(n.Elapsed.V.D()), why)
	}
	return n.Error // unsteady: the event's own text
}

// postOfMany is the one post of many notices of a class.
func postOfMany(list []notice, host redact.Safe, now time.Time) Post {
	p := Post{At: now, ID: idOf(list, host), Host: host, Count: len(list), of: list}
	what := redact.Safe{}
	switch n := redact.Int(len(list)); classOf(list[0].Kind) {
	case openings:
		p.Event, what = outage, outageText(list)
	case recoveries:
		p.Event, what = model.EvRecovered.String(), redact.Sprintf("%d servers recovered", n)
	case withdrawals:
		p.Event, what = model.EvWithdrawn.String(), redact.Sprintf("%d servers withdrawn, not recovered", n)
	case losses:
		p.Event, what = model.EvUnsteady.String(), redact.Sprintf("%d servers unsteady", n)
	}
	for _, n := range list {
		p.HeldBack += n.HeldBack
		if !n.Since.IsZero() && (p.Since.IsZero() || n.Since.Before(p.Since)) {
			p.Since = n.Since
		}
	}
	text := redact.Sprintf("%s: %s", host, what)
	if p.HeldBack > 0 {
		text = redact.Sprintf("%s (held back: %d)", text, redact.Int(p.HeldBack))
	}
	p.Text = naming(text, list)
	return p
}

// outageText counts the openings of many servers by their kind.
func outageText(list []notice) redact.Safe {
	var parts []redact.Safe
	for _, k := range []model.Kind{model.EvDown, model.EvHalted, model.EvRefused} {
		n := 0
		for _, x := range list {
			if x.Kind == k {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, redact.Sprintf("%d %s", redact.Int(n), redact.Name(k.String())))
		}
	}
	return redact.Sprintf("%d servers in trouble: %s", redact.Int(len(list)), redact.Join(", ", parts...))
}

// naming adds the servers' names, as many as a message holds, and says how many
// more there are.
func naming(text redact.Safe, list []notice) redact.Safe {
	for i, n := range list {
		sep := redact.Word(", ")
		if i == 0 {
			sep = redact.Word(": ")
		}
		longer := redact.Sprintf("%s%s%s", text, sep, redact.Name(n.Server))
		if size(longer) > maxText-len(", and 20000 more") {
			return redact.Sprintf("%s%sand %d more", text, sep, redact.Int(len(list)-i))
		}
		text = longer
	}
	return text
}

func size(s redact.Safe) int { return utf8.RuneCountInString(s.String()) }

// cut is at most n characters of a text, the last of them … where it was longer.
func cut(s redact.Safe, n int) redact.Safe {
	if size(s) <= n {
		return s
	}
	chars, at := 0, 0
	for i := range s.String() {
		if chars == n-1 {
			at = i
			break
		}
		chars++
	}
	short, _ := s.Cut(at)
	return redact.Sprintf("%s…", short)
}
