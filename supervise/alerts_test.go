package supervise

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/alert"
	"rollcall/model"
	"rollcall/redact"
)

// TestA5_ThePostsOfThirtyDays feeds the events of the simulation to alert/, in
// virtual time and with restarts between, and compares what is posted, server by
// server, and when, with what A5 says of the raw events in a simple reading of its
// own: it has A5's numbers from the rule, none from the code.
func TestA5_ThePostsOfThirtyDays(t *testing.T) {
	servers, days := 40, 30
	if os.Getenv("ROLLCALL_LONG") != "" { // half a minute
		servers = 300
	}
	span := time.Duration(days) * 24 * time.Hour
	f := newFleet(8, servers, -1)
	var events []heard
	unsteady := 0
	f.told = func(e tell) {
		switch e.event.Kind {
		case model.EvDown, model.EvHalted, model.EvRefused, model.EvRecovered, model.EvWithdrawn, model.EvUnsteady:
			events = append(events, heard{f.now, e.at, e.event})
			if e.event.Kind == model.EvUnsteady {
				unsteady++
			}
		}
	}
	if err := f.run(span); err != nil {
		t.Fatal(err)
	}
	events = slices.Concat(events, storm(span), often(span+4*time.Hour))
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		posts, restarts := play(t, events, 20)
		want, held := reading(events, posts, start)
		got := map[string][]said{}
		kinds := map[string]int{}
		for _, p := range posts {
			kinds[p.Event]++
			for _, s := range p.about() {
				if s.Event != "unsteady" {
					got[s.Server] = append(got[s.Server], said{s.Event, p.At.Sub(start), p.Server == ""})
					continue
				}
				unsteady--
			}
			if n := len([]rune(p.Text)); n > 500 {
				t.Errorf("a message of %d characters", n)
			}
		}
		checkPosts(t, got, want, restarts)
		checkTruth(t, events, posts, start)
		t.Logf("%d events, posts %v, %d openings held back and never posted", len(events), kinds, held)
		for _, k := range []string{"down", "halted", "refused", "recovered", "withdrawn", "unsteady", "outage"} {
			if kinds[k] == 0 {
				t.Errorf("%s was never posted", k)
			}
		}
		if held == 0 || unsteady != 0 {
			t.Errorf("%d were held back, %d unsteady were not posted", held, unsteady)
		}
	})
}

// heard is an event, and when it was told.
type heard struct {
	told, at instant
	ev       model.Event
}

// storm is an outage of 150 servers that go down within a minute, after the
// simulation, and recover together: A5's one post.
func storm(from instant) (events []heard) {
	for i := range 150 {
		at := from + time.Hour + time.Duration(i)*400*time.Millisecond
		events = append(events, heard{at, at, model.Event{Kind: model.EvDown, Server: fmt.Sprint("storm", i), Attempt: model.Some(5), Error: redact.Word("no handshake")}})
	}
	for i := range 150 {
		at := from + 2*time.Hour + time.Duration(i)*time.Millisecond
		events = append(events, heard{at, at, model.Event{Kind: model.EvRecovered, Server: fmt.Sprint("storm", i), Elapsed: model.Some(model.Millis(time.Hour - time.Duration(i)*399*time.Millisecond))}})
	}
	return events
}

// often is two servers that go down and come back every few minutes: most of
// their openings are held back, some to their end.
func often(from instant) (events []heard) {
	add := func(in time.Duration, k model.Kind, server string) {
		events = append(events, heard{from + in, from + in, model.Event{Kind: k, Server: server, Attempt: model.Some(5), Error: redact.Word("again")}})
	}
	for i := range time.Duration(40) {
		add(i*7*time.Minute, model.EvDown, "often-down")
		add(i*7*time.Minute+time.Second, model.EvHalted, "often-halted")
		add(i*7*time.Minute+6*time.Minute, model.EvRecovered, "often-down")
		add(i*7*time.Minute+6*time.Minute+i*time.Second, model.EvWithdrawn, "often-halted")
	}
	return events
}

// posted is a post as its receiver reads it.
type posted struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"`
	Server  string    `json:"server"`
	Since   time.Time `json:"since"`
	Elapsed *int64    `json:"elapsed_ms"`
	Servers []posted  `json:"servers"`
	Text    string    `json:"text"`
}

// about is what it says of which servers.
func (p posted) about() []posted {
	if p.Server != "" {
		return []posted{p}
	}
	return p.Servers
}

