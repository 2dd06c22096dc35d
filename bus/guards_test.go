package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/model"
)

// sick is an engine whose loop does not answer, until it is well.
type sick struct {
	*fake
	well atomic.Bool
}

func (s *sick) Health(ctx context.Context) (model.Health, error) {
	if !s.well.Load() {
		return model.Health{Mailbox: 99}, context.DeadlineExceeded
	}
	return s.fake.Health(ctx)
}

// TestN4_ALoopThatDoesNotAnswerHasNoBeat.
func TestN4_ALoopThatDoesNotAnswerHasNoBeat(t *testing.T) {
	e := &sick{fake: newFake("a")}
	s, lock := serve(t, e)
	l, _ := raw(t, lock, true)
	beats := make(chan *nats.Msg, 2)
	if _, err := l.nc.ChanSubscribe(l.subjects.beat(), beats); err != nil {
		t.Fatal(err)
	}
	if err := l.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	s.pump.beat(t.Context())
	e.well.Store(true)
	s.pump.beat(t.Context())
	var b beat
	if err := json.Unmarshal(receive(t, beats).Data, &b); err != nil || b.Health.Mailbox != 1 {
		t.Errorf("the first beat is of a loop that did not answer: %+v, %v", b, err)
	}
}

// stalled is an engine whose loop is busy: Next waits for it.
type stalled struct {
	*fake
	asked chan struct{}
}

func (s stalled) Next(ctx context.Context, seen uint64) (model.Fleet, error) {
	if seen == 0 {
		s.asked <- struct{}{}
		<-ctx.Done()
		return model.Fleet{}, ctx.Err()
	}
	return s.fake.Next(ctx, seen)
}

// TestN5_AQuestionToABusyLoopHoldsNothing: the pump goes on, and the question
// ends with its time.
func TestN5_AQuestionToABusyLoopHoldsNothing(t *testing.T) {
	e := stalled{newFake("a"), make(chan struct{}, 1)}
	s, _ := serve(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := s.pump.whole(ctx)
		done <- err
	}()
	<-e.asked
	s.pump.seq() // takes the pump's lock
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestN2_ReadOnlyIsHeldByTheServerToo: should the broker let an order through.
func TestN2_ReadOnlyIsHeldByTheServerToo(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	for _, readOnly := range []bool{true, false} {
		l, _ := raw(t, lock, readOnly)
		b, err := json.Marshal(order(fmt.Sprint("x-", readOnly), "a"))
		if err != nil {
			t.Fatal(err)
		}
		s.ordered(&nats.Msg{Subject: s.subjects.order("do", l.Who), Reply: inboxOf(l.Who) + "a.1", Data: b})
		if n := len(e.orders()); (n == 0) != readOnly {
			t.Errorf("read-only %t: %d orders", readOnly, n)
		}
	}
}

// TestO1_AnAnswerIsHeardBeforeAnOrderCanCome: who follows the answers is there
// before the door is.
func TestO1_AnAnswerIsHeardBeforeAnOrderCanCome(t *testing.T) {
	lock, err := Acquire(runtimeDir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lock.Release)
	e := &early{fake: newFake("a"), socket: lock.Paths().Socket}
	s, err := Serve(lock, Options{Engine: e, Host: "edge-7"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := os.Lstat(e.socket); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.before {
		t.Error("nobody follows the answers, and the door is open")
	}
}

// early is an engine that notes whether it was followed before its socket was
// there.
type early struct {
	*fake
	socket string
	before bool
}

func (e *early) FollowEvents(after uint64, limit int) Events {
	_, err := os.Lstat(e.socket)
	e.mu.Lock()
	e.before = e.before || err != nil
	e.mu.Unlock()
	return e.fake.FollowEvents(after, limit)
}

// TestN5_AClientThatTakesNothingHasATimeLimit, on its side of the bridge.
func TestN5_AClientThatTakesNothingHasATimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		began := time.Now()
		_, err := io.WriteString(impatient{near}, "INFO {}\r\n")
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != writeDeadline {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// TestN5_WhatWaitsForAClientIsBounded: one that reads nothing is cut off by what
// waits for it, before it is by the time.
func TestN5_WhatWaitsForAClientIsBounded(t *testing.T) {
	b, err := startBroker(subjectsOf("edge-7", "servers"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop()
	nc, err := b.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	b.admit("eve", guest{pass: "x"})
	inside, err := b.InProcessConn()
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	read := make([]byte, 4<<10)
	if _, err := inside.Read(read); err != nil { // INFO
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(inside, "CONNECT {\"user\":\"eve\",\"pass\":\"x\",\"verbose\":false}\r\nSUB %s 1\r\n", b.subjects.rows()); err != nil {
		t.Fatal(err)
	}
	until(t, "it subscribes", func() bool { return b.wanted(b.subjects.rows()) })
	part := make([]byte, maxPayload)
	began := time.Now()
	for range maxPending/maxPayload + 2 {
		if err := nc.Publish(b.subjects.rows(), part); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "it is cut off", func() bool { return b.NumSlowConsumers() == 1 })
	if took := time.Since(began); took >= writeDeadline {
		t.Errorf("it took %v: the deadline did it", took)
	}
}

func TestAnswersOfNoEngineAreBounded(t *testing.T) {
	var c Client
	for range maxLocal + 10 {
		c.settle(&given{order: order("x", "a")}, model.Event{}, ErrReadOnly)
	}
	if len(c.local) != maxLocal {
		t.Errorf("%d are kept, want %d", len(c.local), maxLocal)
	}
}
