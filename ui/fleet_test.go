package ui

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// noon is when the made-up fleet is looked at.
var noon = time.Date(2026, 11, 29, 14, 5, 9, 0, time.UTC)

// fake is an engine that holds what it is given.
type fake struct {
	mu      sync.Mutex
	fleet   model.Fleet
	err     error
	changed chan struct{} // closed at each change
	lines   map[string][]model.Line
	events  []model.Event
	given   []model.Order
	onNext  func()       // called in Next, for a test's panic
	pending model.Reload // what a reload would do
	reloads []model.Reload
	reads   chan struct{} // closed when someone waits for a newer snapshot
	once    sync.Once

	days      []string // whose timelines were read
	noDay     bool     // there are none
	usage     model.Usage
	usageErr  error
	histories int // how often a server's events were read
	sampled   int // how often usage was asked for
}

func newFake(f model.Fleet) *fake {
	return &fake{fleet: f, changed: make(chan struct{}), lines: map[string][]model.Line{}, reads: make(chan struct{})}
}

// read waits until someone has read the fleet and waits for the next.
func (e *fake) read(t testing.TB) {
	select {
	case <-e.reads:
	case <-time.After(patience):
		t.Fatal("nobody read the fleet")
	}
}

func (e *fake) Next(ctx context.Context, seen uint64) (model.Fleet, error) {
	for {
		e.mu.Lock()
		f, err, changed, onNext := e.fleet, e.err, e.changed, e.onNext
		e.mu.Unlock()
		if onNext != nil {
			onNext()
		}
		switch {
		case f.Seq > seen:
			return f, nil
		case err != nil:
			return model.Fleet{}, err
		}
		e.once.Do(func() { close(e.reads) })
		select {
		case <-changed:
		case <-ctx.Done():
			return model.Fleet{}, ctx.Err()
		}
	}
}

// change changes the engine and wakes who waits in Next.
func (e *fake) change(f func(e *fake)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(e)
	e.fleet.Seq++
	close(e.changed)
	e.changed = make(chan struct{})
}

// fail makes Next fail once its caller has the last snapshot; nil ends that.
func (e *fake) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *fake) Lines(server string, after uint64, limit int) []model.Line {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []model.Line
	for _, l := range e.lines[server] {
		if l.Seq > after {
			out = append(out, l)
		}
	}
	return out[max(len(out)-limit, 0):]
}

func (e *fake) Events(server string, after uint64, limit int) []model.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	if server != "" {
		e.histories++
	}
	var out []model.Event
	for _, ev := range e.events {
		if ev.Seq > after && (server == "" || server == ev.Server) {
			out = append(out, ev)
		}
	}
	return out[max(len(out)-limit, 0):]
}

func (e *fake) Do(o model.Order) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.given = append(e.given, o)
}

func (e *fake) Pending() model.Reload {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pending
}

func (e *fake) Reload(shown model.Reload) (model.Reload, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if shown.Text() != e.pending.Text() {
		return e.pending, false
	}
	e.reloads = append(e.reloads, shown)
	return shown, true
}

func (e *fake) orders() []model.Order {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]model.Order(nil), e.given...)
}

func text(format string, args ...any) redact.Safe {
	return (*redact.Redactor)(nil).Text(fmt.Sprintf(format, args...))
}

func shown(command string, tags ...string) *model.Shown {
	s := &model.Shown{Command: text("%s", command), Timings: model.DefaultTimings(), Reconnect: true,
		Env: []redact.Safe{text("GITHUB_TOKEN"), text("LOG_LEVEL")}, Secrets: []model.Judged{{Name: text("GITHUB_TOKEN"), Why: text("a value of env")}},
		Open: []model.Judged{{Name: text("LOG_LEVEL"), Why: text("a log level")}}}
	for _, t := range tags {
		s.Tags = append(s.Tags, text("%s", t))
	}
	return s
}

