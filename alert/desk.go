package alert

import (
	"slices"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

const (
	openFor  = 60 * time.Second // how long an episode is open before it is posted (A5)
	cooldown = 15 * time.Minute // between two openings of a server and kind
	// forgetAfter bounds how long what was held back of a server is remembered.
	forgetAfter = 24 * time.Hour
)

// desk decides what is posted (A5). It is pure: events and times in, posts out.
// Times never go back but by what an event's report took.
type desk struct {
	host    redact.Safe
	servers map[string]*watch
	lines   [classes]line
	now     time.Time
	// quiet: nothing is posted before, since what was restored may have ended
	// meanwhile.
	quiet time.Time
}

// watch is what is remembered of one server. Kinds are those of openings: down,
// halted, refused.
type watch struct {
	Since  time.Time                `json:"since,omitzero"`   // its episode is open since; zero: none is
	Posted []model.Kind             `json:"posted,omitempty"` // openings of this episode that were posted
	Last   map[model.Kind]time.Time `json:"last,omitempty"`   // when the last opening of a kind was posted
	Held   map[model.Kind]int       `json:"held,omitempty"`   // openings held back since, and never posted
}

func newDesk(host redact.Safe) *desk {
	return &desk{host: cut(host, 100), servers: map[string]*watch{}}
}

// advance lets time pass: what is ready is posted.
func (d *desk) advance(now time.Time) []Post {
	if now.After(d.now) {
		d.now = now
	}
	if d.now.Before(d.quiet) {
		return nil
	}
	var posts []Post
	for c := range classes {
		for len(d.lines[c]) > 0 {
			next := d.lines[c].next()
			if next.at.After(d.now) {
				break
			}
			posts = append(posts, d.leave(c, next)...)
		}
	}
	return posts
}

// next is when advance has something to do; zero for never.
func (d *desk) next() time.Time {
	var first time.Time
	for c := range classes {
		if len(d.lines[c]) == 0 {
			continue
		}
		if at := d.lines[c].next().at; first.IsZero() || at.Before(first) {
			first = at
		}
	}
	if first.IsZero() {
		return first
	}
	return later(first, d.quiet)
}

// take takes an event that is told at now, after what was ready when it
// happened: an end is told once its process is reaped.
func (d *desk) take(ev model.Event, now time.Time) []Post {
	posts := d.advance(ev.At)
	switch ev.Kind {
	case model.EvDown, model.EvHalted, model.EvRefused:
		posts = append(posts, d.opens(ev, now)...)
	case model.EvRecovered, model.EvWithdrawn:
		posts = append(posts, d.closes(notice{Server: ev.Server, Kind: ev.Kind, At: ev.At, Elapsed: ev.Elapsed})...)
	case model.EvUnsteady:
		d.add(notice{Server: ev.Server, Kind: ev.Kind, At: ev.At, Due: ev.At, Error: ev.Text})
	}
	return posts
}

func (d *desk) add(n notice) {
	c := classOf(n.Kind)
	d.lines[c] = d.lines[c].add(n)
}

func (d *desk) watch(server string) *watch {
	w := d.servers[server]
	if w == nil {
		w = &watch{Last: map[model.Kind]time.Time{}, Held: map[model.Kind]int{}}
		d.servers[server] = w
	}
	return w
}

// opens takes an alert. An episode is posted once, and once more for each
// permanent failure or refusal of another kind: what is posted already is not
// posted again, however often it is tried in vain.
func (d *desk) opens(ev model.Event, now time.Time) []Post {
	w := d.watch(ev.Server)
	var posts []Post
	if w.Since.IsZero() {
		w.Since, w.Posted = ev.At, nil
		// What a restart left of an episode before.
		posts = d.flush(openings, ev.Server)
		posts = append(posts, d.flush(recoveries, ev.Server)...)
		posts = append(posts, d.flush(withdrawals, ev.Server)...)
	}
	if slices.Contains(w.Posted, ev.Kind) || ev.Kind == model.EvDown && len(w.Posted) > 0 {
		return posts
	}
	for i := range d.lines[openings] {
		n := &d.lines[openings][i]
		switch {
		case n.Server != ev.Server:
		case n.Kind == ev.Kind: // it waits already: the latest word on it
			n.Attempt, n.Error = ev.Attempt, ev.Error
			return posts
		case ev.Kind == model.EvDown: // what waits says more
			return posts
		}
	}
	n := notice{Server: ev.Server, Kind: ev.Kind, At: ev.At, Since: w.Since, Due: ev.At, Attempt: ev.Attempt, Error: ev.Error}
	if ev.Kind == model.EvDown {
		n.Due = w.Since.Add(openFor)
	} else {
		d.now = later(d.now, now)
		posts = append(posts, d.drop(ev.Server, d.now)...)
	}
	if free := w.Last[ev.Kind].Add(cooldown); n.Due.Before(free) { // of none before, it is long over
		n.NotYet = free
	}
	d.add(n)
	return posts
}

// closes takes the end of an episode. It is posted where the opening was.
func (d *desk) closes(n notice) []Post {
	w := d.servers[n.Server]
	if w == nil || w.Since.IsZero() {
		return nil
	}
	posts := d.drop(n.Server, n.At)
	if len(w.Posted) > 0 {
		if !n.Elapsed.Ok {
			n.Elapsed = model.Some(model.Millis(n.At.Sub(w.Since)))
		}
		n.Since, n.Due = w.Since, n.At
		d.add(n)
	}
	w.Since, w.Posted = time.Time{}, nil
	return posts
}

// drop takes a server's openings out of the line, since their episode closes or
// there is a graver one. One that was due and only waited for others is posted
// first; one that was due and held back is counted.
func (d *desk) drop(server string, at time.Time) []Post {
	for _, n := range d.lines[openings] {
		if n.Server == server && !n.ready().After(at) {
			posts := d.flush(openings, server)
			return append(posts, d.drop(server, at)...)
		}
	}
	d.lines[openings] = slices.DeleteFunc(d.lines[openings], func(n notice) bool {
		if n.Server != server {
			return false
		}
		if !n.Due.After(at) {
			d.watch(server).Held[n.Kind]++
		}
		return true
	})
	return nil
}

// flush posts what a class has ready, where a server's is among it: what comes
// next of that server must not overtake it.
func (d *desk) flush(c class, server string) []Post {
	for _, n := range d.lines[c] {
		if n.Server == server && !n.ready().After(d.now) {
			return d.leaveReady(c)
		}
	}
	return nil
}

// hasten posts what is ready, and only waits for others: nothing comes after it.
func (d *desk) hasten(now time.Time) []Post {
	posts := d.advance(now)
	for c := range classes {
		posts = append(posts, d.leaveReady(c)...)
	}
	return posts
}

// leaveReady posts all that a class has ready.
func (d *desk) leaveReady(c class) []Post {
	n := 0
	for n < len(d.lines[c]) && !d.lines[c][n].ready().After(d.now) {
		n++
	}
	return d.leave(c, departure{n: n, together: n >= outageSize})
}

// leave takes notices out of their line, and makes posts of them.
func (d *desk) leave(c class, what departure) []Post {
	out := slices.Clone(d.lines[c][what.from : what.from+what.n])
	d.lines[c] = slices.Delete(d.lines[c], what.from, what.from+what.n)
	if c == openings {
		for i := range out {
			d.posted(&out[i])
		}
	}
	if what.together {
		return []Post{postOfMany(out, d.host, d.now)}
	}
	var posts []Post
	for _, n := range out {
		posts = append(posts, postOf(n, d.host, d.now))
	}
	return posts
}

// posted books an opening that is posted now.
func (d *desk) posted(n *notice) {
	w := d.watch(n.Server)
	n.HeldBack += w.Held[n.Kind]
	if n.NotYet.After(n.Due) {
		n.HeldBack++
	}
	n.NotYet = time.Time{}
	delete(w.Held, n.Kind)
	w.Last[n.Kind] = d.now
	// One that was put back may be of an episode before, or be posted to another sink.
	if w.Since.Equal(n.Since) && !slices.Contains(w.Posted, n.Kind) {
		w.Posted = append(w.Posted, n.Kind)
	}
}
