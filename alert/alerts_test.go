package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// sink takes posts, or, where it is stuck, holds on to them until ctx ends.
type sink struct {
	saidBy
	kind  string // "": sink
	stuck bool
	fails bool
	slow  time.Duration // takes so long
	posts []string
	tried []Post
}

// set changes what it does.
func (s *sink) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *sink) Kind() string {
	if s.kind != "" {
		return s.kind
	}
	return "sink"
}

func (s *sink) Name() redact.Safe { return redact.Name(s.Kind()) }
func (s *sink) Tries() int        { return 1 }

// sent is what it was asked to send.
func (s *sink) sent() []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tried)
}

func (s *sink) Send(ctx context.Context, p Post) Result {
	s.set(func() { s.tried = append(s.tried, p) })
	if s.stuck {
		<-ctx.Done()
		return Result{Err: redact.Word("no answer in time")}
	}
	if s.slow > 0 && !sleep(ctx, s.slow) {
		return Result{Err: redact.Word("no answer in time")}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails {
		return Result{Err: redact.Word("HTTP 500")}
	}
	s.posts = append(s.posts, p.Event+" "+p.Server)
	return Result{}
}

// memory is a Store.
type memory struct {
	mu   sync.Mutex
	b    []byte
	fail error
}

func (m *memory) Load() ([]byte, error) { return m.b, m.fail }

func (m *memory) failsWith(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

func (m *memory) Save(b []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil {
		m.b = slices.Clone(b)
	}
	return m.fail
}

// alertsTo makes alerts to a sink; open is what the engine has open.
func alertsTo(s *sink, m *memory, open ...string) *Alerts { return alertsToMany(m, open, s) }

// alertsToMany makes alerts to several sinks; the first says what is told.
func alertsToMany(m *memory, open []string, sinks ...*sink) *Alerts {
	var all []Sink
	for _, s := range sinks {
		all = append(all, s)
	}
	s := sinks[0]
	return New(Options{Host: redact.Word("edge-7"), Sinks: all, Store: m,
		Open: func() (map[string]bool, bool) {
			is := map[string]bool{}
			for _, name := range open {
				is[name] = true
			}
			return is, true
		},
		Tell: s.tell, Warn: func(key string, t redact.Safe) { s.warn(redact.Sprintf("%s: %s", redact.Name(key), t)) }})
}

func (a *Alerts) says(k model.Kind, server string) {
	a.Event(model.Event{At: time.Now(), Kind: k, Server: server, Error: redact.Word("no handshake")}, 0)
}

func (s *sink) want(t *testing.T, posts ...string) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.posts, posts) {
		t.Errorf("sent %q, want %q", s.posts, posts)
	}
	s.posts = nil
}

func TestA5_PostsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		a := alertsTo(s, &memory{})
		a.says(model.EvDown, "web")
		time.Sleep(59 * time.Second)
		s.want(t)
		time.Sleep(2 * time.Second)
		s.want(t, "down web")
		a.says(model.EvRecovered, "web")
		if left := a.Close(t.Context(), t.Context()); len(left) > 0 { // what is decided is not held up by the end
			t.Errorf("%v not sent", left)
		}
		s.want(t, "recovered web")
		a.says(model.EvHalted, "late")
		a.Close(t.Context(), t.Context())
	})
}

func TestA5_AStuckSinkBlocksNobodyAndWhatItHasNotTakenIsSentAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := &sink{stuck: true}, &memory{}
		a := alertsTo(s, m)
		began := time.Now()
		a.says(model.EvHalted, "web")
		a.says(model.EvHalted, "db")
		time.Sleep(5 * time.Second)
		a.says(model.EvRecovered, "db")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the listener was blocked: %s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		if left := a.Close(ctx, ctx); fmt.Sprint(left) != "[{sink 3 true}]" || time.Since(began) > 2*time.Second {
			t.Errorf("%v not sent, after %s", left, time.Since(began))
		}
		s = &sink{}
		a = alertsTo(s, m, "web")
		time.Sleep(time.Minute)
		s.want(t, "halted web", "halted db", "recovered db")
		a.says(model.EvHalted, "web") // the engine says it again, at the start
		a.says(model.EvRecovered, "web")
		a.Close(t.Context(), t.Context())
		s.want(t, "recovered web")
	})
}

