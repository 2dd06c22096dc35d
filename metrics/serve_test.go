package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

func TestHealthzSaysWhatWasObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newFake()
		c := NewCollector(e, NewCounts(), "v1")
		if code, text := get(t, c, "/healthz"); code != http.StatusOK || text != "ok\n" {
			t.Errorf("%d %q", code, text)
		}
		e.health = stuck
		code, text := get(t, c, "/healthz")
		if want := "the engine's loop did not answer within 1000 ms; 12 messages wait for it\n"; code != http.StatusServiceUnavailable || text != want {
			t.Errorf("stuck: %d %q", code, text)
		}
		e.health = func(context.Context) (model.Health, error) {
			return model.Health{}, errors.New("the engine has stopped")
		}
		if code, text := get(t, c, "/healthz"); code != http.StatusServiceUnavailable || text != "the engine has stopped\n" {
			t.Errorf("stopped: %d %q", code, text)
		}
	})
}

func TestTheFirstPageNamesTheOthers(t *testing.T) {
	c := hanging(newFake(), twoServers())
	if code, text := get(t, c, "/"); code != http.StatusOK || !strings.Contains(text, "/metrics") || !strings.Contains(text, "/healthz") {
		t.Errorf("%d %q", code, text)
	}
	if code, _ := get(t, c, "/nothing"); code != http.StatusNotFound {
		t.Errorf("a page that is not there: %d", code)
	}
}

// TestServeEndsWithItsContext: an open connection, and one in the middle of its
// request, hold nothing up.
func TestServeEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := hanging(newFake(), twoServers())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx, l) }()

	resp, err := http.Get("http://" + l.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if !strings.Contains(string(body), "rollcall_engine_up 1") {
		t.Errorf("%s", body)
	}
	half, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	if _, err := io.WriteString(half, "GET /metrics HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Serve does not end")
	}
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}

// BenchmarkScrape is one scrape of 500 servers, all series and their text.
func BenchmarkScrape(b *testing.B) {
	c := hanging(newFake(), manyServers(500))
	for i := range 500 {
		ev := probe(model.Alive, time.Duration(i)*time.Millisecond)
		ev.Server = c.fleet.Rows[i].Server
		c.counts.Observe(ev, 0)
	}
	h := c.Handler()
	bytes := 0
	for b.Loop() {
		w := &counting{header: http.Header{}}
		req, _ := http.NewRequest(http.MethodGet, "/metrics", nil)
		h.ServeHTTP(w, req)
		bytes = w.n
	}
	b.ReportMetric(float64(bytes), "B/scrape")
}

// counting is a response whose bytes are counted.
type counting struct {
	header http.Header
	n      int
}

func (w *counting) Header() http.Header         { return w.header }
func (w *counting) WriteHeader(int)             {}
func (w *counting) Write(b []byte) (int, error) { w.n += len(b); return len(b), nil }
