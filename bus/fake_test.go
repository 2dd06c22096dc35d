package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rollcall/model"
	"rollcall/redact"
)

// patience bounds each wait for something real. It is ample: no test is to fail
// since the machine has much else to do.
const patience = 2 * time.Minute

var errStopped = errors.New("the engine has stopped")

// fake is an engine that does what a test says.
type fake struct {
	mu      sync.Mutex
	fleet   model.Fleet
	changed chan struct{}
	given   []model.Order
	events  []model.Event
	watch   []*fakeFeed[FollowedEvent]
	lines   *fakeFeed[FollowedLine] // what the next follower reads
	follows int
	stopped chan struct{}
	stops   int
	hold    bool // orders are not answered
}

func newFake(servers ...string) *fake {
	f := &fake{changed: make(chan struct{}), stopped: make(chan struct{}), lines: newFakeFeed[FollowedLine]()}
	var rows []*model.Row
	for _, s := range servers {
		rows = append(rows, &model.Row{Server: s, Phase: model.Up, Lines: 3})
	}
	f.set(rows)
	return f
}

// many are so many rows as a real engine has them.
func many(n int) []*model.Row {
	now := time.Now()
	rows := make([]*model.Row, n)
	for i := range rows {
		rows[i] = &model.Row{
			Server: fmt.Sprintf("server-%d", i), Phase: model.Up, Run: 4, Since: now, Connected: now, Lasting: 300 * time.Second, Starts: 4,
			Probe:       model.Probe{At: now, Latency: 3 * time.Millisecond},
			LastFailure: redact.Word("exit code 1 after 0 s · Error: Bad credentials"), LastFailureAt: now, PID: 4711 + i,
			Handshake: &model.Handshake{Revision: redact.Word("2025-11-25"), Server: redact.Word("github 1.4.0"), Capabilities: []redact.Safe{redact.Word("tools"), redact.Word("logging")}},
			Tools:     model.Some(12), Lines: 1000,
			Shown: &model.Shown{Command: redact.Word("npx -y @modelcontextprotocol/server-github --token ‹token›"), Env: []redact.Safe{redact.Word("GITHUB_TOKEN"), redact.Word("LOG_LEVEL")},
				Secrets: []model.Judged{{Name: redact.Word("env.GITHUB_TOKEN"), Why: redact.Word("a value of env")}}, Tags: []redact.Safe{redact.Word("prod")}, Timings: model.DefaultTimings(), Reconnect: true},
		}
	}
	return rows
}

// set makes a snapshot.
func (f *fake) set(rows []*model.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fleet = model.Fleet{Seq: f.fleet.Seq + 1, At: time.Now(), Host: redact.Word("edge-7"), Rows: rows}
	close(f.changed)
	f.changed = make(chan struct{})
}

// change replaces one row.
func (f *fake) change(server string, fn func(*model.Row)) {
	f.mu.Lock()
	rows := slices.Clone(f.fleet.Rows)
	f.mu.Unlock()
	for i, r := range rows {
		if r.Server == server {
			c := *r
			fn(&c)
			rows[i] = &c
		}
	}
	f.set(rows)
}

func (f *fake) Next(ctx context.Context, seen uint64) (model.Fleet, error) {
	for {
		f.mu.Lock()
		fleet, changed := f.fleet, f.changed
		f.mu.Unlock()
		if fleet.Seq > seen {
			return fleet, nil
		}
		select {
		case <-changed:
		case <-f.stopped:
			return model.Fleet{}, errStopped
		case <-ctx.Done():
			return model.Fleet{}, ctx.Err()
		}
	}
}

func (f *fake) Lines(server string, after uint64, limit int) []model.Line {
	var out []model.Line
	for seq := after + 1; seq <= 3; seq++ {
		out = append(out, model.Line{Seq: seq, At: time.Now(), Text: redact.Sprintf("line %d of %s", redact.Int(seq), redact.Name(server))})
	}
	return out[max(len(out)-limit, 0):]
}

func (f *fake) Events(server string, after uint64, limit int) []model.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []model.Event
	for _, ev := range f.events {
		if ev.Seq > after && (server == "" || server == ev.Server) {
			out = append(out, ev)
		}
	}
	return out[max(len(out)-limit, 0):]
}

// Do answers at once, by an event.
func (f *fake) Do(o model.Order) {
	f.mu.Lock()
	f.given = append(f.given, o)
	hold := f.hold
	f.mu.Unlock()
	if !hold {
		f.answer(o)
	}
}

func (f *fake) answer(o model.Order) {
	f.tell(model.Event{Kind: model.EvOrder, Server: o.Server, Order: model.Some(o.Verb), OrderID: o.ID, By: o.By, Outcome: redact.Word("done"),
		Text: redact.Sprintf("%s %s: done", o.Verb.Word(), redact.Name(o.Server))})
}