func TestA5_WhatEndedUnseenIsFoundByLooking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		a := alertsTo(s, &memory{}, "web")
		a.says(model.EvHalted, "web")
		a.says(model.EvHalted, "db")
		time.Sleep(time.Minute)
		s.want(t, "halted web", "halted db")
		a.Event(model.Event{At: time.Now(), Kind: model.EvProbe, Server: "web"}, 9) // db's recovery was among them
		time.Sleep(time.Minute)
		s.want(t, "withdrawn db")
		if len(s.told) != 1 || !strings.Contains(s.told[0], "9 events were missed") {
			t.Errorf("told %q", s.told)
		}
		a.Close(t.Context(), t.Context())
	})
}

func TestA5_AStateThatCannotBeKeptIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := &sink{}, &memory{b: []byte("{broken")}
		a := alertsTo(s, m)
		if len(s.told) != 1 || !strings.Contains(s.told[0], "is forgotten") {
			t.Errorf("told %q", s.told)
		}
		m.failsWith(errors.New("no space left on device"))
		a.says(model.EvDown, "web")
		synctest.Wait()
		m.failsWith(nil)
		time.Sleep(saveAgain)
		synctest.Wait()
		if len(s.warned) != 2 || !strings.Contains(s.warned[0], "no space left") || s.warned[1] != "alerts: " || !strings.Contains(string(m.b), `"web"`) {
			t.Errorf("warned %q, saved %s", s.warned, m.b)
		}
		a.Close(t.Context(), t.Context())
	})
}

func TestA5_ASinkThatFailsIsSaidInTheHeaderUntilItTakesOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{fails: true}
		a := alertsTo(s, &memory{})
		a.says(model.EvHalted, "a")
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.told) != 1 || !strings.Contains(s.told[0], "a on edge-7: halted: no handshake") || len(s.warned) != 1 || !strings.Contains(s.warned[0], "did not take the last alerts, 1 of them: HTTP 500") {
			t.Errorf("told %q, warned %q", s.told, s.warned)
		}
		s.mu.Lock()
		s.fails = false
		s.mu.Unlock()
		a.says(model.EvHalted, "b")
		time.Sleep(time.Minute)
		s.want(t, "halted b")
		if s.warned[len(s.warned)-1] != "sink: " {
			t.Errorf("warned %q", s.warned)
		}
		a.Close(t.Context(), t.Context())
	})
}

// TestA5_WhatOneSinkHasNotTakenIsItsOwn: over a restart it gets that, and the
// other one nothing twice.
func TestA5_WhatOneSinkHasNotTakenIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hook, prog, m := &sink{kind: "webhook"}, &sink{kind: "exec", stuck: true}, &memory{}
		a := alertsToMany(m, nil, hook, prog)
		a.says(model.EvHalted, "web")
		a.says(model.EvHalted, "db")
		time.Sleep(5 * time.Second)
		a.says(model.EvRecovered, "db")
		time.Sleep(5 * time.Second)
		hook.want(t, "halted web", "halted db", "recovered db")
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if left := a.Close(ended, ended); fmt.Sprint(left) != "[{exec 3 true}]" {
			t.Errorf("left %v", left)
		}
		hook, prog = &sink{kind: "webhook"}, &sink{kind: "exec"}
		a = alertsToMany(m, []string{"web"}, hook, prog)
		time.Sleep(time.Minute)
		a.says(model.EvHalted, "web") // the engine says it again, at the start
		time.Sleep(time.Minute)
		hook.want(t)
		prog.want(t, "halted web", "halted db", "recovered db")
		a.says(model.EvRecovered, "web")
		a.Close(t.Context(), t.Context())
		hook.want(t, "recovered web")
		prog.want(t, "recovered web")
	})
}

