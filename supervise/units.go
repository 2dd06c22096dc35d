package supervise

import (
	"fmt"
	"slices"

	"rollcall/model"
)

func toText(p any) string { return fmt.Sprint(p) }

func (e *Engine) addUnit(name string) *unit {
	u := &unit{name: name, state: newState(name, seedOf(e.opts.Host.String(), name))}
	u.tail = newTail(name, func() {
		e.call(func() { e.markStale(u) })
	})
	u.spends = u.state.spends()
	u.day = &day{on: u.spends, until: e.now()}
	u.order = len(e.units)
	e.moved = true
	e.units = append(e.units, u)
	e.byName[name] = u
	e.lines.add(u.tail)
	e.days.set(name, u.day)
	e.history.know(name)
	e.markStale(u)
	return u
}

func (e *Engine) removeUnit(u *unit) {
	u.left = true
	for _, t := range u.timers {
		if t != nil {
			t.Stop()
		}
	}
	e.setWait(u, waitsNot)
	e.units = slices.DeleteFunc(e.units, func(x *unit) bool { return x == u })
	if e.byName[u.name] == u {
		delete(e.byName, u.name)
		e.lines.forget(u.name)
		e.days.forget(u.name)
		e.history.forget(u.name)
	}
	e.saver.dirty = true
	e.changed, e.moved = true, true
}

// configure hands each server its entry, in the file's order (C5, C8). Several
// entries that a bad [defaults] refuses share one alert.
func (e *Engine) configure(entries []model.Entry, apply bool) {
	if e.stopping {
		return
	}
	e.unknown = nil
	there := map[string]bool{}
	alerted := map[string]bool{}
	for i := range entries {
		entry := entries[i]
		there[entry.Name] = true
		u := e.byName[entry.Name]
		if !apply && (u == nil || u.state.after == afterLeave) {
			e.unknown = append(e.unknown, entry.Name)
		}
		if u == nil {
			if !apply {
				continue // new entries wait for reload
			}
			u = e.addUnit(entry.Name)
		}
		u.order = i
		shared := sharedProblem(entry)
		e.handle(u, configured{e.now(), &entry, apply, shared != "" && alerted[shared]})
		alerted[shared] = true
	}
	for _, u := range slices.Clone(e.units) {
		if !there[u.name] {
			e.handle(u, configured{at: e.now(), apply: apply})
		}
	}
	slices.SortStableFunc(e.units, func(a, b *unit) int { return a.order - b.order })
	e.changed, e.moved = true, true
}

// sharedProblem is the text of a [defaults] problem that refuses the entry
// among others, or "".
func sharedProblem(entry model.Entry) string {
	if entry.Spec != nil {
		return ""
	}
	for _, p := range entry.Problems {
		if p.Warning {
			continue
		}
		if len(p.Inherit) > 0 {
			return p.Text.String()
		}
		return ""
	}
	return ""
}

// inForce are the entries that run or would run. What is leaving is not there.
func (e *Engine) inForce() []model.Entry {
	entries := make([]model.Entry, 0, len(e.units))
	for _, u := range e.units {
		if s := &u.state; s.after != afterLeave {
			entries = append(entries, s.inForce())
		}
	}
	return entries
}

func (s *state) inForce() model.Entry {
	entry := model.Entry{Name: s.name}
	switch {
	case s.changesByItself() && s.changed != nil && s.changed.Spec != nil:
		entry.Spec = s.changed.Spec
	case s.problem.IsZero():
		entry.Spec = s.spec
	}
	return entry
}

// changesByItself reports whether a changed entry comes into force without a
// reload: when the run is reaped.
func (s *state) changesByItself() bool {
	return s.phase == model.Stopping || len(s.survivors) > 0
}

// wait is what of a server waits for reload.
type wait uint8

const (
	waitsNot wait = iota
	waitsChanged
	waitsRemoved
)

func waitOf(s *state) wait {
	switch {
	case s.gone:
		return waitsRemoved
	case s.changed != nil && s.changed.Spec != nil && !s.changesByItself():
		return waitsChanged
	}
	return waitsNot
}

// setWait keeps the count of what waits.
func (e *Engine) setWait(u *unit, now wait) {
	count := func(w wait, n int) {
		switch w {
		case waitsChanged:
			e.waits.Changed += n
		case waitsRemoved:
			e.waits.Removed += n
		}
	}
	count(u.waits, -1)
	count(now, +1)
	u.waits = now
}
