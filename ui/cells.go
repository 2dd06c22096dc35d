package ui

import (
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// cell is the text of one cell of the table, and what it means.
func (t *table) cell(l *look, col column, r *model.Row, now time.Time) (tone, string) {
	switch col {
	case colName:
		return nameTone(r), r.Server
	case colPhase:
		return phaseTones[r.Phase], l.phases[r.Phase] + " " + r.Phase.String()
	case colAttempt:
		if r.Attempt == 0 {
			return dim, "0"
		}
		return plain, strconv.Itoa(r.Attempt)
	case colNext:
		if r.Phase != model.Waiting || r.Next.IsZero() {
			return plain, ""
		}
		return plain, countdown(r.Next.Sub(now))
	case colFor:
		since, down := sinceWhen(r)
		switch age := now.Sub(since); {
		case down && t.layout.tight:
			return bad, l.signs.downFor + tightSpan(age)
		case down:
			return bad, l.signs.downFor + longSpan(age)
		case t.layout.tight:
			return dim, tightSpan(age)
		case r.Phase == model.Settling:
			return phaseTones[r.Phase], settled(r, now) + "s"
		default:
			return dim, span(age)
		}
	case colProbe:
		return probe(l, r)
	case colStarts:
		return dim, strconv.Itoa(r.Starts)
	case colVia:
		return dim, via(l, r)
	case colTags:
		return dim, t.tagsOf[tagsKey(r)]
	}
	return plain, ""
}

// sinceWhen is the instant from which FOR counts, and whether that is when the
// server went down. It amends D1, which has the time in the phase: of one that is
// down and being retried the phase is as old as the last attempt, and says nothing
// of since when nobody answers. One that settles is connected, one that was
// acknowledged wants nobody, and where nothing is retried the phase's age says it.
func sinceWhen(r *model.Row) (since time.Time, down bool) {
	if r.DownSince.IsZero() || !r.AckedSince.IsZero() {
		return r.Since, false
	}
	switch r.Phase {
	case model.Queued, model.Starting, model.Waiting, model.Stopping:
		return r.DownSince, true
	}
	return r.Since, false
}

// settled is the connection's life over the threshold, in seconds: `112/300`.
func settled(r *model.Row, now time.Time) string {
	life := clamp(int(now.Sub(r.Connected)/time.Second), 0, int(r.Lasting/time.Second))
	return strconv.Itoa(life) + "/" + num(r.Lasting/time.Second)
}

// nameTone makes names of servers that nobody wants as quiet as they are.
func nameTone(r *model.Row) tone {
	if r.Phase == model.Off {
		return dim
	}
	return plain
}

// probe is the latency of the last probe, or how many in a row had no success.
func probe(l *look, r *model.Row) (tone, string) {
	switch {
	case !probed(r):
		return dim, l.signs.none
	case r.Probe.Timeouts > 0 && r.Probe.Outcome == model.ProbeError:
		return warn, strconv.Itoa(r.Probe.Timeouts) + "/3 error"
	case r.Probe.Timeouts > 0:
		return warn, strconv.Itoa(r.Probe.Timeouts) + "/3 slow"
	}
	return dim, latency(r.Probe.Latency)
}

// probed reports whether a row has a probe of its present connection to show.
func probed(r *model.Row) bool {
	return !r.Probe.IsZero() && (r.Phase == model.Up || r.Phase == model.Settling)
}

// via is a transport's short word; that of a refused entry may not be known.
func via(l *look, r *model.Row) string {
	switch t, known := r.Via(); {
	case !known:
		return l.signs.none
	case t == model.WebSocket:
		return "ws"
	default:
		return t.String()
	}
}

// drawLast writes the last column: what is in progress, what an operator
// should know, what failed last.
func (t *table) drawLast(c *canvas, r *model.Row, width int, now time.Time) {
	before := c.left - min(width, c.left) // what may be left of the line afterwards
	put := func(tn tone, s string) {
		if s != "" && c.left > before {
			c.put(tn, c.look.cut(s, c.left-before))
		}
	}
	gap := ""
	if tn, slow := probe(c.look, r); tn == warn && !t.layout.has(colProbe) {
		put(tn, slow)
		gap = " " + c.look.signs.dot + " "
	}
	if !r.AckedSince.IsZero() {
		put(dim, gap+acknowledged(c.look, r, now, c.left-before-c.look.width(gap)-c.look.toSay(r)))
		gap = " " + c.look.signs.dot + " "
	}
	if r.Phase == model.Settling && t.layout.tight && !r.LastsAt.IsZero() {
		put(phaseTones[r.Phase], gap+"up in "+countdown(r.LastsAt.Sub(now)))
		gap = " " + c.look.signs.dot + " "
	}
	if !r.Pending.IsZero() {
		put(active, gap+r.Pending.String())
		gap = " " + c.look.signs.dot + " "
	}
	if !r.Note.IsZero() {
		put(note, gap+c.look.ofRow(r.Note.String(), r.Server, c.left-before-c.look.width(gap)))
		gap = " " + c.look.signs.dot + " "
	}
	if !r.HeldSince.IsZero() && r.Pending.IsZero() {
		put(dim, gap+held(r, now))
		gap = " " + c.look.signs.dot + " "
	}
	switch {
	case r.Phase == model.Off && r.HeldSince.IsZero():
		put(dim, gap+whyOff(t.stopping))
	case r.Phase == model.Off:
	case !r.LastFailure.IsZero():
		put(failureTone(r), gap+c.look.telling(r.LastFailure.String(), c.left-before-c.look.width(gap)))
	}
}

// enough is how many cells say why, most often.
const enough = 36

// toSay is how many cells what else an acknowledged row says wants, with what
// stands before each.
func (l *look) toSay(r *model.Row) (w int) {
	for _, s := range []string{r.Pending.String(), r.Note.String(), r.LastFailure.String()} {
		if s != "" {
			w += l.width(" " + l.signs.dot + " " + s)
		}
	}
	return min(w, enough)
}

// telling is a failure with what tells least left out, or last, where it would
// else be cut within w cells: of how a run ended that is after how long, of what
// could not be dialled what was dialled.
func (l *look) telling(s string, w int) string {
	if l.width(s) <= w {
		return s
	}
	how, said, both := strings.Cut(s, " · ")
	if i := strings.LastIndex(how, ": "); i > 0 && strings.HasPrefix(how, "dial ") {
		how = how[i+2:] + ": " + strings.TrimSuffix(how[:i], ": connect")
	}
	if !both {
		return how
	}
	if i := strings.LastIndex(how, " after "); i > 0 {
		how = strings.TrimSuffix(how[:i], ",")
	}
	return how + " · " + said
}

// ofRow is a note on a server's row without the place and the name before it,
// where it would else be cut within w cells: the pane has both.
func (l *look) ofRow(s, server string, w int) string {
	if l.width(s) <= w {
		return s
	}
	if _, rest, ok := strings.Cut(s, "server "+server+": "); ok {
		return rest
	}
	return s
}

// whyOff says why a server is off that no operator disconnected. While rollcall
// stops nothing tells those that it stopped from those that were disabled.
func whyOff(stopping bool) string {
	if stopping {
		return "rollcall is stopping"
	}
	return "disabled in the configuration"
}

// acknowledged says who knows of the open episode, and since when; where that
// takes more than w cells, that somebody does: the details have the rest.
func acknowledged(l *look, r *model.Row, now time.Time, w int) string {
	text := "acknowledged"
	if !r.AckedBy.IsZero() {
		text += " by " + r.AckedBy.String()
	}
	if text += " " + long(now.Sub(r.AckedSince)) + " ago"; l.width(text) > w {
		return "acked"
	}
	return text
}

// held says who disconnected a server, and when.
func held(r *model.Row, now time.Time) string {
	by := "off"
	if r.Phase != model.Off { // it could not be ended
		by = "disconnected"
	}
	switch {
	case !r.HeldBy.IsZero() && r.Phase == model.Off:
		by += ", by " + r.HeldBy.String()
	case !r.HeldBy.IsZero():
		by += " by " + r.HeldBy.String()
	}
	return by + " " + long(now.Sub(r.HeldSince)) + " ago"
}

// failureTone lets a failure that was overcome fade.
func failureTone(r *model.Row) tone {
	switch {
	case !r.AckedSince.IsZero(), r.Phase == model.Up, r.Phase == model.Settling, r.Phase == model.Off:
		return dim
	}
	return plain
}
