package supervise

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// snapshotEvery is the least time between two snapshots: at most 15 a second.
const snapshotEvery = time.Second / 15

// ErrStopped says that the engine has stopped; no newer snapshot will come.
var ErrStopped = errors.New("the engine has stopped")

// board is where the newest snapshot hangs for everyone to read.
type board struct {
	mu      sync.Mutex
	fleet   model.Fleet
	next    chan struct{} // closed when a newer one hangs
	wanted  bool          // someone waits for it
	stopped bool
}

func (b *board) hang(f model.Fleet) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fleet = f
	b.wanted = false
	close(b.next)
	b.next = make(chan struct{})
}

func (b *board) isWanted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wanted
}

// refresh dates the newest snapshot anew, which still holds: who has none yet
// takes its time for the engine's own, by which all others are shown.
func (b *board) refresh() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped && b.fleet.Seq > 0 {
		b.fleet.At = time.Now()
	}
}

func (b *board) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	close(b.next)
	b.next = make(chan struct{})
}

// Next returns the newest snapshot once its Seq is above seen, and waits for it
// until ctx ends: the error is ctx's then. With seen 0 it comes at once, with all
// that had come to the engine before the call; then at most 15 a second. Before
// Run it is New's. After the engine's end: the last one, then ErrStopped. Any
// number of goroutines may wait, each with its own seen. The rows are shared: they
// must not be changed.
func (e *Engine) Next(ctx context.Context, seen uint64) (model.Fleet, error) {
	b := &e.board
	if seen == 0 && e.running.Load() { // nobody may have looked for long
		if _, err := ask(ctx, e, e.publishDirty); err != nil && !errors.Is(err, ErrStopped) {
			return model.Fleet{}, err
		}
		b.refresh()
	}
	for {
		b.mu.Lock()
		if b.fleet.Seq > seen {
			defer b.mu.Unlock()
			return b.fleet, nil
		}
		if b.stopped {
			b.mu.Unlock()
			return model.Fleet{}, ErrStopped
		}
		first := !b.wanted
		b.wanted = true
		next := b.next
		b.mu.Unlock()
		if first {
			e.box.poke()
		}
		select {
		case <-next:
		case <-ctx.Done():
			return model.Fleet{}, ctx.Err()
		}
	}
}

// Lines returns the newest lines of a server's tail with a Seq above after, at
// most limit, oldest first: none where limit is not above 0, or no such server is
// there. The tail keeps 1,000 lines of stderr, and as many others, each at most
// 256 KiB of text (T3); a gap in Seq says what it has dropped. It does not wait for
// the loop, and works after the engine's end. The slice is the caller's.
func (e *Engine) Lines(server string, after uint64, limit int) []model.Line {
	if t := e.lines.tailOf(server); t != nil {
		return t.after(after, limit)
	}
	return nil
}

// Events returns the newest events with a Seq above after, at most limit, which is
// not below 0, oldest first: of one server, or of all for "". They are of the last 24 h, as far
// as they are kept: at least the newest 1,024 of a server and 4,096 over all.
// Probes that were alive are kept a server alone, at least 256. None where no such
// server is there. It does not wait for the loop, and works after the engine's end.
// The slice is the caller's; what its events point to is shared.
func (e *Engine) Events(server string, after uint64, limit int) []model.Event {
	return e.history.after(server, after, limit, time.Now())
}

func (e *Engine) markStale(u *unit) {
	if !u.stale {
		u.stale = true
		e.stale = append(e.stale, u)
	}
}

func (e *Engine) isDirty() bool { return e.changed || len(e.stale) > 0 }

// publishDue is the channel of the timer that publishes what is held back.
func (e *Engine) publishDue() <-chan time.Time {
	if e.publishAt == nil {
		return nil
	}
	return e.publishAt.C
}

// publishIfDue publishes what changed, if someone waits for it; what comes too
// soon after the last is held back.
func (e *Engine) publishIfDue() {
	if !e.isDirty() || !e.board.isWanted() || e.publishAt != nil {
		return
	}
	if wait := e.published + snapshotEvery - e.now(); wait > 0 {
		e.publishAt = time.NewTimer(wait)
		return
	}
	e.publish()
}

// publishDirty publishes what changed, waited for or not, however soon after
// the last.
func (e *Engine) publishDirty() (did bool) {
	did = e.isDirty()
	if did {
		e.publish()
	}
	return did
}

