package supervise

import (
	"crypto/sha256"
	"fmt"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// What befalls the servers of the simulation.

// live plans a run as the transport would report it.
func (f *fleet) live(p *patient, d dial) {
	if p.fate.IntN(8) == 0 {
		p.mood = mood(p.fate.IntN(int(moods)))
	}
	report := func(in time.Duration, ev model.RunEvent) {
		f.at(p, in, reported{f.now + in, d.run, ev})
	}
	start := time.Duration(p.fate.IntN(1000)) * time.Millisecond
	report(0, model.Launched{PID: 1000})
	var end model.End
	switch p.mood {
	case dying:
		end = exit(1)
		if p.fate.IntN(4) == 0 {
			start, end = d.timeout, model.End{Cause: model.StartTimedOut}
		}
	case permanent:
		end = model.End{Cause: model.CommandMissing + model.Cause(p.fate.IntN(4))}
		p.mood = mood(p.fate.IntN(int(moods))) // it is mended, perhaps
	case busy:
		end = model.End{Cause: model.HTTPStatus, RetryAfter: time.Duration(p.fate.IntN(3600)) * time.Second}
	case oldFashion:
		if !d.legacy {
			end = model.End{Cause: model.DiscoveryRefused, ExitCode: model.Some(1)}
			break
		}
		fallthrough
	default:
		report(start, model.Handshaken{Handshake: model.Handshake{Legacy: d.legacy}})
		settle := start + time.Duration(p.fate.IntN(3))*time.Second
		life := f.lifetime(p, d.spec.Timings.Lasting())
		if start+life >= settle {
			report(settle, model.Connected{})
		}
		start, end = start+life, p.ending()
	}
	if p.mood == hanging {
		return // it never ends of itself
	}
	report(start, model.Closed{End: end})
	f.reap(p, d.run, start)
}

// dieTogether ends every connection in one instant, as a lost network does (B6).
func (f *fleet) dieTogether() {
	for _, p := range f.all {
		if p.s.alive && !p.audit.closing && !p.gone {
			p.cut = cut{p.s.run, f.now, f.planned}
			f.at(p, 0, reported{f.now, p.s.run, model.Closed{End: model.End{Cause: model.TransportBroken}}})
			f.reap(p, p.s.run, 0)
		}
	}
}

// lifetime is how long a connection lives.
func (f *fleet) lifetime(p *patient, lasting time.Duration) time.Duration {
	short := []time.Duration{0, time.Millisecond, 10 * time.Second, lasting - time.Millisecond}
	long := []time.Duration{lasting, lasting + time.Millisecond, time.Hour, 7 * time.Hour}
	switch {
	case p.mood == sound:
		return time.Duration(p.fate.ExpFloat64() * float64(10*24*time.Hour))
	case p.mood == crashing || p.mood == forgetful && p.fate.IntN(2) == 0:
		return long[p.fate.IntN(len(long))]
	}
	return short[p.fate.IntN(len(short))]
}

func (p *patient) ending() model.End {
	if p.mood == forgetful {
		return model.End{Cause: model.SessionMissing}
	}
	return []model.End{exit(0), exit(1), exit(143),
		{Cause: model.Signalled, Signal: redact.Word("killed")},
		{Cause: model.ClosedByPeer, CloseCode: model.Some(1011)},
		{Cause: model.TransportBroken}}[p.fate.IntN(6)]
}

// reap plans the reap of a run that closes in so long: mostly at once, at times
// it takes its grace, and rarely it leaves something behind.
func (f *fleet) reap(p *patient, run uint64, in time.Duration) {
	switch p.fate.IntN(8) {
	case 0:
		f.at(p, in+5*time.Second, reported{f.now + in + 5*time.Second, run, model.Staged{Stage: model.KillSent}})
		in += 7 * time.Second
	case 1, 2:
		in += 250 * time.Millisecond
	}
	var survivors []int
	if p.fate.IntN(200) == 0 {
		survivors = []int{1000}
		gone := in + time.Duration(1+p.fate.IntN(100))*time.Minute
		f.at(p, gone, reported{f.now + gone, run, model.Gone{}})
	}
	f.at(p, in, reported{f.now + in, run, model.Reaped{Survivors: survivors}})
}

// hangUp ends a run as the transport does when it is told to: what was to come
// of itself does not come any more, and the reap does.
func (f *fleet) hangUp(p *patient, run uint64) {
	if p.audit.closing { // it was ending already, its reap is on its way
		return
	}
	p.cut = cut{run, f.now, f.planned}
	in := time.Duration(p.fate.IntN(300)) * time.Millisecond
	f.at(p, in, reported{f.now + in, run, model.Closed{End: exit(143)}})
	f.reap(p, run, in)
}

// cut is a run that was hung up: what had been planned for later is no more.
type cut struct {
	run     uint64
	at      instant
	planned uint64
}

// off reports whether an item was cut off.
func (c cut) off(it item) bool {
	r, ok := it.event.(reported)
	return ok && r.run == c.run && it.at > c.at && it.rank <= c.planned
}

// probe plans a probe's outcome.
func (f *fleet) probe(p *patient, pr probe) {
	r := model.Probed{Outcome: model.Alive, Elapsed: 5 * time.Millisecond}
	switch k := p.fate.IntN(3000); {
	case p.mood == hanging && k < 2000, k < 20:
		r = model.Probed{Outcome: model.TimedOut, Elapsed: pr.window}
	case k < 30:
		r = model.Probed{Outcome: model.ProbeError, Elapsed: time.Second, Text: redact.Word("HTTP 503"),
			End: model.End{Cause: model.HTTPStatus, RetryAfter: time.Duration(p.fate.IntN(600)) * time.Second}}
	case k < 32:
		r.Outcome, r.End = model.Missing, model.End{Cause: model.SessionMissing}
	case k < 34:
		r.Outcome, r.End = model.Broken, model.End{Cause: model.TransportBroken}
	case k < 35:
		r.Outcome, r.End = model.ProbeError, model.End{Cause: model.NeedsCredentials}
	}
	f.at(p, r.Elapsed, probed{f.now + r.Elapsed, pr.run, r})
}

func (f *fleet) timer(p *patient, e startTimer) {
	set := p.s.timers[e]
	due := max(set.due, f.now)
	f.at(p, due-f.now, timerFired{due, timer(e), set.token})
}

func (f *fleet) read(p *patient, id string) {
	in := time.Duration(p.fate.IntN(4)) * time.Second
	answer := entryRead{at: f.now + in, id: id}
	if p.file == nil || p.file.Spec == nil || p.fate.IntN(10) == 0 {
		answer.refusal = &model.Refusal{Field: "command"}
	} else {
		answer.spec = p.file.Spec
	}
	f.at(p, in, answer)
}

// entry is what the configuration may say of a server.
func (p *patient) entry() *model.Entry {
	if p.fate.IntN(25) == 0 {
		return &model.Entry{Name: p.name, Problems: []model.Problem{{Server: p.name, Field: "command", Text: redact.Word("bad")}}}
	}
	s := &model.Spec{Name: p.name, Enabled: p.fate.IntN(25) > 0, Reconnect: p.fate.IntN(10) > 0, Timings: model.DefaultTimings(), Shown: &model.Shown{}}
	ts := &s.Timings
	ts.ProbeInterval.D = 15 * time.Minute
	switch p.fate.IntN(8) {
	case 0:
		ts.ReconnectInterval.D, ts.ReconnectMaxInterval.D = time.Second, 2*time.Hour
	case 1:
		ts.ReconnectMaxInterval.D = model.Forever
	case 2:
		ts.ReconnectInterval.D, ts.ReconnectMaxInterval.D = 10*time.Second, 2*time.Second
	}
	s.Fingerprint = sha256.Sum256(fmt.Append(nil, s.Reconnect, ts.ReconnectInterval.D, ts.ReconnectMaxInterval.D))
	return &model.Entry{Name: p.name, Spec: s}
}
