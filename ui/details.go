package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// labels are as wide as the longest of them.
const labelWidth = len("reconnect_max_interval") + 2

// sheet collects the lines of the details.
type sheet struct{ entries []entry }

func (s *sheet) add(label string, t tone, text string) {
	if text == "" {
		return
	}
	s.entries = append(s.entries, entry{seq: uint64(len(s.entries) + 1), tone: t, text: text,
		head: label + strings.Repeat(" ", max(labelWidth-len(label), 0))})
}

// gap sets groups apart.
func (s *sheet) gap() {
	s.entries = append(s.entries, entry{seq: uint64(len(s.entries) + 1), head: strings.Repeat(" ", labelWidth)})
}

// details is all that is known of a server (D6). Secrets were hidden before
// they came here.
func details(r *model.Row, u *usage, stopping bool, now time.Time) []entry {
	if r == nil {
		return nil
	}
	var s sheet
	s.state(r, stopping, now)
	s.gap()
	s.connection(r, u, now)
	s.gap()
	if r.Shown == nil {
		s.add("tags", plain, join(r.Tags(), ", "))
		return s.entries
	}
	s.entry(r.Shown)
	s.gap()
	s.timings(r, now)
	return s.entries
}

func (s *sheet) state(r *model.Row, stopping bool, now time.Time) {
	s.add("phase", phaseTones[r.Phase], r.Phase.String()+phaseSays(r, stopping, now))
	s.add("in it for", plain, long(now.Sub(r.Since)))
	if !stopping {
		s.add("what to do", note, whatToDo(r))
	}
	if !r.HeldSince.IsZero() {
		s.add("held", plain, held(r, now)+", "+r.HeldSince.Local().Format(stamp)+": until c connects, over restarts of rollcall too")
	}
	if !r.DownSince.IsZero() {
		s.add("down", bad, "for "+long(now.Sub(r.DownSince))+", since "+r.DownSince.Local().Format(stamp))
	}
	if !r.AckedSince.IsZero() {
		s.add("acknowledged", plain, acked(r, now))
	}
	s.add("in progress", active, r.Pending.String())
	s.add("note", note, r.Note.String())
	if !r.LastFailure.IsZero() {
		s.add("last failure", plain, r.LastFailure.String())
		s.add("", dim, long(now.Sub(r.LastFailureAt))+" ago, "+r.LastFailureAt.Local().Format(stamp))
	}
}

// acked says who knows of the open episode, and until when that holds.
func acked(r *model.Row, now time.Time) string {
	by := ""
	if !r.AckedBy.IsZero() {
		by = "by " + r.AckedBy.String() + ", "
	}
	return by + long(now.Sub(r.AckedSince)) + " ago, until it recovers or gets worse"
}

// strangeRevision is in the engine's words for a server that names no revision
// that rollcall speaks (H1).
const strangeRevision = "; rollcall speaks "

// whatToDo is the operator's next step, where there is one (D7). What the
// failure itself says of it stands in its own line.
func whatToDo(r *model.Row) string {
	switch {
	case r.Shown == nil:
		return "mend its entry and save the file"
	case r.Phase == model.Halted && strings.Contains(r.LastFailure.String(), strangeRevision):
		return "set protocol_version to a revision that both speak, or update the server, then c"
	case r.Phase == model.Halted:
		return "mend what the last failure says, then c"
	case r.Phase == model.Ended, r.Phase == model.Off && !r.HeldSince.IsZero():
		return "c connects it"
	case r.Phase == model.Off:
		return "c connects it now; enabled = true in its entry keeps it"
	case r.Phase == model.Waiting && !r.DownSince.IsZero():
		return "2 shows what it said last; c tries it now, r reads its entry anew"
	case r.Phase == model.Waiting:
		return "nothing: it is tried again; c tries it now"
	case probed(r) && r.Probe.Timeouts > 0:
		return "nothing yet: the third probe in a row without success ends the connection"
	}
	return ""
}

// phaseSays tells what the phase means for this row, and what comes next.
func phaseSays(r *model.Row, stopping bool, now time.Time) string {
	attempt := "attempt " + strconv.Itoa(r.Attempt)
	switch r.Phase {
	case model.Off:
		if r.HeldSince.IsZero() {
			return ", " + whyOff(stopping)
		}
		return ", disconnected by an operator"
	case model.Queued:
		return ", " + attempt + " waits for a start slot"
	case model.Starting:
		return ", " + attempt + " is in flight"
	case model.Settling:
		return " " + settled(r, now) + " s, " + attempt
	case model.Up:
		return ", connected for " + long(now.Sub(r.Connected))
	case model.Waiting:
		return ", " + attempt + " failed, next try in " + countdown(r.Next.Sub(now))
	case model.Stopping:
		if r.StageAt.IsZero() {
			return ", being closed"
		}
		return ", " + r.Stage.String() + " " + long(now.Sub(r.StageAt)) + " ago"
	case model.Ended:
		return ", reconnect is off"
	case model.Halted:
		return ", not retried"
	}
	return ", nothing was started"
}

