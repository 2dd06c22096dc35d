package supervise

import (
	"rollcall/model"
	"rollcall/redact"
)

// restored takes over what the engine before this one knew (O5).
func (t *turn) restored(e restored) {
	t.hold = e.saved.hold
	t.episode = e.saved.episode
}

// configured takes the entry as the configuration now has it (C5, C8). With
// apply it was reloaded: what runs is restarted or stopped for it.
func (t *turn) configured(e configured) {
	if t.phase != model.Halted {
		t.note = redact.Safe{} // a refusal was about the file as it was
	}
	switch {
	case t.quits:
	case e.entry == nil:
		t.removed(e.apply)
	case t.after == afterLeave && !e.apply: // new entries wait for reload
	case t.after == afterLeave:
		// Removed and added again while it stops: new, after the reap (S).
		t.gone = false
		t.changed = e.entry
		t.addedAgain()
	default:
		t.gone = false
		t.entryChanged(*e.entry, e.apply, e.quiet)
	}
}

// addedAgain makes a server that was leaving a new one, once it is reaped: its
// entry as it then is says whether it starts. An unreapable one stays halted.
func (t *turn) addedAgain() {
	t.after = afterNothing
	t.streak = streak{}
	t.starts = 0
}

func (t *turn) removed(apply bool) {
	switch {
	case t.after == afterLeave:
		return
	case !apply:
		t.gone = true // marked; reload stops it
		return
	case len(t.survivors) > 0:
		t.after = afterLeave // the row stays until it is gone
	case t.phase == model.Starting || t.phase == model.Settling || t.phase == model.Up:
		t.hangUp(afterLeave, redact.Word("removed from the configuration"))
	case t.phase == model.Stopping:
		t.after = afterLeave
		t.ending.counted = false
	default:
		t.leave()
		return
	}
	t.gone = false
	t.dropOrders(redact.Word("it was removed from the configuration"))
	t.withdraw()
}

// leave forgets the server. No order that waits is begun any more.
func (t *turn) leave() {
	t.after = afterLeave
	t.releaseSlot()
	for which := range timerCount {
		t.disarm(which)
	}
	t.enter(model.Off, t.now)
	if t.reaping {
		t.finish()
	}
	t.dropOrders(redact.Word("it was removed from the configuration"))
	t.withdraw()
	ev := t.event(model.EvConfig)
	ev.Text = redact.Word("removed from the configuration")
	t.tell(ev)
	t.do(leave{})
}

func (t *turn) entryChanged(entry model.Entry, apply, quiet bool) {
	switch {
	case t.runsAs(entry.Spec):
		same := *t.spec // but for what is shown of it: tags
		same.Shown, same.Enabled = entry.Spec.Shown, entry.Spec.Enabled
		t.spec, t.changed = &same, nil
	case !t.runs() && entry.Spec == nil && t.changed != nil:
		t.changed = &entry // bad since it ran: the one in force goes on (S)
	case !t.runs():
		t.changed = nil
		t.applyIdle(entry, quiet)
	default:
		t.changed = &entry
		if apply {
			t.applyRunning(entry)
		}
	}
}

// runsAs reports whether an entry is as it is in force, or would change nothing
// but that it may run, which it does.
func (t *turn) runsAs(spec *model.Spec) bool {
	switch {
	case spec == nil || t.spec == nil || !t.problem.IsZero() || spec.Fingerprint != t.spec.Fingerprint:
		return false
	case spec.Enabled == t.spec.Enabled:
		return true
	}
	return spec.Enabled && t.runs() && t.phase != model.Stopping
}

// applyIdle applies an entry at once where nothing runs (C8).
func (t *turn) applyIdle(entry model.Entry, quiet bool) {
	if entry.Spec == nil {
		t.refuse(entry, quiet)
		return
	}
	had := t.spec
	t.install(entry.Spec)
	switch t.phase {
	case model.Waiting, model.Queued:
		if !entry.Spec.Enabled {
			t.disabled()
		}
	case model.Ended:
		if !entry.Spec.Enabled {
			t.disabled()
		} else if entry.Spec.Reconnect {
			t.startIfWanted()
		}
	case model.Off:
		if had == nil || entry.Spec.Enabled != had.Enabled {
			t.startIfWanted()
		}
	default: // halted, refused
		t.startIfWanted()
	}
}

// applyRunning applies a changed entry to what runs, upon reload (C8). One that
// turned bad changes nothing: the run stays up, marked (S).
func (t *turn) applyRunning(entry model.Entry) {
	switch {
	case entry.Spec == nil:
	case len(t.survivors) > 0:
	case !entry.Spec.Enabled:
		if t.phase == model.Stopping {
			t.after = afterOff
			return
		}
		t.hangUp(afterOff, redact.Word("disabled in the configuration"))
	case t.phase == model.Stopping:
		// Its reap applies the entry; what comes after stays as it was.
	default:
		t.hangUp(afterFresh, redact.Word("restart for its changed entry"))
	}
}

// applyChange puts a changed entry that waited in force, now that nothing
// runs. A bad one stays a mark: what was in force remains so (S).
func (t *turn) applyChange() bool {
	if t.changed == nil || t.changed.Spec == nil {
		return false
	}
	t.install(t.changed.Spec)
	return true
}

// install puts a spec in force. The way to the handshake is remembered for an
// entry, not for a name (T6).
func (t *turn) install(spec *model.Spec) {
	if t.spec == nil || t.spec.Fingerprint != spec.Fingerprint {
		t.legacy, t.proven = false, false
	}
	t.spec = spec
	t.changed = nil
	t.problem = redact.Safe{}
}

// startIfWanted starts a server afresh, unless it is disabled, or an operator
// disconnected it.
func (t *turn) startIfWanted() {
	switch {
	case !t.spec.Enabled:
		t.disabled()
	case t.hold.on:
		t.settleOff()
	default:
		t.fresh(false)
	}
}

// disabled: off by its entry; count and streak are forgotten (S).
func (t *turn) disabled() {
	t.attempt = 0
	t.streak = streak{}
	t.settleOff()
}

// refuse: the entry is refused; nothing of it is started (C5). Quiet: the
// alert for a bad [defaults] is another server's.
func (t *turn) refuse(entry model.Entry, quiet bool) {
	field, problem := refusedFor(entry.Problems)
	t.known = entry.Known
	if t.phase == model.Refused && t.problem == problem {
		return // reported already
	}
	t.problem = problem
	if t.hold.on {
		return // off already; the operator's word stands
	}
	t.releaseSlot()
	for which := range timerCount {
		t.disarm(which)
	}
	t.enter(model.Refused, t.now)
	if quiet {
		return
	}
	ev := t.event(model.EvRefused)
	ev.Field = redact.Name(field)
	ev.Error = problem
	ev.WillRetry = model.Some(false)
	ev.Text = redact.Sprintf("refused: %s", problem)
	t.tell(ev)
	t.openEpisode(t.now, true)
}

// refusedFor is the first error, with its field, and how many more there are (C6).
func refusedFor(problems []model.Problem) (field string, text redact.Safe) {
	more := -1
	for _, p := range problems {
		switch {
		case p.Warning:
			continue
		case more < 0:
			field, text = p.Field, p.Text
		}
		more++
	}
	if more > 0 {
		text = redact.Sprintf("%s (and %d more: rollcall check)", text, redact.Int(more))
	}
	return field, text
}
