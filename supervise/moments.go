package supervise

import "time"

// moments are when what outlives an engine (O5) began, by the wall clock of then.
// The engine's own time stands still while the host sleeps: counted back from now
// they would move.
type moments struct{ held, down, acked moment }

type moment struct {
	at   instant
	wall time.Time // without a monotonic reading; zero: there is none
}

// noteMoments notes those that have changed. It is called as soon as they have.
func (e *Engine) noteMoments(u *unit) {
	h, ep := u.state.hold, u.state.episode
	e.noteMoment(&u.moments.held, h.on, h.since)
	e.noteMoment(&u.moments.down, ep.open, ep.since)
	e.noteMoment(&u.moments.acked, ep.open && ep.acked.on, ep.acked.since)
}

func (e *Engine) noteMoment(m *moment, on bool, at instant) {
	switch {
	case !on:
		*m = moment{}
	case m.wall.IsZero() || m.at != at:
		*m = moment{at, e.wall(at).Round(0)}
	}
}
