package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

var errNobody = errors.New("nobody answers")

func TestD6_UsageIsSampledOnlyWhileLookedAt(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 50, Options{Redact: func(s string) string { return s }})
	at := noon
	b.app.now = func() time.Time { return at }
	sample := func(cpu time.Duration) {
		b.engine.mu.Lock()
		b.engine.usage = model.Usage{At: at, Processes: 3, Resident: 67 << 20, CPU: cpu}
		b.engine.mu.Unlock()
	}
	sampled := func() int {
		b.engine.mu.Lock()
		defer b.engine.mu.Unlock()
		return b.engine.sampled
	}
	later := func(d time.Duration) { at = at.Add(d); b.run(b.app.fetch()) }
	b.press("/", "m", "a", "i", "l", "enter")
	later(time.Minute)
	if n := sampled(); n != 0 {
		t.Fatalf("%d samples while nobody looks", n)
	}
	sample(4 * time.Second)
	b.press("3", ">", ">")
	if got := b.body(); sampled() != 1 || !strings.Contains(got, "67.0 MiB in 3 processes") || !strings.Contains(got, " 4.0 s since it started") {
		t.Errorf("%d samples, and the details are\n%s", sampled(), got)
	}
	later(time.Second)
	if n := sampled(); n != 1 {
		t.Errorf("%d samples within 2 s", n)
	}
	at = at.Add(time.Second)
	sample(4*time.Second + 500*time.Millisecond)
	later(0)
	if got := b.body(); !strings.Contains(got, "25.0 % of a core, 4.5 s since it started") {
		t.Errorf("after a second sample the details are\n%s", got)
	}
	at = at.Add(2 * time.Second)
	sample(time.Second) // one of its processes is gone
	later(0)
	if got := b.body(); strings.Contains(got, "of a core") {
		t.Errorf("a share is told of what fell:\n%s", got)
	}
	b.engine.mu.Lock()
	b.engine.usageErr = errNobody
	b.engine.mu.Unlock()
	later(2 * time.Second)
	if got := b.body(); !strings.Contains(got, "memory                  nobody answers") {
		t.Errorf("it does not say why it is not known:\n%s", got)
	}
	b.press("1")
	n := sampled()
	later(time.Minute)
	if sampled() != n {
		t.Error("it is sampled while the log is shown")
	}
}

func TestD6_WhoKnowsAndWhatToDo(t *testing.T) {
	f := with(tenPhases(), "github", func(r *model.Row) { r.AckedBy, r.AckedSince = text("anna (pts/3)"), noon.Add(-4*time.Minute) })
	b := newBench(t, f, 120, 50, Options{})
	for _, c := range []struct {
		server string
		has    []string
	}{
		{"github", []string{"by anna (pts/3), 4 min ago, until it recovers or gets worse", "c tries it now"}},
		{"old-crm", []string{"off, by anna (pts/3) 9 d ago, Fri 14:05:09: until c connects, over restarts of rollcall too"}},
		{"search", []string{"after 300 s, 3 min to go"}},
		{"legacy-index", []string{"mend its entry and save the file"}},
	} {
		b.app.table.selectServer(c.server)
		b.press("3", "3", ">", ">", ">")
		for _, want := range c.has {
			if !strings.Contains(b.body(), want) {
				t.Errorf("%s: %q is not in\n%s", c.server, want, b.body())
			}
		}
	}
}

// selectServer selects by name.
func (t *table) selectServer(name string) {
	for i, r := range t.shown {
		if r.Server == name {
			t.selectAt(i)
		}
	}
}
