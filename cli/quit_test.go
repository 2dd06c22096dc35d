package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollcall/bus"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
)

// stage is an engine of one server that is never dialled, on the bus, and the
// commands on it.
type stage struct {
	app    *app
	out    *bytes.Buffer
	server *bus.Server
	lock   *bus.Lock
	told   chan struct{} // when the order to stop has come
}

func newStage(t *testing.T, change ...func(bus.Engine) bus.Engine) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "rc") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "servers.toml")
	write(t, path, "[servers.a]\ncommand = \"true\"\nenabled = false\n")
	spec := &model.Spec{Name: "a", Timings: model.DefaultTimings(), Shown: &model.Shown{}}
	engine := supervise.New(supervise.Options{Host: redact.Word("edge-7"), Slots: 1,
		Read: func(string) (*model.Spec, *model.Refusal) { return spec, nil }}, []model.Entry{{Name: "a", Spec: spec}})
	ran := make(chan struct{})
	go func() { engine.Run(); close(ran) }()
	t.Cleanup(func() { engine.Stop(); <-ran })
	lock, err := bus.Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lock.Release)
	var carries bus.Engine = carried{Engine: engine}
	for _, fn := range change {
		carries = fn(carries)
	}
	s := &stage{out: &bytes.Buffer{}, lock: lock, told: make(chan struct{})}
	s.server, err = bus.Serve(lock, bus.Options{Engine: carries, Host: "edge-7", Version: cleanVersion(), Stop: func(redact.Safe) { close(s.told) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.server.Close)
	s.app = &app{config: path, out: s.out, err: s.out, in: strings.NewReader("")}
	return s
}

// TestX2_StopSaysWhatBecameOfTheServers, once the lock is free.
func TestX2_StopSaysWhatBecameOfTheServers(t *testing.T) {
	for left, want := range map[redact.Safe]string{
		{}:                                    "",
		redact.Word("process 4711 of github"): "stop: the engine has ended, and could not end process 4711 of github, still there after SIGKILL",
	} {
		s := newStage(t)
		go func() {
			<-s.told
			s.server.Ended(left)
			s.server.Close()
			s.lock.Release()
		}()
		err := s.app.stop(true)
		if got := errorText(err); got != want {
			t.Errorf("left %q: %q", left, got)
		}
		if said := s.out.String() == "the engine has ended\n"; said != (want == "") {
			t.Errorf("left %q: %q", left, s.out)
		}
	}
}

// TestX2_ALostConnectionIsNotTheEnd: the engine is there as long as it has its
// lock.
func TestX2_ALostConnectionIsNotTheEnd(t *testing.T) {
	s := newStage(t)
	client, err := s.app.reach("stop", false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ended, err := client.StopEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.server.Close()
	done := make(chan error, 1)
	go func() { done <- s.app.untilGone(client, ended) }()
	select {
	case err := <-done:
		t.Fatalf("it has its lock, and was said to have ended: %v", err)
	case <-time.After(10 * goneLook): // it has looked at the lock
	}
	s.lock.Release()
	if got := errorText(<-done); !strings.HasSuffix(got, "has ended, and did not say what became of its servers") {
		t.Errorf("%q", got)
	}
	if s.out.Len() > 0 {
		t.Errorf("said: %s", s.out)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// deaf is an engine that answers no order.
type deaf struct {
	bus.Engine
	ordered chan struct{} // of capacity 1
}

func (d deaf) Do(model.Order) { d.ordered <- struct{}{} }

// TestN3_AnOrderEndsWithTheEngine, with or without --wait: exit 3.
func TestN3_AnOrderEndsWithTheEngine(t *testing.T) {
	for _, wait := range []bool{false, true} {
		ordered := make(chan struct{}, 1)
		s := newStage(t, func(e bus.Engine) bus.Engine { return deaf{e, ordered} })
		done := make(chan error, 1)
		go func() { done <- s.app.order(model.Restart, []string{"a"}, ordering{wait: wait}) }()
		<-ordered
		s.server.Close()
		select {
		case err := <-done:
			var f failure
			if !errors.As(err, &f) || f.code != exitNoEngine {
				t.Errorf("wait %t: %v", wait, err)
			}
		case <-time.After(patience):
			t.Fatalf("wait %t: it waits for an engine that is gone", wait)
		}
	}
}

// TestN3_TimeoutBoundsTheAnswerToo: without --wait.
func TestN3_TimeoutBoundsTheAnswerToo(t *testing.T) {
	s := newStage(t, func(e bus.Engine) bus.Engine { return deaf{e, make(chan struct{}, 1)} })
	err := s.app.order(model.Restart, []string{"a"}, ordering{timeout: 50 * time.Millisecond})
	var f failure
	if want := "a                no answer within 50 ms: it is off\n"; !errors.As(err, &f) || f.code != exitFailure || s.out.String() != want {
		t.Errorf("%v, %q", err, s.out)
	}
}

// TestN4_ASilentEngineIsNotSaidToBeGone: it may be there.
func TestN4_ASilentEngineIsNotSaidToBeGone(t *testing.T) {
	for err, want := range map[error]string{
		fmt.Errorf("%w, %w for 16 s", bus.ErrLost, bus.ErrSilent): "restart: the engine is lost, no word of the engine for 16 s",
		bus.ErrLost: "restart: the engine is gone",
	} {
		var f failure
		if got := asked("restart", err); !errors.As(got, &f) || f.code != exitNoEngine || got.Error() != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