// receiver keeps what it is sent.
type receiver struct {
	t     *testing.T
	posts []posted
}

func (*receiver) Kind() string      { return "receiver" }
func (*receiver) Name() redact.Safe { return redact.Word("receiver") }
func (*receiver) Tries() int        { return 3 }

func (r *receiver) Send(_ context.Context, p alert.Post) alert.Result {
	b, err := json.Marshal(p)
	var got posted
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil {
		r.t.Error(err)
	}
	r.posts = append(r.posts, got)
	return alert.Result{}
}

// kept is a Store.
type kept struct{ b []byte }

func (k *kept) Load() ([]byte, error) { return k.b, nil }
func (k *kept) Save(b []byte) error   { k.b = slices.Clone(b); return nil }

// said is what was posted of one server, and when; or what A5 has posted, and the
// time from which on it may be.
type said struct {
	event string
	at    instant
	many  bool // in one post with others
}

// checkPosts compares what was posted of each server with what A5 has.
func checkPosts(t *testing.T, got, want map[string][]said, restarts []instant) {
	for _, server := range slices.Sorted(maps.Keys(want)) {
		if !slices.EqualFunc(got[server], want[server], func(a, b said) bool { return a.event == b.event }) {
			t.Errorf("%s: posted\n%v\nA5 has\n%v", server, got[server], want[server])
			continue
		}
		for i, w := range want[server] {
			onTime(t, server, got[server][i], w, restarts)
		}
	}
	for server := range got {
		if want[server] == nil {
			t.Errorf("%s: posted %v, A5 has nothing", server, got[server])
		}
	}
}

// onTime holds a post to A5's time: none comes sooner. What is posted alone of a
// server that is down is posted then, but for the first seconds after a restart,
// which looks first at what ended meanwhile; others may wait for more of their
// kind, for 30 s at most.
func onTime(t *testing.T, server string, got, want said, restarts []instant) {
	const written = time.Millisecond // a post's time is cut to that
	late := got.at - want.at.Truncate(written)
	most := 30 * time.Second
	if want.event == "down" && !got.many {
		most = 0
	}
	for _, at := range restarts {
		if at <= got.at && got.at <= at+5*time.Second {
			most = max(most, got.at-at)
		}
	}
	if late < -written || late > most+written {
		t.Errorf("%s: %s posted at %s, %s after A5 has it at %s", server, got.event, got.at, late, want.at)
	}
}

