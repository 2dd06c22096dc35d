package alert

import (
	"context"
	"maps"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Sink takes posts: a Webhook, an Exec. Send is called from one goroutine.
type Sink interface {
	Kind() string // webhook, exec: there is one of each, and what is saved of it is under this
	Name() redact.Safe
	Tries() int
	Send(ctx context.Context, p Post) Result
}

// queueLimit is how many posts wait for a sink.
const queueLimit = 100

// patience is how long a sink is given. Tests have less of it.
type patience struct {
	try    time.Duration    // one try
	pauses [2]time.Duration // after the first, and after the second and each further
	most   time.Duration    // between two tries, whatever the receiver asks for
}

func ordinaryPatience() patience {
	return patience{try: 10 * time.Second, pauses: [2]time.Duration{2 * time.Second, 10 * time.Second}, most: time.Minute}
}

// queue brings posts to one sink, one at a time, in their order.
type queue struct {
	sink Sink
	tell func(redact.Safe) // a line for the event log
	warn func(redact.Safe) // for the header
	done func(Post)        // the post was taken, or given up

	wait   patience
	posts  chan Post
	ended  chan struct{}
	failed int // in a row; run's own

	mu sync.Mutex
	// heard are servers with an episode of which an opening got there, and since
	// when it is open: the end of another one is not posted (A5).
	heard map[string]time.Time
}

func newQueue(s Sink, tell, warn func(redact.Safe), done func(Post)) *queue {
	return &queue{sink: s, tell: tell, warn: warn, done: done, wait: ordinaryPatience(),
		posts: make(chan Post, queueLimit), ended: make(chan struct{}), heard: map[string]time.Time{}}
}

// between is the wait after so many tries, where the receiver asked for one.
func (p patience) between(tries int, asked time.Duration) time.Duration {
	return min(max(p.pauses[min(tries, len(p.pauses))-1], asked), p.most)
}

// put never blocks. It reports whether there was room; a post that found none is
// given up.
func (q *queue) put(p Post) bool {
	select {
	case q.posts <- p:
		return true
	default:
		q.forget(p)
		q.tell(redact.Sprintf("alert not sent to %s: %d wait for it already; it said: %s", q.sink.Name(), redact.Int(queueLimit), p.Text))
		return false
	}
}

// run sends until posts is closed and empty, or begin ends: no try begins after
// it. One that is under way then has until wire ends. What was not sent then is
// not done.
func (q *queue) run(begin, wire context.Context) {
	defer close(q.ended)
	for p := range q.posts {
		if begin.Err() != nil || !q.deliver(begin, wire, p) {
			return
		}
		q.done(p)
	}
}

// deliver tries to send a post; false where there was no time until it was taken
// or given up.
func (q *queue) deliver(begin, wire context.Context, p Post) bool {
	p, ok := q.due(p)
	if !ok {
		return true
	}
	var r Result
	for try := range q.sink.Tries() {
		if try > 0 && !sleep(begin, q.wait.between(try, r.After)) {
			return false
		}
		r = q.try(wire, p)
		if r.Err.IsZero() {
			q.taken(p)
			return true
		}
		if begin.Err() != nil {
			return false
		}
	}
	q.givenUp(p, r.Err)
	return true
}

func (q *queue) try(ctx context.Context, p Post) Result {
	ctx, cancel := context.WithTimeout(ctx, q.wait.try)
	defer cancel()
	return q.sink.Send(ctx, p)
}

func (q *queue) taken(p Post) {
	if q.failed > 0 {
		q.warn(redact.Safe{})
	}
	q.failed = 0
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, n := range p.of {
		if classOf(n.Kind) == openings {
			q.heard[n.Server] = n.Since
		}
	}
	q.forgetEnded(p)
}

func (q *queue) givenUp(p Post, why redact.Safe) {
	q.failed++
	q.forget(p)
	q.tell(redact.Sprintf("alert not sent to %s: %s; it said: %s", q.sink.Name(), why, p.Text))
	q.warn(redact.Sprintf("%s did not take the last alerts, %d of them: %s", q.sink.Name(), redact.Int(q.failed), why))
}

// forget is for a post that does not get there: what it says has ended is over
// all the same.
func (q *queue) forget(p Post) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forgetEnded(p)
}

// forgetEnded forgets the episodes whose end a post tells. The lock is held.
func (q *queue) forgetEnded(p Post) {
	for _, n := range p.of {
		if endsEpisode(n.Kind) && q.knows(n) {
			delete(q.heard, n.Server)
		}
	}
}

// knows reports whether an opening of a notice's episode got there. The lock is
// held.
func (q *queue) knows(n notice) bool {
	since, ok := q.heard[n.Server]
	return ok && since.Equal(n.Since)
}

// remembered is what got there, to be saved.
func (q *queue) remembered() map[string]time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.heard)
}

func endsEpisode(k model.Kind) bool { c := classOf(k); return c == recoveries || c == withdrawals }

// due leaves out of a post what got there before a restart, and the ends of
// episodes of which no opening got there; false where nothing is left.
func (q *queue) due(p Post) (Post, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var left []notice
	for _, n := range p.of {
		if n.owedTo(q.sink.Kind()) && (!endsEpisode(n.Kind) || q.knows(n)) {
			left = append(left, n)
		}
	}
	switch {
	case len(left) == len(p.of):
		return p, true
	case len(left) == 0:
		return p, false
	case len(left) == 1:
		return postOf(left[0], p.Host, p.At), true
	}
	return postOfMany(left, p.Host, p.At), true
}

// sleep waits; false where ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(min(d, model.MaxTimer))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
