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
func details(r *model.Row, now time.Time) []entry {
	if r == nil {
		return nil
	}
	var s sheet
	s.state(r, now)
	s.gap()
	s.connection(r)
	s.gap()
	if r.Shown == nil {
		return s.entries
	}
	s.entry(r.Shown)
	s.gap()
	s.timings(r, now)
	return s.entries
}

func (s *sheet) state(r *model.Row, now time.Time) {
	s.add("phase", phaseTones[r.Phase], r.Phase.String()+phaseSays(r, now))
	s.add("in it for", plain, long(now.Sub(r.Since)))
	if !r.HeldSince.IsZero() {
		s.add("held", plain, held(r, now))
	}
	if !r.DownSince.IsZero() {
		s.add("down", bad, "for "+long(now.Sub(r.DownSince))+", since "+r.DownSince.Local().Format(stamp))
	}
	s.add("in progress", active, r.Pending.String())
	s.add("note", note, r.Note.String())
	if !r.LastFailure.IsZero() {
		s.add("last failure", plain, r.LastFailure.String())
		s.add("", dim, long(now.Sub(r.LastFailureAt))+" ago, "+r.LastFailureAt.Local().Format(stamp))
	}
}

// phaseSays tells what the phase means for this row, and what comes next.
func phaseSays(r *model.Row, now time.Time) string {
	attempt := "attempt " + strconv.Itoa(r.Attempt)
	switch r.Phase {
	case model.Off:
		if r.HeldSince.IsZero() {
			return ", disabled in the configuration"
		}
		return " until c connects"
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
		return ", being closed"
	case model.Ended:
		return ", reconnect is off: c connects"
	case model.Halted:
		return ", not retried: c connects"
	}
	return ", nothing was started: mend its entry and save the file"
}

func (s *sheet) connection(r *model.Row) {
	if r.Shown != nil { // nil: its entry was refused, and nothing is known of it
		s.add("protocol", plain, r.Protocol.Title()+" over "+r.Transport.String())
	}
	if r.PID != 0 {
		s.add("pid", plain, strconv.Itoa(r.PID))
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
	s.add("starts", plain, strconv.Itoa(r.Starts)+", run "+strconv.FormatUint(r.Run, 10))
	if r.Noise > 0 {
		s.add("noise", warn, several(int(r.Noise), "line")+" on stdout that is no JSON-RPC")
	}
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
