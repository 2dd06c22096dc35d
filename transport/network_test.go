package transport

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

func discardLine(time.Time, model.LineKind, redact.Safe) {}

// tlsServer has a certificate that nobody here trusts.
func tlsServer(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it would say that the client hung up
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// proxy is a TCP proxy in this process that can stop to pass anything on, and
// cuts what was idle for too long.
type proxy struct {
	addr   string
	idle   time.Duration // 0: it never cuts
	passes chan struct{} // one for each time that something passed on its way to the server

	mu    sync.Mutex
	dead  bool
	conns []net.Conn
}

func newProxy(t *testing.T, to string, idle time.Duration) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), idle: idle, passes: make(chan struct{}, 1)}
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.conns {
			_ = c.Close()
		}
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.mu.Unlock()
			go p.pass(in, out, nil)
			go p.pass(out, in, p.passes)
		}
	}()
	return p
}

// pass copies until a side is idle for too long, or gone; then it cuts both.
// Once the proxy is half open it reads and drops.
func (p *proxy) pass(to, from net.Conn, passes chan<- struct{}) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		if p.idle > 0 {
			_ = from.SetReadDeadline(time.Now().Add(p.idle))
		}
		n, err := from.Read(buf)
		p.mu.Lock()
		dead := p.dead
		p.mu.Unlock()
		if !dead && n > 0 {
			_, _ = to.Write(buf[:n])
			select {
			case passes <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// halfOpen makes it swallow all that comes, as a peer that lost its power does.
func (p *proxy) halfOpen() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
}

// hostOf is the address in a url.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// TestT4_APingKeepsAnIdleProxyFromCutting: nobody asks for anything, and yet
// something passes, again and again; without pings a proxy cuts what is idle.
func TestT4_APingKeepsAnIdleProxyFromCutting(t *testing.T) {
	l := listen(t, "ws")
	through := func(t *testing.T, ping, idle time.Duration) (*watched, *proxy) {
		h, p := newHost(t), newProxy(t, hostOf(l.url), idle)
		if h.waits.ping > 30*time.Second {
			t.Errorf("a ping each %v", h.waits.ping)
		}
		h.waits.ping = ping
		return start(t, h, urlSpec(model.WebSocket, "ws://"+p.addr+"/mcp")), p
	}
	t.Run("with pings", func(t *testing.T) {
		t.Parallel()
		w, p := through(t, 20*time.Millisecond, 0)
		await[model.Connected](w)
		for range 10 {
			select {
			case <-p.passes:
			case <-time.After(patience):
				t.Fatal("nothing passes")
			}
		}
		if told[model.Closed](w) {
			t.Errorf("closed\n%s", w)
		}
	})
	t.Run("without", func(t *testing.T) {
		t.Parallel()
		w, _ := through(t, time.Hour, 500*time.Millisecond)
		if end := await[model.Closed](w).End; end.Cause != model.TransportBroken {
			t.Errorf("closed: %+v", end)
		}
	})
}

// TestP1_AHalfOpenConnectionTimesOut: nothing but a probe sees it, and the stop
// does not wait for it.
func TestP1_AHalfOpenConnectionTimesOut(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for scheme, via := range map[string]model.Transport{"ws": model.WebSocket, "http": model.HTTP} {
		p := newProxy(t, hostOf(listen(t, scheme).url), 0)
		w := start(t, h, urlSpec(via, scheme+"://"+p.addr+"/mcp"))
		await[model.Connected](w)
		p.halfOpen()
		if got := probe(w, 200*time.Millisecond); got.Outcome != model.TimedOut {
			t.Errorf("%s: probe: %+v", scheme, got)
		}
		if took := w.stop(); took > goodbye+3*time.Second {
			t.Errorf("%s: took %v to stop", scheme, took)
		}
	}
}