// play plays the events as an engine would tell them, with some restarts, and
// returns what was posted, and when it restarted.
func play(t *testing.T, events []heard, often int) (posts []posted, restarts []instant) {
	start := time.Now()
	to, store, open := &receiver{t: t}, &kept{}, map[string]bool{}
	begin := func() *alert.Alerts {
		return alert.New(alert.Options{Host: redact.Word("host"), Sinks: []alert.Sink{to}, Store: store,
			Open: func() (map[string]bool, bool) { return maps.Clone(open), true },
			Tell: func(s redact.Safe) { t.Errorf("told: %s", s) },
			Warn: func(_ string, s redact.Safe) { t.Errorf("warned: %s", s) }})
	}
	fate := rand.New(rand.NewPCG(8, 8))
	a := begin()
	for _, e := range events {
		time.Sleep(time.Until(start.Add(e.told))) // virtual
		synctest.Wait()
		if fate.IntN(len(events)/often) == 0 {
			restarts = append(restarts, e.told)
			if left := a.Close(t.Context(), t.Context()); len(left) > 0 {
				t.Errorf("not sent: %v", left)
			}
			a = begin()
		}
		switch e.ev.Kind {
		case model.EvRecovered, model.EvWithdrawn:
			delete(open, e.ev.Server)
		case model.EvUnsteady:
		default:
			open[e.ev.Server] = true
		}
		ev := e.ev
		ev.At = start.Add(e.at)
		a.Event(ev, 0)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	a.Close(t.Context(), t.Context())
	return to.posts, restarts
}

// reading is A5 in a simple reading: what is posted of each server and when, in
// order, and how many openings were held back and never posted. Of the posts it takes
// only when a server's last opening of a kind was: the cooldown runs from there.
func reading(events []heard, posts []posted, start time.Time) (want map[string][]said, held int) {
	want = map[string][]said{}
	lives := map[string][]heard{}
	for _, e := range events {
		if e.ev.Kind != model.EvUnsteady { // of no episode: compared by its count
			lives[e.ev.Server] = append(lives[e.ev.Server], e)
		}
	}
	made := map[string][]instant{} // by server and kind
	for _, p := range posts {
		for _, s := range p.about() {
			made[s.Server+" "+s.Event] = append(made[s.Server+" "+s.Event], p.At.Sub(start))
		}
	}
	for server, life := range lives {
		for len(life) > 0 {
			n := slices.IndexFunc(life, func(e heard) bool { return e.ev.Kind == model.EvRecovered || e.ev.Kind == model.EvWithdrawn })
			closed, end := heard{told: never, at: never}, ""
			episode := life
			if n >= 0 {
				closed, end = life[n], life[n].ev.Kind.String()
				episode, life = life[:n], life[n+1:]
			} else {
				life = nil
			}
			w, h := episodePosts(episode, closed.at, func(kind string, before instant) instant { return lastOf(made[server+" "+kind], before) })
			if len(w) > 0 && end != "" {
				w = append(w, said{event: end, at: closed.told})
			}
			want[server] = append(want[server], w...)
			held += h
		}
	}
	return want, held
}

// lastOf is the last of times before one.
func lastOf(times []instant, before instant) instant {
	last := -never
	for _, at := range times {
		if at < before {
			last = at
		}
	}
	return last
}

// episodePosts are the openings of one episode, and how many were held back to
// its end. last is when an opening of a kind was posted before a time.
func episodePosts(episode []heard, closed instant, last func(kind string, before instant) instant) (want []said, held int) {
	since := episode[0].at
	grave := never // the first permanent failure or refusal
	seen := map[model.Kind]bool{}
	type opening struct {
		kind     string
		at, told instant
	}
	var openings []opening
	for _, e := range episode {
		k := e.ev.Kind
		if seen[k] || k == model.EvDown && grave < never {
			continue
		}
		seen[k] = true
		due := e.at
		if k == model.EvDown {
			due = since + 60*time.Second
		} else {
			grave = min(grave, e.told)
		}
		openings = append(openings, opening{kind: k.String(), at: due, told: e.told})
	}
	for i, o := range openings {
		free := last(o.kind, since.Truncate(time.Millisecond)) + 15*time.Minute // as a post's time is
		ready := max(o.at, free)
		until := closed
		if o.kind == "down" {
			until = min(until, grave-time.Nanosecond)
		}
		switch {
		case ready <= until:
			openings[i].at = ready
		case o.at <= until:
			held++
			fallthrough
		default:
			openings[i].at = never
		}
	}
	slices.SortStableFunc(openings, func(a, b opening) int { return int(a.at/time.Millisecond) - int(b.at/time.Millisecond) })
	for _, o := range openings {
		if o.at < never {
			want = append(want, said{event: o.kind, at: max(o.at, o.told)})
		}
	}
	return want, held
}

// checkTruth holds that what a post says of one server was so.
func checkTruth(t *testing.T, events []heard, posts []posted, start time.Time) {
	lives := map[string][]heard{}
	for _, e := range events {
		lives[e.ev.Server] = append(lives[e.ev.Server], e)
	}
	for _, p := range posts {
		if p.Server == "" || p.Event == "unsteady" {
			continue
		}
		at, since := p.At.Sub(start).Round(time.Millisecond), p.Since.Sub(start)
		var opened, ended instant = -1, never
		for _, e := range lives[p.Server] {
			switch e.ev.Kind {
			case model.EvUnsteady:
			case model.EvRecovered, model.EvWithdrawn:
				if opened >= 0 && ended == never && e.at.Truncate(time.Millisecond) >= since {
					ended = e.at
				}
			default:
				if e.at.Truncate(time.Millisecond) == since && opened < 0 {
					opened = e.at
				}
			}
		}
		switch {
		case opened < 0:
			t.Errorf("%q: nothing opened then", p.Text)
		case p.Event == "down" && (at-since < 60*time.Second || !strings.Contains(p.Text, fmt.Sprintf("down for %d s", (at-since)/time.Second))):
			t.Errorf("%q at %s, open since %s", p.Text, at, since)
		case (p.Event == "recovered" || p.Event == "withdrawn") && ended.Truncate(time.Second) > at:
			t.Errorf("%q at %s, ended at %s", p.Text, at, ended)
		}
	}
}