// TestA5_ARecoveryIsPostedWhereItsOpeningWasOverARestart, and only there.
func TestA5_ARecoveryIsPostedWhereItsOpeningWasOverARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hook, prog, m := &sink{kind: "webhook", fails: true}, &sink{kind: "exec"}, &memory{}
		a := alertsToMany(m, nil, hook, prog)
		a.says(model.EvHalted, "web")
		time.Sleep(time.Minute)
		if left := a.Close(t.Context(), t.Context()); len(left) > 0 {
			t.Errorf("left %v", left)
		}
		prog.want(t, "halted web")
		hook, prog = &sink{kind: "webhook"}, &sink{kind: "exec"}
		a = alertsToMany(m, []string{"web"}, hook, prog)
		time.Sleep(time.Minute)
		a.says(model.EvRecovered, "web")
		a.Close(t.Context(), t.Context())
		hook.want(t)
		prog.want(t, "recovered web")
	})
}

// TestA5_ALaterOpeningThatFailsDoesNotSilenceTheRecovery of an episode whose
// first one was posted.
func TestA5_ALaterOpeningThatFailsDoesNotSilenceTheRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		a := alertsTo(s, &memory{})
		a.says(model.EvDown, "web")
		time.Sleep(2 * time.Minute)
		s.set(func() { s.fails = true })
		a.says(model.EvHalted, "web")
		time.Sleep(time.Minute)
		s.set(func() { s.fails = false })
		a.says(model.EvRecovered, "web")
		a.Close(t.Context(), t.Context())
		s.want(t, "down web", "recovered web")
		if len(s.told) != 1 || !strings.Contains(s.told[0], "halted") {
			t.Errorf("told %q", s.told)
		}
	})
}

// TestA5_WhatARestartLeftComesBeforeANewEpisode of the same server, and each has
// its end.
func TestA5_WhatARestartLeftComesBeforeANewEpisode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		a := alertsTo(&sink{stuck: true}, m)
		a.says(model.EvHalted, "web")
		time.Sleep(5 * time.Second)
		a.says(model.EvRecovered, "web")
		time.Sleep(5 * time.Second)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		a.Close(ended, ended)
		s := &sink{}
		a = alertsTo(s, m, "web")
		a.says(model.EvHalted, "web") // at once
		time.Sleep(time.Hour)
		a.says(model.EvRecovered, "web")
		a.Close(t.Context(), t.Context())
		s.want(t, "halted web", "recovered web", "halted web", "recovered web")
	})
}

// TestX2_APostThatIsUnderWayIsNotCutOff: no try begins late in a stop, and one
// that has begun is let finish, so that a restart does not send it again.
func TestX2_APostThatIsUnderWayIsNotCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := &sink{slow: 4 * time.Second}, &memory{}
		a := alertsTo(s, m)
		a.says(model.EvHalted, "web")
		time.Sleep(3 * time.Second) // 2 s to gather, and one on the wire
		a.says(model.EvHalted, "db")
		begin, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		wire, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		began := time.Now()
		if left := a.Close(begin, wire); fmt.Sprint(left) != "[{sink 1 true}]" || time.Since(began) != 3*time.Second {
			t.Errorf("left %v, after %s", left, time.Since(began))
		}
		s.want(t, "halted web")
		s = &sink{}
		a = alertsTo(s, m, "web", "db")
		time.Sleep(time.Minute)
		a.Close(t.Context(), t.Context())
		s.want(t, "halted db")
	})
}

// TestA5_APostBearsTheSameIDWheneverItIsSent, and no other post does.
func TestA5_APostBearsTheSameIDWheneverItIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := &sink{stuck: true}, &memory{}
		ids := map[string][]string{}
		for range 2 {
			a := alertsTo(s, m, "web")
			if s.stuck {
				a.says(model.EvHalted, "web")
				a.says(model.EvHalted, "db")
			}
			time.Sleep(8 * time.Second) // not so long that the first is given up
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			a.Close(ended, ended)
			for _, p := range s.sent() {
				ids[p.Server+p.Event] = append(ids[p.Server+p.Event], p.ID)
			}
			s = &sink{}
		}
		web, db := ids["webhalted"], ids["dbhalted"]
		if len(web) != 2 || len(db) != 1 || web[0] != web[1] || web[0] == db[0] || len(web[0]) != 16 {
			t.Errorf("%v", ids)
		}
	})
}
