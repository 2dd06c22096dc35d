package supervise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// newServer begins a scenario: `server reconnect_interval=5s …`.
func (p *player) newServer(words []string) {
	*p = player{t: p.t, s: newState("s", seedOf("host", "s"))}
	p.s.spread = 0
	var restore *saved
	var rest []string
	for _, w := range words {
		switch k, v, _ := strings.Cut(w, "="); {
		case k == "slots":
			p.manual = v == "manual"
		case w == "restored=hold":
			restore = &saved{hold: hold{on: true, by: redact.Word("anna"), since: -time.Hour}}
		case w == "restored=episode":
			restore = &saved{episode: episode{open: true, since: -time.Hour}}
		case w == "restored=acked-halt":
			restore = &saved{episode: episode{open: true, since: -time.Hour, permanent: true, repeats: true, acked: acked{on: true, by: redact.Word("anna"), since: -time.Minute}}}
		default:
			rest = append(rest, w)
		}
	}
	quiet := has(rest, "quiet")
	p.print("%s\n", strings.TrimSpace("server "+strings.Join(words, " ")))
	if restore != nil {
		p.play(restored{0, *restore})
	}
	p.play(configured{at: 0, entry: p.entry(without(rest, "quiet")), quiet: quiet})
}

// entry builds an entry from `key=value` words.
func (p *player) entry(words []string) *model.Entry {
	s := &model.Spec{Name: "s", Enabled: true, Reconnect: true, Timings: model.DefaultTimings()}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "bad":
			return &model.Entry{Name: "s", Problems: []model.Problem{{Server: "s", Field: v, Text: redact.Name("s." + v + ":bad")}}}
		case "enabled":
			s.Enabled = v == "true"
		case "reconnect":
			s.Reconnect = v == "true"
		case "protocol":
			if v == "mcpl" {
				s.Protocol = model.MCPL
			}
		case "revision":
			s.Revision = v
		default:
			p.timing(&s.Timings, k, v)
		}
	}
	copy(s.Fingerprint[:], fmt.Sprint(words))
	return &model.Entry{Name: "s", Spec: s}
}

func (p *player) timing(ts *model.Timings, k, v string) {
	d := model.Forever
	if v != "inf" {
		var err error
		if d, err = time.ParseDuration(v); err != nil {
			p.t.Fatalf("%s=%s: %v", k, v, err)
		}
	}
	fields := map[string]*model.Timing{
		"reconnect_interval": &ts.ReconnectInterval, "reconnect_max_interval": &ts.ReconnectMaxInterval,
		"lasting_after": &ts.LastingAfter, "start_timeout": &ts.StartTimeout, "request_timeout": &ts.RequestTimeout,
		"probe_interval": &ts.ProbeInterval, "probe_timeout": &ts.ProbeTimeout, "stop_grace": &ts.StopGrace,
	}
	f := fields[k]
	if f == nil {
		p.t.Fatalf("unknown timing %q", k)
	}
	*f = model.Timing{D: d, From: model.FromEntry}
}

// parse makes events of a line's words: `fail` is closed and reaped, `up` is
// handshaken and connected.
func (p *player) parse(word string, args []string) []event {
	switch word {
	case "fail":
		return []event{p.parseOne("closed", args), p.parseOne("reaped", nil)}
	case "up":
		return []event{p.parseOne("handshaken", nil), p.parseOne("connected", nil)}
	}
	return []event{p.parseOne(word, args)}
}

