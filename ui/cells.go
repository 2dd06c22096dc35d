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
		switch {
		case t.layout.tight:
			return dim, tightSpan(now.Sub(r.Since))
		case r.Phase == model.Settling:
			return phaseTones[r.Phase], settled(r, now) + "s"
		}
		return dim, span(now.Sub(r.Since))
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
	case r.Probe.IsZero() || r.Phase != model.Up && r.Phase != model.Settling:
		return dim, l.signs.none
	case r.Probe.Timeouts > 0 && r.Probe.Outcome == model.ProbeError:
		return warn, strconv.Itoa(r.Probe.Timeouts) + "/3 error"
	case r.Probe.Timeouts > 0:
		return warn, strconv.Itoa(r.Probe.Timeouts) + "/3 slow"
	}
	return dim, latency(r.Probe.Latency)
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
	if r.Phase == model.Settling && t.layout.tight && !r.LastsAt.IsZero() {
		put(phaseTones[r.Phase], "up in "+countdown(r.LastsAt.Sub(now)))
		gap = " " + c.look.signs.dot + " "
	}
	if !r.Pending.IsZero() {
		put(active, r.Pending.String())
		gap = " " + c.look.signs.dot + " "
	}
	if !r.Note.IsZero() {
		put(note, gap+c.look.ofRow(r.Note.String(), r.Server, c.left-before-c.look.width(gap)))
		gap = " " + c.look.signs.dot + " "
	}
	if !r.AckedSince.IsZero() {
		put(dim, gap+acknowledged(r, now))
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

// acknowledged says who knows of the open episode, and since when.
func acknowledged(r *model.Row, now time.Time) string {
	by := "acknowledged"
	if !r.AckedBy.IsZero() {
		by += " by " + r.AckedBy.String()
	}
	return by + " " + long(now.Sub(r.AckedSince)) + " ago"
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
