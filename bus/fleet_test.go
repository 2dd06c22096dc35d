package bus

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"rollcall/model"
)

// hub is a NATS server of a fleet, on loopback.
func hub(t *testing.T) (*server.Server, *url.URL) {
	opts := &server.Options{ServerName: "hub", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true}
	opts.LeafNode.Host, opts.LeafNode.Port = "127.0.0.1", server.RANDOM_PORT
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(patience) {
		t.Fatal("the hub did not get ready")
	}
	u, err := url.Parse(fmt.Sprintf("nats-leaf://127.0.0.1:%d", opts.LeafNode.Port))
	if err != nil {
		t.Fatal(err)
	}
	return s, u
}

// TestN4_OneConnectionReadsTwoHosts joins two engines as leaves to a third
// server, and finds and reads both there: by their beats, their rows, and what
// changes.
func TestN4_OneConnectionReadsTwoHosts(t *testing.T) {
	h, leaf := hub(t)
	nc, err := nats.Connect(h.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	beats, changes := make(chan *nats.Msg, 16), make(chan *nats.Msg, 16)
	for subject, ch := range map[string]chan *nats.Msg{root + "*.*.beat": beats, root + "*.*.rows": changes} {
		if _, err := nc.ChanSubscribe(subject, ch); err != nil {
			t.Fatal(err)
		}
	}
	for _, host := range []string{"edge-7", "edge.8"} {
		e := newFake("on-" + host)
		s, _ := serve(t, e, func(o *Options) { o.Host, o.Hubs = host, []*url.URL{leaf} })
		until(t, "the hub's interest is known", func() bool { return s.broker.wanted(s.subjects.beat()) })
		s.pump.beat(t.Context())
		prefix := strings.TrimSuffix(receive(t, beats).Subject, "beat")
		if prefix != s.subjects.prefix {
			t.Fatalf("%s is found at %s", host, prefix)
		}
		m := ask(t, nc, prefix+"ask.whole.anna")
		if _, fleet, err := decodeWhole(m.Data[1:]); err != nil || len(fleet.Rows) != 1 || fleet.Rows[0].Server != "on-"+host {
			t.Errorf("%s: %s", host, m.Data)
		}
		e.change("on-"+host, func(r *model.Row) { r.Phase = model.Halted })
		var d delta
		if m := receive(t, changes); json.Unmarshal(m.Data, &d) != nil || len(d.Rows) != 1 || d.Rows[0].Phase != model.Halted || m.Subject != s.subjects.rows() {
			t.Errorf("%s: %s on %s", host, m.Data, m.Subject)
		}
		// No order travels over a hub, and nothing but snapshots is handed out.
		orders := make(chan *nats.Msg, 16)
		if _, err := s.nc.ChanSubscribe(s.subjects.order("*", "*"), orders); err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{"order.do.anna", "order.stop.anna", "ask.lines.anna", "ask.follow.anna"} {
			b := []byte(`{"order_id":"1","order":"restart","server":"on-` + host + `"}`)
			if m, err := nc.Request(prefix+subject, b, 50*time.Millisecond); err == nil {
				t.Errorf("%s: %s is answered with %s", host, subject, m.Data)
			}
		}
		ask(t, nc, prefix+"ask.whole.anna") // whatever was before it has come
		if len(orders) > 0 {
			t.Errorf("%s: %s came from the hub: the broker alone is to keep it out", host, (<-orders).Subject)
		}
		if n := len(e.orders()); n > 0 || e.stops > 0 {
			t.Errorf("%s: %d orders, %d stops", host, n, e.stops)
		}
	}
}

func receive(t *testing.T, from <-chan *nats.Msg) *nats.Msg {
	t.Helper()
	select {
	case m := <-from:
		return m
	case <-time.After(patience):
		t.Fatal("nothing came")
		return nil
	}
}

func ask(t *testing.T, nc *nats.Conn, subject string) *nats.Msg {
	t.Helper()
	m, err := nc.Request(subject, nil, patience)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