// publish hangs a new snapshot. Rows that did not change are shared with the
// one before.
func (e *Engine) publish() {
	e.setEpoch()
	if e.moved {
		e.moved = false
		e.rows = make([]*model.Row, len(e.units))
		for i, u := range e.units {
			u.place = i
			e.rows[i] = u.row
		}
	}
	for _, u := range e.stale {
		u.stale = false
		if u.left {
			continue
		}
		u.row = e.rowOf(u)
		e.setWait(u, waitOf(&u.state))
		e.rows[u.place] = u.row
	}
	e.stale = e.stale[:0]
	e.changed = false
	e.published = e.now()
	waits := e.waits
	waits.Added = len(e.unknown)
	e.board.hang(model.Fleet{
		Seq: e.board.fleet.Seq + 1, At: time.Now(), Host: e.opts.Host, Config: e.opts.Config,
		Note: e.note, Warnings: e.warnings.shown, Waits: waits, Rows: slices.Clone(e.rows), Stopping: e.stopping,
	})
}

// maxEpochError is how far the epoch may be off before it is set anew: a clock
// that is slewed runs off by some ms, and a row shows seconds.
const maxEpochError = 50 * time.Millisecond

// setEpoch makes the epoch follow a wall clock that was stepped. Else it stays as
// it is, to the nanosecond: what did not change in a row is equal to what it was.
func (e *Engine) setEpoch() {
	epoch := e.wall(0)
	if off := epoch.Round(0).Sub(e.epoch.Round(0)); off.Abs() > maxEpochError {
		e.epoch = epoch
	}
}

// rowOf is what the table shows of a server.
func (e *Engine) rowOf(u *unit) *model.Row {
	s := &u.state
	r := &model.Row{
		Server: u.name, Phase: s.phase, Run: s.run, Attempt: s.attempt, Since: e.epoch.Add(s.since), Starts: s.starts,
		LastFailure: u.lastFailure, LastFailureAt: u.lastFailureAt, PID: s.pid,
		Note: noteOf(s), Pending: pendingOf(s),
	}
	tail := u.tail.marks()
	r.Lines, r.Noise, r.StderrLines, r.StderrBytes = tail.seq, tail.noise, tail.stderr, tail.stderrBytes
	if s.spec != nil {
		r.Transport, r.Protocol, r.Lasting, r.Shown = s.spec.Transport, s.spec.Protocol, s.spec.Timings.Lasting(), s.spec.Shown
	} else {
		r.Known = s.known
	}
	switch s.phase {
	case model.Refused:
		if r.LastFailure.IsZero() { // a bad [defaults] alerts for one server alone
			r.LastFailure, r.LastFailureAt = s.problem, r.Since
		}
	case model.Waiting:
		r.Next = e.epoch.Add(s.due)
	case model.Stopping:
		if s.stage.Ok {
			r.Stage, r.StageAt = s.stage.V, e.epoch.Add(s.stageAt)
		}
	case model.Queued:
		r.Attempt = s.upcoming // the one that it is queued for
	}
	if s.alive {
		r.Connected = e.epoch.Add(s.born)
		r.Handshake, r.Tools = s.handshake, s.tools
		if !s.lasted {
			r.LastsAt = e.epoch.Add(s.threshold())
		}
		if s.probe.seen {
			r.Probe = model.Probe{At: e.epoch.Add(s.probe.at), Outcome: s.probe.outcome, Latency: s.probe.latency, Timeouts: s.probe.timeouts}
		}
	}
	if s.episode.open {
		r.DownSince = u.moments.down.wall
		if a := s.episode.acked; a.on {
			r.AckedBy, r.AckedSince = a.by, u.moments.acked.wall
		}
	}
	if s.hold.on {
		r.HeldBy, r.HeldSince = s.hold.by, u.moments.held.wall
	}
	return r
}

// noteOf is what stands on the row: the answer to the last order, or the mark
// of a changed entry (C8).
func noteOf(s *state) redact.Safe {
	switch {
	case !s.note.IsZero():
		return s.note
	case s.gone:
		return redact.Word("no longer in the file: reload stops it")
	case s.changed == nil || s.changesByItself():
		return redact.Safe{}
	case s.changed.Spec == nil:
		_, why := refusedFor(s.changed.Problems)
		return redact.Sprintf("new entry refused: %s; the one in force stays", why.Without(redact.Sprintf("server %s: ", redact.Name(s.name))))
	case !s.changed.Spec.Enabled:
		return redact.Word("disabled in the file: reload stops it")
	}
	return redact.Word("its entry changed: r applies it")
}

func pendingOf(s *state) redact.Safe {
	switch {
	case s.order != nil && s.waits != nil:
		return redact.Sprintf("%s, then %s", s.order.Verb.Word(), s.waits.Verb.Word())
	case s.order != nil:
		return s.order.Verb.Word()
	}
	return redact.Safe{}
}
