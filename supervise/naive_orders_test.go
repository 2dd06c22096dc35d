package supervise

import (
	"slices"

	"rollcall/model"
)

// The naive model's third part: orders (O, S) and the configuration (C8).

func (n *naive) answer(o **model.Order, result string) {
	if *o != nil {
		n.tell("order %s %s", (*o).ID, result)
		*o = nil
	}
}

// answered answers the order in progress; the one that waited is next (O1).
func (n *naive) answered(at instant, result string) {
	n.read = false
	n.answer(&n.order, result)
	if o := n.waits; o != nil {
		n.waits = nil
		n.take(at, o)
	}
}

func (n *naive) ordered(at instant, o *model.Order) {
	switch {
	case n.stopped:
		n.answer(&o, "refused")
	case o.Verb == model.Acknowledge && n.episode:
		n.acked = true
		n.answer(&o, "done")
	case o.Verb == model.Acknowledge:
		n.answer(&o, "refused")
	case n.order == nil:
		n.take(at, o)
	case n.waits != nil && n.waits.Verb == o.Verb:
		n.answer(&o, "merged")
	default:
		n.answer(&n.waits, "superseded")
		n.waits = o
	}
}

func (n *naive) in(phases ...model.Phase) bool { return slices.Contains(phases, n.phase) }

func (n *naive) take(at instant, o *model.Order) {
	n.order = o
	switch {
	case o.Verb == model.Disconnect:
		n.disconnect(at)
	case n.refuses():
		n.answered(at, "refused")
	case o.InForce:
		n.carry(at, n.spec)
	default:
		n.read = true
		n.act("read %s", o.ID)
	}
}

// refuses is O4, H2, an entry that is not in force or not there, and an order
// for many on a server that is off.
func (n *naive) refuses() bool {
	o := n.order
	return n.stuck || n.removed || o.InForce && n.spec == nil ||
		o.Verb == model.Connect && n.in(model.Queued, model.Starting, model.Settling, model.Up) ||
		o.Verb == model.Restart && o.Bulk && n.phase == model.Off
}

func (n *naive) entryRead(at instant, id string, spec *model.Spec) {
	switch {
	case !n.read || n.order.ID != id:
	case spec == nil || n.refuses():
		n.answered(at, "refused")
	default:
		n.carry(at, spec)
	}
}

// carry carries out a connect or a restart (S).
func (n *naive) carry(at instant, spec *model.Spec) {
	n.held, n.read = false, false
	if n.in(model.Starting, model.Settling, model.Up, model.Stopping) {
		n.pending = &model.Entry{Spec: spec}
		again := n.order.Verb == model.Connect
		switch {
		case n.phase != model.Stopping:
			n.hangUp(at, "fresh")
		case again && (n.then == "session" || n.then == "relaunch"): // it goes on by itself
		case again && (n.then == "retry" || n.then == "connect"):
			n.then = "connect"
		default:
			n.then = "fresh"
		}
		return
	}
	n.install(spec)
	n.known = true
	if n.order.Verb == model.Connect && n.phase == model.Waiting {
		n.want(n.next)
	} else {
		n.afresh(at)
	}
	n.answered(at, "done")
}

func (n *naive) disconnect(at instant) {
	n.held = true
	switch {
	case n.phase == model.Stopping:
		n.silenceAt = never
		if n.then != "leave" {
			n.then = "off"
		}
	case n.in(model.Starting, model.Settling, model.Up):
		n.hangUp(at, "off")
	case n.stuck, n.phase == model.Off:
		n.withdraw()
		n.answered(at, "done")
	default:
		n.off()
		n.answered(at, "done")
	}
}

func (n *naive) configured(at instant, e *model.Entry, apply bool) {
	switch {
	case n.stopped, e == nil && (!apply || n.removed):
	case e == nil:
		n.remove(at)
	case n.removed && !apply: // new entries wait for reload
	case n.removed:
		n.addAgain(e)
	case n.unchanged(e.Spec):
		same := *n.spec
		same.Enabled = e.Spec.Enabled
		n.spec, n.pending = &same, nil
	case n.in(model.Starting, model.Settling, model.Up, model.Stopping) || n.stuck:
		if n.pending = e; apply && e.Spec != nil && !n.stuck {
			n.reload(at, e.Spec)
		}
	case e.Spec == nil && (n.known && n.spec == nil || n.pending != nil): // reported, or marked
	default:
		n.apply(at, e.Spec)
	}
}

// unchanged: as it is in force, or what runs may now run.
func (n *naive) unchanged(spec *model.Spec) bool {
	return n.spec != nil && spec != nil && n.spec.Fingerprint == spec.Fingerprint && (n.spec.Enabled == spec.Enabled ||
		spec.Enabled && (n.stuck || n.in(model.Starting, model.Settling, model.Up)))
}

// addAgain: new, after the reap (S).
func (n *naive) addAgain(e *model.Entry) {
	n.removed, n.pending = false, e
	n.losses, n.unsteady = nil, false
	if n.phase == model.Stopping {
		n.then = "off" // where it starts if it is wanted
	}
}

// reload: what runs is stopped or started anew for its changed entry.
func (n *naive) reload(at instant, spec *model.Spec) {
	stopping := n.phase == model.Stopping
	switch {
	case stopping && !spec.Enabled:
		n.then, n.silenceAt = "off", never
	case stopping:
	case !spec.Enabled:
		n.hangUp(at, "off")
	default:
		n.hangUp(at, "fresh")
	}
}

// apply: a changed entry where nothing runs (C8).
func (n *naive) apply(at instant, spec *model.Spec) {
	was := n.spec
	n.known, n.spec = true, nil
	if spec != nil {
		n.install(spec)
	}
	switch {
	case spec == nil && n.held: // O5: it stays off
	case spec == nil:
		n.rest(model.Refused)
		n.worse()
		n.tell("refused")
	case !spec.Enabled:
		n.disabled()
	case n.held:
		n.withdraw()
	case n.in(model.Halted, model.Refused), n.phase == model.Off && (was == nil || !was.Enabled), n.phase == model.Ended && spec.Reconnect:
		n.afresh(at)
	}
}

func (n *naive) remove(at instant) {
	n.removed, n.end = true, nil
	switch {
	case n.stuck:
	case n.in(model.Starting, model.Settling, model.Up):
		n.hangUp(at, "leave")
	case n.phase == model.Stopping:
		n.then, n.noNumber = "leave", true
	default:
		n.leave(at)
		return
	}
	n.refuseOrders()
	n.withdraw()
}

func (n *naive) shutdown(at instant) {
	n.stopped = true
	switch {
	case n.in(model.Starting, model.Settling, model.Up):
		n.hangUp(at, "off")
	case n.phase != model.Stopping:
		n.rest(model.Off)
	}
	n.retryAt, n.silenceAt = never, never
	n.refuseOrders()
}
