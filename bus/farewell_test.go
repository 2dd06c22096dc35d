package bus

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// lostWith waits until a client has lost its engine, and returns what it says.
func lostWith(t *testing.T, c *Client) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for seen := uint64(0); ; {
		fleet, err := c.Next(ctx, seen)
		if err != nil {
			if !errors.Is(err, ErrLost) {
				t.Fatalf("%v is not ErrLost", err)
			}
			return err.Error()
		}
		seen = fleet.Seq
	}
}

// TestN2_AStopInOrderIsNoCrash: every dashboard says who stopped the engine.
func TestN2_AStopInOrderIsNoCrash(t *testing.T) {
	stopped := make(chan string, 1)
	s, lock := serve(t, newFake("a"), func(o *Options) { o.Stop = func(by redact.Safe) { stopped <- by.String() } })
	watching, stopping := dial(t, lock), dial(t, lock)
	next(t, watching, 0, all)
	if _, err := stopping.StopEngine(t.Context()); err != nil {
		t.Fatal(err)
	}
	by := stopping.Hello().You.String()
	if got := <-stopped; got != by || by == "" {
		t.Errorf("stopped by %q, want %q", got, by)
	}
	until(t, "the farewell", func() bool { return !watching.live().farewell().IsZero() })
	late := dial(t, lock)
	s.Stopping(redact.Safe{}) // the signal that follows an order says nothing new
	s.Close()
	for name, c := range map[string]*Client{"watching": watching, "late": late} {
		if got, want := lostWith(t, c), "the engine was stopped, by "+by; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestN2_AnEndWithoutAWordGivesItsReasonAlone: that the engine is lost, and dialled
// again, the screen says.
func TestN2_AnEndWithoutAWordGivesItsReasonAlone(t *testing.T) {
	s, lock := serve(t, newFake("a"))
	c := dial(t, lock)
	next(t, c, 0, all)
	s.Close()
	if got := lostWith(t, c); got != "its connection ended" && !strings.HasPrefix(got, "no engine answers at ") {
		t.Errorf("%q", got)
	}
}

func TestN1_AReloadSaysWho(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	did, ok := c.Reload(model.Reload{Added: []string{"new"}, By: redact.Word("root of elsewhere")})
	if want := c.Hello().You.String() + ", as root of elsewhere"; !ok || did.By.String() != want {
		t.Errorf("by %q, %v; want %q", did.By, ok, want)
	}
}

func TestR3_AnOrderNamesAServerThatCanBe(t *testing.T) {
	for name, ok := range map[string]bool{
		"github": true, "a.b_c-9": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a\x1b[2J": false, "a b": false, "é": false, "a\n": false,
	} {
		b, err := json.Marshal(model.Order{ID: "x", Server: name, Verb: model.Restart})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeOrder(b); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestN3_AnEngineThatDoesNotGreetIsToldInOneLine: one that was suspended, one that
// hangs up, and what is no engine.
func TestN3_AnEngineThatDoesNotGreetIsToldInOneLine(t *testing.T) {
	for what, c := range map[string]struct {
		answer func(net.Conn)
		want   string
		within time.Duration
	}{
		"says nothing": {func(net.Conn) {}, "does not answer: `kill -CONT` wakes one that was suspended", 200 * time.Millisecond},
		"hangs up":     {func(c net.Conn) { _ = c.Close() }, "hung up: it is ending, or has too many clients; try again", patience},
		"another":      {func(c net.Conn) { _, _ = c.Write([]byte("220 smtp\n")) }, "what answers is no engine of rollcall: the request cannot be read", patience},
	} {
		t.Run(what, func(t *testing.T) {
			socket := filepath.Join(filepath.Dir(runtimeDir(t)), "x.sock")
			ln, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = bufio.NewReader(conn).ReadString('\n')
				c.answer(conn)
				_, _ = conn.Read(make([]byte, 1))
			}()
			ctx, cancel := context.WithTimeout(t.Context(), c.within)
			defer cancel()
			_, err = Dial(ctx, socket, DialOptions{})
			_ = ln.Close()
			<-done
			if err == nil || !strings.HasSuffix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want … %s", err, c.want)
			}
			var mute *MuteError
			if errors.As(err, &mute) && mute.PID != os.Getpid() {
				t.Errorf("process %d, want %d", mute.PID, os.Getpid())
			}
		})
	}
}