// tenPhases is a fleet with a server in each phase, and some that a person
// must look at, as of noon.
func tenPhases() model.Fleet {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	const s, m, h = time.Second, time.Minute, time.Hour
	lasting := 300 * s
	rows := []*model.Row{
		{Server: "billing", Phase: model.Up, Since: ago(52 * h), Connected: ago(52*h + 5*m), Lasting: lasting, Starts: 1, Transport: model.HTTP,
			Probe: model.Probe{At: ago(20 * s), Latency: 3 * time.Millisecond}, Shown: shown("", "prod", "money")},
		{Server: "crm-sync", Phase: model.Queued, Since: ago(2 * s), Lasting: lasting, Shown: shown("uvx crm-sync", "prod")},
		{Server: "docs", Phase: model.Up, Since: ago(9*m + 31*s), Connected: ago(15 * m), Lasting: lasting, Starts: 1, Transport: model.HTTP,
			Probe: model.Probe{At: ago(4 * s), Outcome: model.TimedOut, Latency: 90 * time.Millisecond, Timeouts: 2}, Shown: shown("")},
		{Server: "github", Phase: model.Waiting, Attempt: 6, Since: ago(48 * s), Next: noon.Add(4*m + 12*s), Lasting: lasting, Starts: 14, Run: 14,
			LastFailure: text("exit code 1 after 0 s · Error: Bad credentials (token ‹GITHUB_TOKEN›)"), LastFailureAt: ago(48 * s), DownSince: ago(13 * m),
			Lines: 9, Shown: shown("node github-mcp.js --token ‹GITHUB_TOKEN›", "prod", "code")},
		{Server: "images", Phase: model.Starting, Attempt: 2, Since: ago(3 * s), Lasting: lasting, Starts: 3, PID: 4711,
			LastFailure: text("no handshake within 30 s"), LastFailureAt: ago(12 * s), Shown: shown("python3 -m images", "gpu")},
		{Server: "ledger", Phase: model.Ended, Since: ago(3*h + 5*m), Lasting: lasting, Starts: 1,
			LastFailure: text("exit code 2 after 14 s · panic: no space left on device"), LastFailureAt: ago(3*h + 5*m), Shown: shown("./ledger", "money")},
		{Server: "legacy-index", Phase: model.Refused, Since: ago(64 * m), Lasting: lasting,
			LastFailure: text("probe_interval: 0 is not allowed, a duration above 0 is: servers.toml:41"), LastFailureAt: ago(64 * m),
			Known: &model.Known{Transport: model.Some(model.WebSocket), Tags: []redact.Safe{text("prod"), text("old")}}},
		{Server: "mail", Phase: model.Stopping, Since: ago(1 * s), Lasting: lasting, Starts: 2, PID: 991, Pending: text("restart, by anna"), Shown: shown("npx -y mail@1.2.0")},
		{Server: "notes", Phase: model.Halted, Since: ago(64 * m), Lasting: lasting, Starts: 1,
			LastFailure: text("npx not found: install Node.js, then c"), LastFailureAt: ago(64 * m), Shown: shown("npx -y notes@2.0.1")},
		{Server: "old-crm", Phase: model.Off, Since: ago(9 * 24 * h), Lasting: lasting, HeldBy: text("anna (pts/3)"), HeldSince: ago(9 * 24 * h), Shown: shown("./old-crm")},
		{Server: "search", Phase: model.Settling, Attempt: 2, Since: ago(112 * s), Connected: ago(112 * s), LastsAt: noon.Add(188 * s), Lasting: lasting, Starts: 3, Transport: model.WebSocket, Protocol: model.MCPL,
			Probe: model.Probe{At: ago(50 * s), Latency: 41 * time.Millisecond}, LastFailure: text("close code 1011 after 12 s"), LastFailureAt: ago(3 * m), Tools: model.Some(7),
			Handshake: &model.Handshake{Revision: text("2024-11-05"), Server: text("search-mcpl 0.4.2"), Capabilities: []redact.Safe{text("tools"), text("logging")}}, Shown: shown("", "prod", "code")},
		{Server: "translate", Phase: model.Up, Since: ago(26 * h), Connected: ago(27 * h), Lasting: lasting, Starts: 2, Note: text("changed: restart applies it"),
			Probe: model.Probe{At: ago(30 * s), Latency: 12 * time.Millisecond}, Shown: shown("deno run translate.ts", "日本語")},
	}
	return model.Fleet{Seq: 1, At: noon, Host: text("edge-7"), Config: text("/etc/rollcall/servers.toml"), Rows: rows}
}

