package alert

import (
	"maps"
	"slices"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// saved is what outlives rollcall: what is open and posted, what waits, and what
// was decided and not sent yet.
type saved struct {
	Servers map[string]*watch `json:"servers,omitempty"`
	Waiting []notice          `json:"waiting,omitempty"`
	// Heard are, for each kind of sink, the servers with an episode of which an
	// opening got there, and since when it is open.
	Heard map[string]map[string]time.Time `json:"heard,omitempty"`
}

// unsent is a post that some sinks did not take yet.
type unsent struct {
	post Post
	owed []string // their kinds; not empty
}

// save is the desk's state. What no sink took is put back into it, to be decided
// anew; what some did not take waits for those alone. kinds are all sinks'.
func (d *desk) save(posts []unsent, kinds []string) saved {
	s := saved{Servers: map[string]*watch{}}
	for name, w := range d.servers {
		if d.forgets(w) {
			delete(d.servers, name)
			continue
		}
		s.Servers[name] = &watch{w.Since, slices.Clone(w.Posted), maps.Clone(w.Last), maps.Clone(w.Held)}
	}
	for c := range classes {
		s.Waiting = append(s.Waiting, d.lines[c]...)
	}
	for _, u := range posts {
		for _, n := range u.post.of {
			var owed []string
			for _, kind := range u.owed {
				if n.owedTo(kind) {
					owed = append(owed, kind)
				}
			}
			switch len(owed) {
			case 0:
				continue
			case len(kinds):
				n.Owed = nil
				s.takeBack(n)
			default:
				n.Owed = owed
			}
			s.Waiting = append(s.Waiting, n)
		}
	}
	return s
}

// takeBack makes an opening one that was not posted: it is when it is sent;
// whether it closed before is seen then.
func (s *saved) takeBack(n notice) {
	w := s.Servers[n.Server]
	if w == nil || classOf(n.Kind) != openings || !w.Since.Equal(n.Since) {
		return
	}
	w.Posted = slices.DeleteFunc(w.Posted, func(k model.Kind) bool { return k == n.Kind })
	delete(w.Last, n.Kind)
}

// forgets reports whether there is nothing to remember of a server.
func (d *desk) forgets(w *watch) bool {
	if !w.Since.IsZero() {
		return false
	}
	for kind, last := range w.Last {
		if d.now.Sub(last) < cooldown || w.Held[kind] > 0 && d.now.Sub(last) < forgetAfter {
			return false
		}
	}
	return true
}

// restore makes the desk of before.
func restore(s saved, host redact.Safe, now time.Time) *desk {
	d := newDesk(host)
	d.now = now
	for name, w := range s.Servers {
		if w != nil {
			v := d.watch(name)
			v.Since, v.Posted = w.Since, w.Posted
			maps.Copy(v.Last, w.Last)
			maps.Copy(v.Held, w.Held)
		}
	}
	for _, n := range s.Waiting {
		switch n.Kind { // a file may hold anything
		case model.EvDown, model.EvHalted, model.EvRefused, model.EvRecovered, model.EvWithdrawn, model.EvUnsteady:
			d.add(n)
		}
	}
	return d
}

// reconcile closes the episodes that the engine does not know of: it was
// restarted without its state, its configuration changed meanwhile, or the event
// of their end was missed.
func (d *desk) reconcile(open map[string]bool, now time.Time) []Post {
	posts := d.advance(now)
	for _, name := range slices.Sorted(maps.Keys(d.servers)) {
		if !d.servers[name].Since.IsZero() && !open[name] {
			posts = append(posts, d.closes(notice{Server: name, Kind: model.EvWithdrawn, At: now, Unknown: true})...)
		}
	}
	return posts
}
