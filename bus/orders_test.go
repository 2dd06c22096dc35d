package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/model"
	"rollcall/redact"
)

func order(id, server string) model.Order {
	return model.Order{ID: id, Verb: model.Restart, Server: server}
}

func TestO1_AnOrderIsAnsweredWithWhatBecameOfIt(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	ev, err := c.Order(t.Context(), order("x-1", "a"))
	if err != nil || ev.OrderID != "x-1" || ev.Outcome.String() != "done" {
		t.Fatalf("%+v, %v", ev, err)
	}
	if ev.By != c.Hello().You {
		t.Errorf("given by %q, and the client is %q", ev.By, c.Hello().You)
	}
}

func TestO1_AnOrderThatComesTwiceIsCarriedOutOnce(t *testing.T) {
	e := newFake("a")
	e.hold = true
	_, lock := serve(t, e)
	c := dial(t, lock)
	done := make(chan error, 3)
	go func() {
		_, err := c.Order(t.Context(), order("x-1", "a"))
		done <- err
	}()
	until(t, "the order arrives", func() bool { return len(e.orders()) == 1 })
	l := c.live()
	for range 2 {
		go func() { done <- l.ask(t.Context(), l.subjects.order("do", l.Who), order("x-1", "a"), new(model.Event)) }()
	}
	// The engine answers what it was given; all three are told.
	e.answer(e.orders()[0])
	for range 3 {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("not all who gave it are told")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if ev, err := c.Order(ctx, order("x-1", "a")); err != nil || ev.Outcome.String() != "done" {
		t.Errorf("a fourth time: %+v, %v", ev, err)
	}
	if n := len(e.orders()); n != 1 {
		t.Errorf("carried out %d times", n)
	}
}

func TestOrdersAreGivenInTheirOrder(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	c := dial(t, lock)
	const n = 2000
	until(t, "the server follows", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return len(e.watch) == 1
	})
	e.watch[0].mu.Lock()
	e.watch[0].room = 5 // it misses most, and looks them up
	e.watch[0].mu.Unlock()
	for i := range n {
		c.Do(order(fmt.Sprintf("x-%d", i), "a"))
	}
	until(t, "all arrive", func() bool { return len(e.orders()) == n })
	for i, o := range e.orders() {
		if o.ID != fmt.Sprintf("x-%d", i) {
			t.Fatalf("%s in place %d", o.ID, i)
		}
	}
	until(t, "all are answered", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.pending) == 0
	})
}

func TestAnOrderToALostEngineIsAnsweredHere(t *testing.T) {
	e := newFake("a")
	s, lock := serve(t, e)
	c := dial(t, lock)
	e.hold = true
	c.Do(order("x-1", "a"))
	until(t, "the order arrives", func() bool { return len(e.orders()) == 1 })
	e.tell(model.Event{Server: "a"})
	seen := c.Events("", 0, 10)
	s.Close()
	until(t, "the engine is lost", func() bool { return c.live() == nil })
	c.Do(order("x-2", "a"))
	got := c.Events("", seen[0].Seq, 10)
	if len(got) != 1 || got[0].OrderID != "x-2" || got[0].Outcome.String() != "refused" || !strings.Contains(got[0].Text.String(), "the engine is lost") {
		t.Fatalf("given while it is lost: %+v", got)
	}
	if _, err := c.Order(t.Context(), order("x-3", "a")); !errors.Is(err, ErrLost) {
		t.Errorf("%v", err)
	}
	other := newFake("a")
	s2, err := Serve(lock, Options{Engine: other, Host: "edge-7", Version: redact.Word("1.0")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s2.Close)
	var after []model.Event
	until(t, "what was on the way is answered", func() bool {
		after = c.Events("", got[0].Seq, 10)
		return len(after) > 0
	})
	if after[0].OrderID != "x-1" || !strings.Contains(after[0].Error.String(), "not known") {
		t.Errorf("given before it was lost: %+v", after)
	}
	if n := len(other.orders()); n != 0 {
		t.Errorf("the other engine was given %d orders", n)
	}
}

// TestAnOrderSurvivesACutConnection: the same engine is still there, and gets it
// once.
func TestAnOrderSurvivesACutConnection(t *testing.T) {
	e := newFake("a")
	e.hold = true
	_, lock := serve(t, e)
	c := dial(t, lock)
	done := make(chan error, 1)
	go func() {
		_, err := c.Order(t.Context(), order("x-1", "a"))
		done <- err
	}()
	until(t, "the order arrives", func() bool { return len(e.orders()) == 1 })
	l := c.live()
	l.nc.Close()
	until(t, "there is another connection", func() bool { return c.live() != nil && c.live() != l })
	e.answer(e.orders()[0])
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := len(e.orders()); n != 1 {
		t.Errorf("carried out %d times", n)
	}
}

// raw is a client that does as it likes.
func raw(t *testing.T, l *Lock, readOnly bool) (*link, <-chan error) {
	t.Helper()
	link, err := connect(t.Context(), l.Paths().Socket, greeting{Protocol: Protocol, Version: redact.Word("1.0"), ReadOnly: readOnly})
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 16)
	link.nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { errs <- err })
	t.Cleanup(link.close)
	return link, errs
}

