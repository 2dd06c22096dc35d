package supervise

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// fakeNet is a transport in virtual time: what each run does is the test's
// own function, in a goroutine of its own.
type fakeNet struct {
	mu    sync.Mutex
	runs  []*fakeRun
	live  map[string]int // processes a server
	most  int            // live ones of one server at once
	serve func(r *fakeRun)
}

// fakeRun is one run on the fake transport.
type fakeRun struct {
	net     *fakeNet
	spec    *model.Spec
	dial    model.Dial
	at      time.Time
	stopped chan struct{}
	killed  chan struct{}
	once    sync.Once
	kill    sync.Once
	probe   func(ctx context.Context) model.Probed
	usage   func() (model.Usage, error)
}

func (n *fakeNet) start(spec *model.Spec, d model.Dial) Run {
	r := &fakeRun{net: n, spec: spec, dial: d, at: time.Now(), stopped: make(chan struct{}), killed: make(chan struct{})}
	n.mu.Lock()
	n.runs = append(n.runs, r)
	if n.live == nil {
		n.live = map[string]int{}
	}
	n.live[spec.Name]++
	n.most = max(n.most, n.live[spec.Name])
	n.mu.Unlock()
	go n.serve(r)
	return r
}

func (n *fakeNet) starts() []*fakeRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*fakeRun(nil), n.runs...)
}

func (n *fakeNet) livingNow(server string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.live[server]
}

func (r *fakeRun) Stop() { r.once.Do(func() { close(r.stopped) }) }
func (r *fakeRun) Kill() { r.kill.Do(func() { close(r.killed) }) }

func (r *fakeRun) Probe(ctx context.Context) model.Probed {
	if r.probe != nil {
		return r.probe(ctx)
	}
	return model.Probed{Outcome: model.Alive, Elapsed: time.Millisecond}
}

func (r *fakeRun) Usage() (model.Usage, error) {
	if r.usage != nil {
		return r.usage()
	}
	return model.Usage{At: time.Now(), Processes: 1, Resident: 1 << 20}, nil
}

func (r *fakeRun) handshake() {
	r.dial.Report(model.Launched{At: time.Now(), PID: 1000 + int(r.dial.Run)})
	r.dial.Report(model.Handshaken{At: time.Now(), Handshake: model.Handshake{Revision: redact.Word("2025-11-25"), Server: redact.Word("fake 1")}})
	r.dial.Report(model.Connected{At: time.Now(), Tools: model.Some(1)})
}

func (r *fakeRun) close(end model.End) { r.dial.Report(model.Closed{At: time.Now(), End: end}) }

func (r *fakeRun) reap(survivors ...int) {
	r.net.mu.Lock()
	r.net.live[r.spec.Name]--
	r.net.mu.Unlock()
	r.dial.Report(model.Reaped{At: time.Now(), Survivors: survivors})
}

// healthy lives until it is stopped.
func healthy(r *fakeRun) {
	r.handshake()
	<-r.stopped
	r.close(model.End{Cause: model.ClosedByHost})
	r.reap()
}

// dead ends without a handshake.
func dead(r *fakeRun) {
	r.dial.Line(time.Now(), model.LineStderr, redact.Word("Error: no such database"))
	r.close(exit(1))
	r.reap()
}

// lives completes its handshake and lives for a while.
func lives(life time.Duration) func(*fakeRun) {
	return func(r *fakeRun) {
		r.handshake()
		select {
		case <-time.After(life):
			r.close(exit(1))
		case <-r.stopped:
			r.close(model.End{Cause: model.ClosedByHost})
		}
		r.reap()
	}
}

func exit(code int) model.End { return model.End{Cause: model.Exited, ExitCode: model.Some(code)} }

// rig is an engine on a fake transport, inside a synctest bubble.
type rig struct {
	t      *testing.T
	net    *fakeNet
	e      *Engine
	mu     sync.Mutex
	told   []model.Event
	ended  chan []Survivor
	armed  []time.Duration // what reached a timer
	refuse *model.Refusal  // what Read answers
	specs  map[string]*model.Spec
}

func newRig(t *testing.T, serve func(*fakeRun), change func(*Options), specs ...*model.Spec) *rig {
	r := &rig{t: t, net: &fakeNet{serve: serve}, ended: make(chan []Survivor, 1), specs: map[string]*model.Spec{}}
	var entries []model.Entry
	for _, s := range specs {
		entries = append(entries, model.Entry{Name: s.Name, Spec: s})
		r.specs[s.Name] = s
	}
	opts := Options{Host: redact.Word("host"), Start: r.net.start, Slots: 1000,
		Read: func(name string) (*model.Spec, *model.Refusal) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.specs[name], r.refuse
		},
		Listeners: []func(model.Event, uint64){func(ev model.Event, _ uint64) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, ev)
		}}}
	if change != nil {
		change(&opts)
	}
	r.e = New(opts, entries)
	r.e.afterFunc = func(d time.Duration, fn func()) *time.Timer {
		r.mu.Lock()
		r.armed = append(r.armed, d)
		r.mu.Unlock()
		return time.AfterFunc(d, fn)
	}
	go func() { r.ended <- r.e.Run() }()
	t.Cleanup(func() {
		r.e.Stop()
		<-r.ended
	})
	return r
}

// after lets virtual time pass, and everything settle.
func (r *rig) after(d time.Duration) {
	time.Sleep(d) // virtual: the bubble's clock jumps
	synctest.Wait()
}

func (r *rig) row(server string) *model.Row {
	f, err := r.e.Next(context.Background(), 0)
	for seen := uint64(0); err == nil; {
		seen = f.Seq
		ctx, cancel := context.WithTimeout(context.Background(), time.Second/10)
		var g model.Fleet
		g, err = r.e.Next(ctx, seen)
		cancel()
		if err == nil {
			f = g
		}
	}
	for _, row := range f.Rows {
		if row.Server == server {
			return row
		}
	}
	return nil
}

// kinds are the kinds told of a server, in order, without probes.
func (r *rig) events(want ...model.Kind) []model.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []model.Event
	for _, ev := range r.told {
		for _, k := range want {
			if ev.Kind == k {
				out = append(out, ev)
			}
		}
	}
	return out
}

func (r *rig) order(v model.Verb, id, server string) {
	r.e.Do(model.Order{ID: id, Verb: v, Server: server, By: redact.Word("anna")})
}

func spec(name string) *model.Spec {
	return &model.Spec{Name: name, Enabled: true, Reconnect: true, Timings: model.DefaultTimings(), Shown: &model.Shown{}}
}

// safe makes a test's own text safe.
func safe(s string) redact.Safe { return (*redact.Redactor)(nil).Text(s) }
