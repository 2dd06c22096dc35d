package transport

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"rollcall/model"
)

func never() {}

func TestT8_WhoWaitsForRoomGetsItOnceAHolderHasHadItForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(roomSeats)
		var held []*seat
		for i := range roomSeats {
			time.Sleep(time.Second)
			var s *seat
			s, _ = r.take(nil, func() {
				if i != 0 {
					t.Errorf("%d was cut off, not the first", i)
				}
				go s.free()
			})
			held = append(held, s)
		}
		time.Sleep(time.Hour)
		if held[0].wasSlow() {
			t.Fatal("it was cut off, and nobody wanted its room")
		}
		before := time.Now()
		if _, err := r.take(nil, never); err != nil || time.Since(before) != roomHold {
			t.Errorf("it got room after %v, %v", time.Since(before), err)
		}
		if !held[0].wasSlow() {
			t.Error("nobody was cut off")
		}
		held[0].free() // again: it must not give away a seat that is another's
		synctest.Wait()
		if len(r.seats) != roomSeats {
			t.Errorf("%d seats are taken", len(r.seats))
		}
	})
}

func TestT8_AMessageThatIsCompleteIsNotCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(roomSeats)
		for range roomSeats {
			s, _ := r.take(nil, func() { t.Error("cut off") })
			s.read(0)
		}
		done := make(chan struct{})
		time.AfterFunc(10*roomHold, func() { close(done) })
		if _, err := r.take(done, never); err != errHungUp {
			t.Errorf("take: %v", err)
		}
	})
}

func TestT8_WhoHasHadRoomForAShortTimeKeepsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := newRoom(1), time.Now()
		first, _ := r.take(nil, never)
		time.AfterFunc(roomHold-time.Second, first.free)
		got := make(chan time.Duration, 2)
		for range 2 { // both look at the clock after roomHold, and one has had it for a second by then
			go func() {
				seats := make(chan *seat, 1)
				s, _ := r.take(nil, func() { (<-seats).free() })
				seats <- s
				got <- time.Since(began)
			}()
		}
		if a, b := <-got, <-got; a != roomHold-time.Second || b != 2*roomHold {
			t.Errorf("they got room after %v and %v", a, b)
		}
	})
}

// full takes all seats of a host's room. wanted is closed when somebody waits for
// one; leave gives them back.
func full(t *testing.T, h *Host) (wanted chan struct{}, leave func()) {
	t.Helper()
	wanted = make(chan struct{})
	want := sync.OnceFunc(func() { close(wanted) })
	var held []*seat
	for _, r := range []*room{h.room, h.bodies} {
		r.hold = time.Millisecond // for which somebody waits before it says so
		for range cap(r.seats) {
			s, err := r.take(nil, want)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, s)
		}
	}
	return wanted, func() {
		for _, s := range held {
			s.free()
		}
	}
}

// closes waits until a channel is closed.
func closes(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("no %s within %v", what, patience)
	}
}

func TestT2_EveryWayABigMessageWaitsForRoomAndHoldsUpNobodyElse(t *testing.T) {
	for _, way := range ways[:3] {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.waits.settle = patience
			wanted, leave := full(t, h)
			big := start(t, h, way.spec(t, "--big", strconv.Itoa(4*bigMessage)))
			closes(t, "wait for room", wanted)
			quiet := start(t, h, way.spec(t))
			await[model.Connected](quiet)
			for range 20 {
				if p := probe(quiet, patience); p.Outcome != model.Alive {
					t.Fatalf("probe: %+v", p)
				}
			}
			if told[model.Connected](big) {
				t.Error("its message was collected, and there was no room")
			}
			leave()
			await[model.Connected](big)
			for late := time.Now().Add(patience); h.seated() > 0 && time.Now().Before(late); {
				_ = probe(quiet, patience) // a condition that nobody tells
			}
			if n := h.seated(); n > 0 {
				t.Errorf("%d seats are taken still", n)
			}
		})
	}
}

func TestT2_EveryWayAStopEndsTheWaitForRoom(t *testing.T) {
	for _, way := range ways[:3] {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.waits.settle = patience
			wanted, leave := full(t, h)
			defer leave()
			w := start(t, h, way.spec(t, "--big", strconv.Itoa(4*bigMessage)))
			closes(t, "wait for room", wanted)
			w.stopsAtOnce()
		})
	}
}

// halfAnAnswer shakes hands over MCP, and never ends its answer to tools/list.
const halfAnAnswer = `{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"_meta":{"x":"` + "%s"

// idOf is the id of a request as it is written, and its method.
func idOf(data []byte) (id, method string) {
	_, rest, _ := bytes.Cut(data, []byte(`"id":`))
	n := bytes.IndexAny(rest, ",}")
	if n < 0 {
		return "", ""
	}
	_, m, _ := bytes.Cut(data, []byte(`"method":"`))
	m, _, _ = bytes.Cut(m, []byte(`"`))
	return string(rest[:n]), string(m)
}

// shaken is the answer to a request but tools/list.
func shaken(id, method string) string {
	if method != methodInitialize {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, id)
}