// violated waits for the broker's refusal.
func violated(t *testing.T, errs <-chan error, what string) {
	t.Helper()
	select {
	case err := <-errs:
		if !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(patience):
		t.Fatalf("%s: it was let through", what)
	}
}

// TestN2_ReadOnlyIsHeldByTheBroker goes around the client, which would not even
// try.
func TestN2_ReadOnlyIsHeldByTheBroker(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	l, errs := raw(t, lock, true)
	for _, verb := range []string{"do", "reload", "stop"} {
		if err := l.nc.PublishRequest(l.subjects.order(verb, l.Who), inboxOf(l.Who)+"a.1", []byte(`{"order_id":"1","order":"restart","server":"a"}`)); err != nil {
			t.Fatal(err)
		}
		if err := l.nc.Flush(); err != nil {
			t.Fatal(err)
		}
		violated(t, errs, verb)
	}
	if _, err := l.whole(t.Context()); err != nil {
		t.Errorf("reading: %v", err)
	}
	c := dial(t, lock, DialOptions{Version: redact.Word("1.0"), ReadOnly: true})
	if _, err := c.Order(t.Context(), order("x-1", "a")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v", err)
	}
	if _, err := c.StopEngine(t.Context()); !errors.Is(err, ErrReadOnly) {
		t.Errorf("%v", err)
	}
	if n := len(e.orders()); n != 0 || e.stops > 0 {
		t.Errorf("%d orders, %d stops arrived", n, e.stops)
	}
}