// githubLog is the tail of the server that is down.
func githubLog() []model.Line {
	at := noon.Add(-48 * time.Second)
	line := func(seq uint64, d time.Duration, k model.LineKind, s string) model.Line {
		return model.Line{Seq: seq, At: at.Add(d), Run: 14, Kind: k, Text: text("%s", s)}
	}
	return []model.Line{
		line(3, -time.Second, model.LineEvent, "starting, attempt 6"),
		line(4, -time.Second, model.LineNoise, "> github-mcp@3.1.0 start"),
		line(5, 0, model.LineStderr, "connecting to https://api.github.example/ as ‹GITHUB_TOKEN›"),
		line(6, 0, model.LineStderr, "Error: Bad credentials (token ‹GITHUB_TOKEN›)"),
		line(7, 0, model.LineStderr, "    at Client.request (/srv/github-mcp/node_modules/client/dist/index.js:214:19) { status: 401, 言語: '日本語のエラーメッセージ' }"),
		line(8, 0, model.LineFailure, "reconnect failed: connected, then closed after 0 s (exit code 1); next try in 298 s"),
		line(9, 0, model.LineFailure, "MCP server down (attempt 6): connected, then closed after 0 s (exit code 1)"),
	}
}

// githubEvents is its history.
func githubEvents() []model.Event {
	ev := func(seq uint64, ago time.Duration, k model.Kind, s string) model.Event {
		return model.Event{Seq: seq, At: noon.Add(-ago), Kind: k, Server: "github", Run: seq, Text: text("%s", s)}
	}
	lost := ev(3, 14*time.Hour, model.EvLost, "lost: closed after 86412 s (exit code 137); next try in 5 s")
	lost.Life = model.Some(model.Millis(86412 * time.Second))
	failed := ev(22, 48*time.Second, model.EvAttemptFailed, "reconnect failed: connected, then closed after 0 s (exit code 1); next try in 298 s")
	failed.Stderr = []redact.Safe{text("connecting to https://api.github.example/ as ‹GITHUB_TOKEN›"), text("Error: Bad credentials (token ‹GITHUB_TOKEN›)")}
	events := []model.Event{ev(1, 23*time.Hour, model.EvConnected, "connected, 2025-11-25, 26 tools"), lost}
	for i, ms := range []int{4, 5, 4, 9, 12, 30, 8, 5} {
		p := ev(uint64(10+i), 15*time.Hour-time.Duration(i)*time.Minute, model.EvProbe, "alive")
		p.Outcome, p.Elapsed = text("alive"), model.Some(model.Millis(time.Duration(ms)*time.Millisecond))
		events = append(events, p)
	}
	return append(events, ev(20, 13*time.Minute, model.EvDown, "MCP server down (attempt 5): connected, then closed after 0 s (exit code 1)"),
		ev(21, 50*time.Second, model.EvStarting, "starting, attempt 6"), failed,
		ev(23, 48*time.Second, model.EvDown, "MCP server down (attempt 6): connected, then closed after 0 s (exit code 1)"))
}

// Timeline is made up: a day of slots of 5 min, from which rollcall ran for
// the last 20 h.
func (e *fake) Timeline(server string) model.Timeline {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.days = append(e.days, server)
	if e.noDay {
		return model.Timeline{}
	}
	const slot, slots, empty = 5 * time.Minute, 288, 48
	day := model.Timeline{Start: noon.Add(-24 * time.Hour).Truncate(slot), Slot: slot, Slots: make([]model.Moment, slots)}
	for i := empty; i < slots; i++ {
		m := &day.Slots[i]
		switch {
		case server == "":
			*m = model.Moment{Up: 10 * slot, Settling: slot, Off: slot, Latency: 40 * time.Millisecond}
			if i%60 < 9 {
				m.Up, m.Trying, m.Failures = 7*slot, 3*slot, 4
			}
			if i > slots-6 {
				m.Up, m.Down = 6*slot, 3*slot
			}
		case i < empty+4:
			m.Off = slot
		case i < empty+6:
			m.Settling = slot
		case i > slots-4:
			m.Down, m.Failures = slot, 2
		case i > slots-20:
			m.Trying, m.Settling, m.Failures = slot*3/4, slot/4, 3
		default:
			m.Up, m.Latency = slot, time.Duration(3+i%40)*time.Millisecond
			if i%70 == 0 {
				m.Timeouts = 1
			}
		}
	}
	return day
}

// Usage is what the test has laid down.
func (e *fake) Usage(context.Context, string) (model.Usage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sampled++
	return e.usage, e.usageErr
}
