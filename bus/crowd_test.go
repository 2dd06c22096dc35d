package bus

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

func TestN2_ThreeClientsAtOnce(t *testing.T) {
	e := newFake("a", "b")
	_, lock := serve(t, e)
	var wg sync.WaitGroup
	for i := range 3 {
		c := dial(t, lock)
		wg.Go(func() {
			first := next(t, c, 0, all)
			ev, err := c.Order(t.Context(), order(fmt.Sprint("x-", i), "a"))
			if err != nil || ev.OrderID != fmt.Sprint("x-", i) {
				t.Errorf("%+v, %v", ev, err)
			}
			if lines := c.Lines("b", 0, 2); len(lines) != 2 {
				t.Errorf("%v", lines)
			}
			e.change("a", func(r *model.Row) { r.Starts++ })
			next(t, c, first.Seq, func(f model.Fleet) bool { return f.Rows[0].Starts >= 1 })
		})
	}
	wg.Wait()
	if n := len(e.Events("", 0, 10)); n != 3 {
		t.Errorf("each order is in the events: %d", n)
	}
}

// TestN5_ClientsThatGoAwayLeaveNothing cuts 100 clients off as a SIGKILL does:
// without a word, whatever they were doing.
func TestN5_ClientsThatGoAwayLeaveNothing(t *testing.T) {
	e := newFake()
	e.set(many(50))
	s, lock := serve(t, e)
	settle := func() (goroutines int, heap uint64) {
		until(t, "all are gone", func() bool { return s.Clients() == 0 && s.broker.NumClients() == 1 })
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	visit := func() {
		l, err := connect(t.Context(), lock.Paths().Socket, greeting{Protocol: Protocol, Version: redact.Word("1.0")})
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{l.subjects.rows(), l.subjects.beat()} {
			if _, err := l.nc.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.whole(t.Context()); err != nil {
			t.Fatal(err)
		}
		id, _ := l.openStream()
		_ = l.nc.PublishRequest(l.subjects.ask("watch", l.Who), inboxOf(l.Who)+"s."+id, []byte(`{"id":"`+id+`"}`))
		e.change("server-3", func(r *model.Row) { r.Starts++ })
		l.close()
		<-l.closed
	}
	for range 5 {
		visit()
	}
	before, heap := settle()
	for range 100 {
		visit()
	}
	var after int
	var now uint64
	until(t, "goroutines and the heap are as before", func() bool {
		after, now = settle()
		return after <= before && now <= heap+4<<20
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.watch[1:] { // the first is the server's own
		select {
		case <-w.closed:
		case <-time.After(patience):
			t.Fatal("a follower was left open")
		}
	}
}

// TestConnectionsAreBounded fills the house, with some that say nothing.
func TestConnectionsAreBounded(t *testing.T) {
	s, lock := serve(t, newFake("a"))
	mute, err := net.Dial("unix", lock.Paths().Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	var links []*link
	for range maxConns {
		l, err := connect(t.Context(), lock.Paths().Socket, greeting{Protocol: Protocol})
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, l)
	}
	_, err = connect(t.Context(), lock.Paths().Socket, greeting{Protocol: Protocol})
	if want := "there are " + strconv.Itoa(maxConns) + " clients already: end one"; err == nil || err.Error() != want {
		t.Errorf("one more: %v", err)
	}
	for _, l := range links {
		l.close()
	}
	until(t, "they are gone", func() bool { return s.Clients() == 0 })
	if _, err := dial(t, lock).Whole(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestN5_AClientThatReadsNothingIsCutOff speaks NATS by hand, subscribes, and
// reads no more.
func TestN5_AClientThatReadsNothingIsCutOff(t *testing.T) {
	if os.Getenv("ROLLCALL_LONG") == "" {
		t.Skip("waits out the broker's patience of 5 s: set ROLLCALL_LONG=1")
	}
	e := newFake()
	e.set(many(400))
	s, lock := serve(t, e)
	other := dial(t, lock)
	c, err := net.Dial("unix", lock.Paths().Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var w welcome
	if err := writeLine(c, greeting{Protocol: Protocol}); err != nil {
		t.Fatal(err)
	}
	if err := readLine(bufio.NewReaderSize(c, 1), &w); err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(c, "CONNECT {\"user\":%q,\"pass\":%q,\"verbose\":false}\r\nSUB %srows 1\r\nPUB %sask.whole.%s %sa.1 2\r\n{}\r\n",
		w.Who, w.Pass, w.Prefix, w.Prefix, w.Who, inboxOf(w.Who))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "it subscribes", func() bool { return s.broker.wanted(s.subjects.rows()) })
	for start := time.Now(); s.Clients() > 1; {
		if time.Since(start) > 30*time.Second {
			t.Fatal("it is still there after 30 s")
		}
		e.set(many(400))
		asked := time.Now()
		if _, err := other.Whole(t.Context()); err != nil || time.Since(asked) > time.Second {
			t.Fatalf("another client is held up: %v after %v", err, time.Since(asked))
		}
	}
}