func TestNobodyOrdersAsAnother(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	anna, _ := raw(t, lock, false)
	eve, errs := raw(t, lock, false)
	publish := func(subject, reply string) {
		t.Helper()
		if err := eve.nc.PublishRequest(subject, reply, []byte(`{"order_id":"1","order":"restart","server":"a"}`)); err != nil {
			t.Fatal(err)
		}
		if err := eve.nc.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	heard := make(chan *nats.Msg, 16) // what eve has the engine say where she may not
	for _, subject := range []string{inboxOf(anna.Who) + "a.eve", anna.subjects.rows()} {
		if _, err := anna.nc.ChanSubscribe(subject, heard); err != nil {
			t.Fatal(err)
		}
	}
	if err := anna.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	mine := inboxOf(eve.Who) + "a.1"
	for what, subject := range map[string]string{
		"under another's name": anna.subjects.order("do", anna.Who), "rows that no engine published": eve.subjects.rows(),
		"another's answers": inboxOf(anna.Who) + "a.1", "a subject of nobody": "x",
	} {
		publish(subject, mine)
		violated(t, errs, what)
	}
	for _, reply := range []string{eve.subjects.rows(), inboxOf(anna.Who) + "a.eve"} {
		publish(eve.subjects.order("do", eve.Who), reply) // the engine would say it where the client may not
		publish(eve.subjects.ask("whole", eve.Who), reply)
	}
	if _, err := eve.nc.SubscribeSync(inboxOf(anna.Who) + ">"); err != nil {
		t.Fatal(err)
	}
	if err := eve.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	violated(t, errs, "another's answers")
	if _, err := eve.whole(t.Context()); err != nil { // all before was handled
		t.Fatal(err)
	}
	// A claim stands behind what the kernel says.
	o := order("x-9", "a")
	o.By = redact.Word("anna (pts/3)")
	var ev model.Event
	if err := eve.ask(t.Context(), eve.subjects.order("do", eve.Who), o, &ev); err != nil {
		t.Fatal(err)
	}
	if n := len(e.orders()); n != 1 {
		t.Errorf("%d orders, whose answers would go elsewhere, were carried out", n-1)
	}
	if _, err := eve.whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(heard) > 0 {
		t.Errorf("said where eve may not: %s", (<-heard).Data)
	}
	if got, want := ev.By.String(), eve.You.String()+", as anna (pts/3)"; got != want {
		t.Errorf("by %q, want %q", got, want)
	}
}

func TestHostileMessagesAreAnsweredOrDropped(t *testing.T) {
	e := newFake("a")
	_, lock := serve(t, e)
	l, _ := raw(t, lock, false)
	long := strings.Repeat("x", 5000)
	for _, b := range []string{"", "{", "null", "[]", `{"server":1}`, `{"limit":-1}`, `{"server":"` + long + `"}`, `{"order_id":"1","order":"explode","server":"a"}`,
		`{"order_id":"","order":"restart","server":"a"}`, strings.Repeat("[", 10000), `{"limit":99999999999999999999}`} {
		for _, subject := range []string{l.subjects.order("do", l.Who), l.subjects.order("nonsense", l.Who), l.subjects.ask("follow", l.Who), l.subjects.ask("credit", l.Who),
			l.subjects.ask("unfollow", l.Who), l.subjects.ask("lines", l.Who), l.subjects.ask("nonsense", l.Who)} {
			if err := l.nc.PublishRequest(subject, inboxOf(l.Who)+"a.none", []byte(b)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := l.whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(e.orders()); n != 0 {
		t.Errorf("%d orders", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := l.ask(ctx, l.subjects.order("do", l.Who), question{}, nil); err == nil || ctx.Err() != nil {
		t.Errorf("an order that is none: %v", err)
	}
}

func TestOrdersRememberABoundedNumber(t *testing.T) {
	o := newOrders()
	for i := range 3 * maxAnswered {
		id := fmt.Sprint(i)
		if got := o.take(id, 1, "r"); !got.fresh {
			t.Fatalf("%+v", got)
		}
		o.settle(model.Event{Kind: model.EvOrder, OrderID: id})
	}
	if len(o.byID) < maxAnswered || len(o.byID) > 2*maxAnswered {
		t.Errorf("%d are remembered", len(o.byID))
	}
	for i := range maxOpen {
		o.take(fmt.Sprint("open-", i), 1, "r")
	}
	if got := o.take("one more", 1, "r"); got.refused == "" {
		t.Error("there is no bound on orders that nobody answers")
	}
	if got := o.take("open-1", 2, "r"); got.refused == "" {
		t.Error("another user was let in on an order")
	}
}

func FuzzRequests(f *testing.F) {
	for _, s := range []string{`{"server":"a","after":3,"limit":10}`, `{"order_id":"1","order":"restart","server":"a","by":"anna"}`, `{"added":["a"],"before":3}`, "null", "{"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if q, err := decodeQuestion(b); err == nil && (q.Limit < 0 || q.Limit > MaxKept || len(q.ID) > idLimit || len(q.Server) > serverLimit) {
			t.Errorf("%+v", q)
		}
		if o, err := decodeOrder(b); err == nil {
			if o.ID == "" || len(o.ID) > idLimit || o.Server == "" || len(o.Server) > serverLimit || o.Verb.String() == "" {
				t.Errorf("%+v", o)
			}
			by := peer{name: redact.Word("eve")}.by(o.By)
			if !strings.HasPrefix(by.String(), "eve") || len(by.String()) > claimLimit+16 {
				t.Errorf("by %q", by)
			}
		}
		var d delta
		_ = json.Unmarshal(b, &d)
		_, _ = decodePart[FollowedLine](b)
	})
}
