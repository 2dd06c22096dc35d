package alert

import (
	"context"
	"errors"
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
	stuck bool
	fails bool
	posts []string
}

func (s *sink) Name() redact.Safe { return redact.Word("sink") }
func (s *sink) Tries() int        { return 1 }

func (s *sink) Send(ctx context.Context, p Post) Result {
	if s.stuck {
		<-ctx.Done()
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
func alertsTo(s *sink, m *memory, open ...string) *Alerts {
	return New(Options{Host: redact.Word("edge-7"), Sinks: []Sink{s}, Store: m,
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
		if n := a.Close(t.Context()); n != 0 { // what is decided is not held up by the end
			t.Errorf("%d not sent", n)
		}
		s.want(t, "recovered web")
		a.says(model.EvHalted, "late")
		a.Close(t.Context())
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
		if n := a.Close(ctx); n != 3 || time.Since(began) > 2*time.Second {
			t.Errorf("%d not sent, after %s", n, time.Since(began))
		}
		s = &sink{}
		a = alertsTo(s, m, "web")
		time.Sleep(time.Minute)
		s.want(t, "halted web", "halted db", "recovered db")
		a.says(model.EvHalted, "web") // the engine says it again, at the start
		a.says(model.EvRecovered, "web")
		a.Close(t.Context())
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
		a.Close(t.Context())
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
		a.Close(t.Context())
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
		a.Close(t.Context())
	})
}