func (p *player) parseOne(word string, args []string) event {
	run := func(e model.RunEvent) event { return reported{p.now, p.s.run, e} }
	switch word {
	case "launched":
		return run(model.Launched{PID: p.number(args[0])})
	case "handshaken":
		return run(model.Handshaken{Handshake: model.Handshake{
			Revision: redact.Word("2025-11-25"), Server: redact.Word("srv 1.0"), Legacy: has(args, "legacy")}})
	case "connected":
		tools := model.Opt[int]{}
		if len(args) > 0 {
			tools = model.Some(p.number(args[0]))
		}
		return run(model.Connected{Tools: tools})
	case "closed":
		return run(model.Closed{End: p.end(args)})
	case "reaped":
		var pids []int
		for _, a := range args {
			pids = append(pids, p.number(a))
		}
		return run(model.Reaped{Survivors: pids})
	case "staged":
		var stage model.StopStage
		if err := stage.UnmarshalText([]byte(strings.Join(args, " "))); err != nil {
			p.t.Fatal(err)
		}
		return run(model.Staged{Stage: stage})
	case "gone":
		return run(model.Gone{})
	case "stale-stage":
		return reported{p.now, p.s.run - 1, model.Staged{Stage: model.KillSent}}
	case "stale":
		return reported{p.now, p.s.run - 1, model.Closed{End: p.end(args)}}
	case "stale-timer":
		which := timer(slices.Index(timerNames[:], args[0]))
		return timerFired{p.now, which, p.s.timers[which].token - 1}
	case "stale-probe":
		e := p.probed("broken", nil).(probed)
		e.run--
		return e
	case "alive", "missing", "broken", "timed-out", "error":
		return p.probed(word, args)
	case "slot":
		return slotGranted{p.now, uint64(p.number(args[0]))}
	case "awaited":
		return slotAwaited{p.now, p.s.ticket, p.number(args[0])}
	case "connect", "disconnect", "restart", "acknowledge":
		o := model.Order{Server: "s", ID: args[0], By: redact.Word("anna"), Bulk: has(args, "bulk"), InForce: has(args, "in-force")}
		if has(args, "nobody") {
			o.By = redact.Safe{} // the client did not say who gave it
		}
		if has(args, "ben") {
			o.By = redact.Word("ben")
		}
		_ = o.Verb.UnmarshalText([]byte(word))
		return ordered{p.now, o}
	case "read":
		return p.read(args)
	case "entry":
		e := configured{at: p.now, apply: has(args, "reload"), quiet: has(args, "quiet")}
		if !has(args, "removed") {
			e.entry = p.entry(without(without(args, "reload"), "quiet"))
		}
		return e
	case "shutdown":
		return shutdown{p.now}
	case "nothing":
		return slotAwaited{p.now, 0, 0} // time passes
	}
	p.t.Fatalf("unknown event %q", word)
	return nil
}

func (p *player) probed(word string, args []string) event {
	r := model.Probed{Elapsed: 5 * time.Millisecond}
	switch word {
	case "missing":
		r.Outcome, r.End = model.Missing, model.End{Cause: model.SessionMissing, Text: redact.Word("HTTP 404")}
	case "broken":
		r.Outcome, r.Text = model.Broken, redact.Word("broken pipe")
		r.End = model.End{Cause: model.TransportBroken, Text: redact.Word("broken pipe")}
	case "timed-out":
		r.Outcome, r.Elapsed = model.TimedOut, p.s.spec.Timings.ProbeTimeout.D
	case "error":
		r.Outcome, r.Text = model.ProbeError, redact.Word("−32603 internal error")
		if has(args, "401") {
			r.Text = redact.Word("HTTP 401")
			r.End = model.End{Cause: model.NeedsCredentials, Text: redact.Word("needs credentials: HTTP 401")}
		} else if r.End = p.end(args); !r.End.Text.IsZero() {
			r.Text = r.End.Text
		}
	}
	return probed{p.now, p.s.run, r}
}

// read answers the read of the entry for the order in progress.
func (p *player) read(args []string) event {
	if p.s.order == nil {
		p.t.Fatal("read: no order in progress")
	}
	e := entryRead{at: p.now, id: p.s.order.ID}
	if has(args, "refused") {
		e.refusal = &model.Refusal{Field: "reconnect_interval", Text: redact.Word("s.reconnect_interval: a boolean is no duration")}
		return e
	}
	if has(args, "elsewhere") {
		e.refusal = &model.Refusal{Text: redact.Word("servers.toml:3: not TOML"), Elsewhere: true}
		return e
	}
	if len(args) == 0 {
		e.spec = p.s.spec
		return e
	}
	e.spec = p.entry(args).Spec
	return e
}

// end builds an end: exit=1, signal=killed, code=1011, cause=command_missing,
// text=words_with_underscores, retry_after=20s.
func (p *player) end(args []string) model.End {
	var e model.End
	var seen model.Cause // where none is named
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		switch k {
		case "exit":
			seen, e.ExitCode = model.Exited, model.Some(p.number(v))
		case "signal":
			seen, e.Signal = model.Signalled, redact.Name(v)
		case "code":
			seen, e.CloseCode = model.ClosedByPeer, model.Some(p.number(v))
		case "cause":
			if err := e.Cause.UnmarshalText([]byte(v)); err != nil {
				p.t.Fatal(err)
			}
		case "text":
			e.Text = (*redact.Redactor)(nil).Text(strings.ReplaceAll(v, "_", " "))
		case "retry_after":
			d, err := time.ParseDuration(v)
			if err != nil {
				p.t.Fatal(err)
			}
			e.RetryAfter = d
		default:
			p.t.Fatalf("unknown word %q of an end", a)
		}
	}
	if e.Cause == model.CauseUnknown {
		e.Cause = seen
	}
	return e
}

func (p *player) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func has(args []string, word string) bool { return slices.Contains(args, word) }

func without(args []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == word })
}
