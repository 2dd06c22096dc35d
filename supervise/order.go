package supervise

import (
	"rollcall/model"
	"rollcall/redact"
)

// ordered takes an operator's order: at once, or as the one that waits for the
// order in progress. A newer one replaces the one that waits (O1). To
// acknowledge is neither: it is answered at once.
func (t *turn) ordered(o model.Order) {
	switch {
	case t.quits:
		t.answer(o, model.Declined, "", redact.Word("rollcall is stopping"))
	case o.Verb == model.Acknowledge:
		t.acknowledge(o)
	case t.order == nil:
		t.begin(o)
	case t.waits == nil:
		t.waits = &o
	case t.waits.Verb == o.Verb:
		t.answer(o, model.Merged, "", redact.Word("the same order was waiting already"))
	default:
		t.answer(*t.waits, model.Superseded, "", redact.Sprintf("a newer order came: %s", o.Verb.Word()))
		t.waits = &o
	}
}

// begin starts to carry out an order, with nothing in progress.
func (t *turn) begin(o model.Order) {
	t.note = redact.Safe{}
	if why := t.forbids(o); !why.IsZero() {
		t.answer(o, model.Declined, "", why)
		return
	}
	t.order = &o
	switch {
	case o.Verb == model.Disconnect:
		t.disconnect(o)
	case o.InForce:
		t.carryOut(t.spec)
	default:
		t.do(readEntry{o.ID})
	}
}

// forbids says why the present phase refuses the order (O4, S); the empty text
// where it does not.
func (t *turn) forbids(o model.Order) redact.Safe {
	switch {
	case o.Verb == model.Disconnect:
		return redact.Safe{}
	case len(t.survivors) > 0:
		return survivorsText(t.survivors)
	case t.after == afterLeave:
		return redact.Word("it was removed from the configuration")
	case o.InForce && (t.spec == nil || !t.problem.IsZero()):
		return redact.Word("its entry was refused: none is in force")
	case o.Verb == model.Restart && o.Bulk && t.phase == model.Off:
		return redact.Word("it is off: an order for many leaves it off")
	case o.Verb == model.Connect:
		switch t.phase {
		case model.Queued, model.Starting, model.Settling, model.Up:
			return redact.Sprintf("it is %s already; restart starts it anew", redact.Name(t.phase.String()))
		}
	}
	return redact.Safe{}
}

// entryRead: the entry that connect and restart asked for. A refusal touches
// nothing that runs (O2).
func (t *turn) entryRead(e entryRead) {
	if t.order == nil || t.order.ID != e.id {
		return
	}
	if e.refusal != nil {
		o := *t.order
		t.order = nil
		t.note = e.refusal.Text
		t.answerRefusal(o, *e.refusal)
		t.nextOrder()
		return
	}
	// While the entry was read, the phase may have moved on by itself.
	if why := t.forbids(*t.order); !why.IsZero() {
		o := *t.order
		t.order = nil
		t.answer(o, model.Declined, "", why)
		t.nextOrder()
		return
	}
	t.carryOut(e.spec)
}

// carryOut performs connect and restart with a validated entry (S).
func (t *turn) carryOut(spec *model.Spec) {
	restart := t.order.Verb == model.Restart
	t.hold = hold{}
	switch t.phase {
	case model.Starting, model.Settling, model.Up:
		t.changed = &model.Entry{Name: t.name, Spec: spec}
		t.hangUp(afterFresh, redact.Word("restart"))
		t.reaping = true
		return
	case model.Stopping:
		t.changed = &model.Entry{Name: t.name, Spec: spec}
		switch {
		case restart:
			t.after = afterFresh
		case t.after == afterSame: // it goes on by itself, at once
		case t.after == afterRetry:
			t.after = afterNow
		default:
			t.after = afterFresh
		}
		t.reaping = true
		return
	case model.Waiting:
		t.install(spec)
		if restart {
			t.fresh(true)
		} else {
			t.enqueue(t.attempt+1, true)
		}
	default: // queued (restart alone), off, ended, halted, refused
		t.install(spec)
		t.fresh(true)
	}
	t.finish()
}

// disconnect holds until someone connects (O5).
func (t *turn) disconnect(o model.Order) {
	if !t.hold.on {
		t.hold = hold{on: true, by: o.By, since: t.now}
	}
	switch t.phase {
	case model.Starting, model.Settling, model.Up:
		t.hangUp(afterOff, redact.Word("disconnect"))
		t.reaping = true
		return
	case model.Stopping:
		if t.after != afterLeave {
			t.after = afterOff
		}
		t.reaping = true
		return
	}
	t.settleOff()
	t.finish()
}

// stopped: the run was reaped; an order that waited for that is done, unless
// a reload came between and the server is not to start.
func (t *turn) stopped() {
	if !t.reaping {
		return
	}
	if t.order.Verb == model.Disconnect || t.wanted() {
		t.finish()
		return
	}
	o := *t.order
	t.order, t.reaping = nil, false
	t.answer(o, model.Declined, "", redact.Sprintf("it is %s: a reload came between", redact.Name(t.phase.String())))
	t.nextOrder()
}

// finish answers the order in progress as done, and begins the one that waits.
func (t *turn) finish() {
	o := *t.order
	t.order, t.reaping = nil, false
	t.answer(o, model.Done, "", redact.Safe{})
	t.nextOrder()
}

func (t *turn) nextOrder() {
	if o := t.waits; o != nil && t.order == nil {
		t.waits = nil
		t.begin(*o)
	}
}

// dropOrders answers what can no longer be carried out.
func (t *turn) dropOrders(why redact.Safe) {
	t.reaping = false
	for _, o := range []**model.Order{&t.order, &t.waits} {
		if *o != nil {
			gone := **o
			*o = nil
			t.answer(gone, model.Declined, "", why)
		}
	}
}