func (f *fake) tell(ev model.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ev.Seq, ev.At = uint64(len(f.events)+1), time.Now()
	f.events = append(f.events, ev)
	for _, w := range f.watch {
		w.put(FollowedEvent{Event: ev})
	}
}

func (f *fake) orders() []model.Order {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.given)
}

func (f *fake) Timeline(server string) model.Timeline { return model.Timeline{Slot: time.Minute} }

func (f *fake) Usage(_ context.Context, server string) (model.Usage, error) {
	if server == "off" {
		return model.Usage{}, errors.New("nothing runs")
	}
	return model.Usage{Processes: 3, Resident: 1 << 20}, nil
}

func (f *fake) Health(context.Context) (model.Health, error) { return model.Health{Mailbox: 1}, nil }

func (f *fake) Pending() model.Reload { return model.Reload{Added: []string{"new"}, Before: 1} }

func (f *fake) Reload(shown model.Reload) (model.Reload, bool) { return shown, len(shown.Added) > 0 }

func (f *fake) Follow(server string, after uint64, limit int) Lines {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows++
	return f.lines
}

func (f *fake) FollowEvents(after uint64, limit int) Events {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := newFakeFeed[FollowedEvent]()
	w.gap = func(n uint64) FollowedEvent { return FollowedEvent{Missed: n} }
	for _, ev := range f.events {
		if ev.Seq > after && limit > 0 {
			w.put(FollowedEvent{Event: ev})
		}
	}
	f.watch = append(f.watch, w)
	return w
}

func (f *fake) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stops++
	if f.stops == 1 {
		close(f.stopped)
	}
}

// fakeFeed is a follower's buffer.
type fakeFeed[T any] struct {
	mu     sync.Mutex
	queue  []T
	missed uint64
	gap    func(missed uint64) T // nil: what is missed is not said
	room   int
	wake   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newFakeFeed[T any]() *fakeFeed[T] {
	return &fakeFeed[T]{room: 1000, wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// put reports whether there was room.
func (f *fakeFeed[T]) put(item T) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) >= f.room {
		f.missed++
		return false
	}
	f.queue = append(f.queue, item)
	select {
	case f.wake <- struct{}{}:
	default:
	}
	return true
}

func (f *fakeFeed[T]) Next(ctx context.Context) ([]T, error) {
	for {
		f.mu.Lock()
		queue := f.queue
		f.queue = nil
		if f.missed > 0 && f.gap != nil {
			queue = append(queue, f.gap(f.missed))
			f.missed = 0
		}
		f.mu.Unlock()
		if len(queue) > 0 {
			return queue, nil
		}
		select {
		case <-f.wake:
		case <-f.closed:
			return nil, errStopped
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *fakeFeed[T]) Close() { f.once.Do(func() { close(f.closed) }) }

func TestMain(m *testing.M) {
	if socket := os.Getenv("ROLLCALL_BUS_DIAL"); socket != "" {
		os.Exit(dialAsChild(socket))
	}
	if socket := os.Getenv("ROLLCALL_BUS_FOLLOW"); socket != "" {
		os.Exit(followAsChild(socket))
	}
	goleak.VerifyTestMain(m)
}

// runtimeDir is a short directory of its own for sockets, and a configuration.
func runtimeDir(t testing.TB) (configPath string) {
	dir, err := os.MkdirTemp("/tmp", "bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	path := filepath.Join(dir, "servers.toml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// serve serves an engine; change may change what it is served with.
func serve(t testing.TB, e Engine, change ...func(*Options)) (*Server, *Lock) {
	return serveAt(t, runtimeDir(t), e, change...)
}

func serveAt(t testing.TB, config string, e Engine, change ...func(*Options)) (*Server, *Lock) {
	t.Helper()
	lock, err := Acquire(config)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Engine: e, Host: "edge-7", Config: redact.Word("servers.toml"), Version: redact.Word("1.0")}
	for _, fn := range change {
		fn(&opts)
	}
	s, err := Serve(lock, opts)
	if err != nil {
		lock.Release()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		lock.Release()
	})
	return s, lock
}

func dial(t testing.TB, l *Lock, opts ...DialOptions) *Client {
	t.Helper()
	o := DialOptions{Version: redact.Word("1.0")}
	if len(opts) > 0 {
		o = opts[0]
	}
	c, err := Dial(t.Context(), l.Paths().Socket, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// until waits for a condition that something else brings about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// next reads snapshots until one is as it should be.
func next(t testing.TB, c *Client, seen uint64, ok func(model.Fleet) bool) model.Fleet {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		fleet, err := c.Next(ctx, seen)
		switch {
		case ctx.Err() != nil:
			t.Fatalf("no such snapshot within %v; the last is %d", patience, seen)
		case err != nil:
			seen = 0
			time.Sleep(time.Millisecond)
			continue
		case ok(fleet):
			return fleet
		}
		seen = fleet.Seq
	}
}