func (s *sheet) connection(r *model.Row, u *usage, now time.Time) {
	if t, known := r.Via(); r.Shown != nil {
		s.add("protocol", plain, r.Protocol.Title()+" over "+t.String())
	} else if known { // its entry was refused
		s.add("transport", plain, t.String())
	}
	if r.PID != 0 {
		s.add("pid", plain, strconv.Itoa(r.PID))
		s.add("memory", plain, u.memory())
		s.add("cpu", plain, u.cpu())
	}
	if h := r.Handshake; h != nil {
		s.add("server", plain, h.Server.String())
		revision := h.Revision.String()
		if h.Legacy {
			revision += ", by initialize"
		}
		s.add("revision", plain, revision)
		s.add("capabilities", plain, join(h.Capabilities, ", "))
	}
	if r.Tools.Ok {
		s.add("tools", plain, strconv.Itoa(r.Tools.V))
	}
	s.add("last probe", plain, lastProbe(r.Probe, now))
	s.add("starts", plain, strconv.Itoa(r.Starts)+", run "+strconv.FormatUint(r.Run, 10))
	if r.Lines > 0 {
		s.add("log", plain, several(int(r.Lines), "line")+" since rollcall started")
	}
	if r.Noise > 0 {
		s.add("noise", warn, several(int(r.Noise), "line")+" on stdout that is no JSON-RPC")
	}
}

// lastProbe is what the last probe came to, and when: `alive in 41 ms, 50 s
// ago`; empty where there was none. A probe that had no success has the row that
// it makes (P3).
func lastProbe(p model.Probe, now time.Time) string {
	if p.IsZero() {
		return ""
	}
	text := p.Outcome.String()
	if p.Outcome == model.Alive {
		text += " in " + latency(p.Latency)
	}
	text += ", " + long(now.Sub(p.At)) + " ago"
	if p.Timeouts > 0 {
		text += ", " + strconv.Itoa(p.Timeouts) + " of 3 in a row"
	}
	if p.Outcome != model.Alive && p.Latency > 0 {
		text += "; the last alive took " + latency(p.Latency)
	}
	return text
}

func (s *sheet) entry(e *model.Shown) {
	s.add("command", plain, e.Command.String())
	s.add("url", plain, e.URL.String())
	s.add("cwd", plain, e.Dir.String())
	s.add("environment", plain, join(e.Env, ", "))
	s.add("headers", plain, join(e.Headers, ", "))
	s.judged("treated as secret", e.Secrets)
	s.judged("shown as it is", e.Open)
	s.add("tags", plain, join(e.Tags, ", "))
}

func (s *sheet) timings(r *model.Row, now time.Time) {
	t := r.Shown.Timings
	lasting := "after " + num(r.Lasting/time.Second) + " s"
	if r.Phase == model.Settling {
		lasting += ", " + long(max(r.Lasting-now.Sub(r.Connected), 0)) + " to go"
	}
	s.add("lasts", plain, lasting)
	if !r.Shown.Reconnect {
		s.add("reconnect", warn, "off: an end is not followed by another attempt")
	}
	for _, x := range []struct {
		name string
		t    model.Timing
	}{
		{"reconnect_interval", t.ReconnectInterval}, {"reconnect_max_interval", t.ReconnectMaxInterval},
		{"lasting_after", t.LastingAfter}, {"start_timeout", t.StartTimeout},
		{"probe_interval", t.ProbeInterval}, {"probe_timeout", t.ProbeTimeout}, {"stop_grace", t.StopGrace},
	} {
		if x.t.D > 0 {
			value := x.t.Text().String()
			s.add(x.name, plain, value+strings.Repeat(" ", max(8-len(value), 1))+x.t.From.String())
		}
	}
}

// judged lists names, each reason's together.
func (s *sheet) judged(label string, list []model.Judged) {
	var whys []string
	names := map[string][]string{}
	for _, j := range list {
		why := j.Why.String()
		if names[why] == nil {
			whys = append(whys, why)
		}
		names[why] = append(names[why], j.Name.String())
	}
	for _, why := range whys {
		s.add(label, plain, strings.Join(names[why], ", ")+": "+why)
		label = ""
	}
}

// join joins texts for a line.
func join[T fmt.Stringer](texts []T, sep string) string {
	words := make([]string, len(texts))
	for i, t := range texts {
		words[i] = t.String()
	}
	return strings.Join(words, sep)
}