func serveHalf(t *testing.T, handle http.HandlerFunc) string {
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

func TestT8_EveryWayWhoDoesNotEndABigMessageMakesRoomForOthers(t *testing.T) {
	half := strings.Repeat("x", 2*bigMessage)
	specs := map[string]func(*testing.T) *model.Spec{
		"stdio": func(t *testing.T) *model.Spec {
			part := t.TempDir() + "/part"
			if err := os.WriteFile(part, fmt.Appendf(nil, halfAnAnswer, "2", half), 0o600); err != nil {
				t.Fatal(err)
			}
			return commandSpec("/bin/sh", "-c", `read a; echo '`+shaken("1", methodInitialize)+`'; read b; read c; /bin/cat `+part+`; exec /bin/sleep 1000`)
		},
		"http": func(t *testing.T) *model.Spec {
			return urlSpec(model.HTTP, serveHalf(t, func(w http.ResponseWriter, req *http.Request) {
				body, _ := io.ReadAll(req.Body)
				id, method := idOf(body)
				w.Header().Set("Content-Type", "application/json")
				switch {
				case id == "":
					w.WriteHeader(http.StatusAccepted)
				case method == methodListTools:
					fmt.Fprintf(w, halfAnAnswer, id, half)
					_ = http.NewResponseController(w).Flush()
					<-req.Context().Done()
				default:
					_, _ = io.WriteString(w, shaken(id, method))
				}
			}))
		},
		"websocket": func(t *testing.T) *model.Spec {
			url := serveHalf(t, func(w http.ResponseWriter, req *http.Request) {
				c, err := websocket.Accept(w, req, nil)
				if err != nil {
					return
				}
				defer c.CloseNow()
				for {
					_, data, err := c.Read(req.Context())
					if err != nil {
						return
					}
					switch id, method := idOf(data); {
					case id == "":
					case method == methodListTools:
						m, _ := c.Writer(req.Context(), websocket.MessageText)
						fmt.Fprintf(m, halfAnAnswer, id, half)
					default:
						_ = c.Write(req.Context(), websocket.MessageText, []byte(shaken(id, method)))
					}
				}
			})
			return urlSpec(model.WebSocket, "ws"+strings.TrimPrefix(url, "http"))
		},
	}
	for name, spec := range specs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.waits.settle = patience
			h.room = &room{seats: make(chan struct{}, 1), hold: 50 * time.Millisecond}
			h.bodies = h.room
			slow := start(t, h, spec(t), func(d *model.Dial) { d.Legacy = true })
			await[model.Handshaken](slow)
			slow.seated(h)
			big := start(t, h, demoSpec(t, "healthy", "--big", strconv.Itoa(4*bigMessage)))
			await[model.Connected](big)
			end := await[model.Closed](slow).End
			if !strings.Contains(end.Text.String(), "cut off: ") {
				t.Errorf("closed: %+v", end)
			}
			if p := probe(big, patience); p.Outcome != model.Alive {
				t.Errorf("probe: %+v", p)
			}
		})
	}
}

// seated is how many seats are taken.
func (h *Host) seated() int { return len(h.room.seats) + len(h.bodies.seats) }

// seated waits until somebody has a seat in the host's room.
func (w *watched) seated(h *Host) {
	w.t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for late := time.Now().Add(patience); h.seated() == 0; <-look.C {
		if time.Now().After(late) {
			w.t.Fatalf("no seat was taken\n%s", w)
		}
	}
}

func TestT2_ALongLineOfNoiseIsNotCollected(t *testing.T) {
	h := newHost(t)
	_, leave := full(t, h) // what is collected waits for ever
	defer leave()
	for what, w := range map[string]*watched{
		"letters":  start(t, h, demoSpec(t, "healthy", "--junk", "60000000")),
		"brackets": start(t, h, commandSpec("/bin/sh", "-c", `i=0; l='[info]                     '; while [ $i -lt 17 ]; do l="$l$l"; i=$((i+1)); done; echo "$l"; exit 3`)),
	} {
		if l := w.line("more bytes"); !strings.HasPrefix(l, "noise: ") {
			t.Errorf("%s: %.100s", what, l)
		}
	}
}

func TestT2_ABodyWhoseLengthIsTooMuchIsNotRead(t *testing.T) {
	url := serveHalf(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(maxMessage+1))
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done() // it sends nothing
	})
	w := start(t, newHost(t), urlSpec(model.HTTP, url))
	if end := await[model.Closed](w).End; end.Text.String() != tooLong().Text.String() {
		t.Errorf("closed: %+v", end)
	}
}

// TestT2_AnEventThatWasReadGivesItsRoomBack: a stream lasts, its events do not.
func TestT2_AnEventThatWasReadGivesItsRoomBack(t *testing.T) {
	r := newRoom(roomSeats)
	event := "data: " + strings.Repeat("x", 2*bigMessage) + "\n\n"
	in := strings.NewReader(event + event[:len(event)-2])
	b := &boundBody{body: io.NopCloser(in), left: maxMessage, release: never, room: r, events: true}
	buf := make([]byte, 64<<10)
	var seats []int
	for {
		_, err := b.Read(buf)
		if n := len(r.seats); len(seats) == 0 || seats[len(seats)-1] != n {
			seats = append(seats, n)
		}
		if err != nil {
			break
		}
	}
	if _ = b.Close(); fmt.Sprint(seats) != "[0 1 0 1]" || len(r.seats) != 0 {
		t.Errorf("seats taken: %v, in the end %d", seats, len(r.seats))
	}
}
