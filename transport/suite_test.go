package transport

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rollcall/model"
)

// listener is a demo server that the test started, to be dialled.
type listener struct {
	url string
	cmd *exec.Cmd
}

// listen starts a demo server in a process of its own and waits for its url.
func listen(t testing.TB, args ...string) *listener {
	t.Helper()
	cmd := exec.Command(self(t), append([]string{"demo"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &listener{cmd: cmd}
	t.Cleanup(l.kill)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			l.url = url
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return l
		}
	}
	t.Fatal("the demo server does not listen")
	return nil
}

func (l *listener) kill() {
	_ = l.cmd.Process.Kill()
	_ = l.cmd.Wait()
}

// ways are all ways to reach a demo server; each makes a spec of its flags.
var ways = []struct {
	name string
	spec func(t testing.TB, args ...string) *model.Spec
}{
	{"stdio", func(t testing.TB, args ...string) *model.Spec {
		return demoSpec(t, append([]string{"healthy"}, args...)...)
	}},
	{"websocket", func(t testing.TB, args ...string) *model.Spec {
		return urlSpec(model.WebSocket, listen(t, append([]string{"ws"}, args...)...).url)
	}},
	{"http", func(t testing.TB, args ...string) *model.Spec {
		return urlSpec(model.HTTP, listen(t, append([]string{"http"}, args...)...).url)
	}},
	{"launched websocket", func(t testing.TB, args ...string) *model.Spec {
		return launchedSpec(t, model.WebSocket, "ws", args...)
	}},
	{"launched http", func(t testing.TB, args ...string) *model.Spec {
		return launchedSpec(t, model.HTTP, "http", args...)
	}},
}

// launchedSpec is an entry with a command and a url (C2). The demo servers that
// listen do not read stdin, so SIGTERM ends them, at half of the grace.
func launchedSpec(t testing.TB, via model.Transport, name string, args ...string) *model.Spec {
	t.Helper()
	addr := freeAddress(t)
	spec := demoSpec(t, append([]string{name, "--listen", addr, "--startup", "200ms"}, args...)...)
	spec.Transport, spec.Timings.StopGrace.D = via, time.Second
	scheme := map[model.Transport]string{model.WebSocket: "ws://", model.HTTP: "http://"}[via]
	spec.URL = urlSpec(via, scheme+addr+"/mcp").URL
	return spec
}

// addresses counts what freeAddress has given away.
var addresses atomic.Uint32

// freeAddress is a loopback address on which nobody listens, and nobody else will
// before it is used: where the system has more of them than 127.0.0.1, no other
// process and no other test has its host.
func freeAddress(t testing.TB) string {
	t.Helper()
	pid := os.Getpid()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+pid>>8%250, pid%256, 1+addresses.Add(1)%250))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// everyWay runs f for each way, beside other tests.
func everyWay(t *testing.T, f func(t *testing.T, spec func(args ...string) *model.Spec)) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			f(t, func(args ...string) *model.Spec { return way.spec(t, args...) })
		})
	}
}

func TestEveryWayConnectsProbesAndStops(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec())
		if rev := await[model.Handshaken](w).Handshake.Revision.String(); rev != "2025-11-25" {
			t.Errorf("revision %s", rev)
		}
		if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
			t.Errorf("tools: %+v", tools)
		}
		for range 3 {
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("probe: %+v", p)
			}
		}
		w.stopsAtOnce()
		if end := await[model.Closed](w).End; end.Cause != model.ClosedByHost || !end.Text.IsZero() {
			t.Errorf("closed: %+v", end)
		}
	})
}

func TestEveryWaySpeaksTheNewestRevision(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--newest"))
		shaken := await[model.Handshaken](w).Handshake
		if shaken.Revision.String() != newest || shaken.Legacy {
			t.Errorf("handshake: %+v", shaken)
		}
		if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
			t.Errorf("tools: %+v", tools)
		}
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	})
}

func TestP1_EveryWayProbesWithinItsWindow(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--ping", "late"))
		await[model.Connected](w)
		const window = 150 * time.Millisecond
		began := time.Now()
		if p := probe(w, window); p.Outcome != model.TimedOut || time.Since(began) < window {
			t.Errorf("probe: %+v", p)
		}
		// P7: the late reply, which is an error and comes before the answer,
		// answers nothing, and the connection goes on.
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe after a time-out: %+v", p)
		}
	})
}

func TestP1_EveryWayTellsAnAnsweredError(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--ping-error", "-32603"))
		await[model.Connected](w)
		if p := probe(w, patience); p.Outcome != model.ProbeError || p.Text.String() != "error -32603: cannot say" || p.End.Cause != model.CauseUnknown {
			t.Errorf("probe: %+v", p)
		}
		if told[model.Closed](w) {
			t.Errorf("an error closed the connection\n%s", w)
		}
	})
}

func TestP2_EveryWayMethodNotFoundIsAlive(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--ping-error", "-32601"))
		await[model.Connected](w)
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	})
}

func TestEveryWayEndsAnAttemptThatHasNoHandshakeInTime(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		s := spec("--discover", "silent", "--initialize", "never")
		// How soon it is asked at all is the machine's business.
		for timeout := time.Second; ; timeout *= 4 {
			w := start(t, h, s, func(d *model.Dial) { d.Timeout, d.Legacy = timeout, true })
			end := await[model.Closed](w).End
			text, ok := strings.CutPrefix(end.Text.String(), fmt.Sprintf("no handshake within %v: ", timeout))
			if end.Cause != model.StartTimedOut || !ok {
				t.Fatalf("closed: %+v", end)
			}
			if text == "no answer to initialize" {
				return
			}
			if timeout > patience {
				t.Fatalf("within %v it was never asked: %s", timeout, text)
			}
			w.Kill()
			await[model.Reaped](w)
		}
	})
}

func TestEveryWayStopCancelsAnAttemptAtOnce(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--discover", "silent"))
		w.stopsAtOnce()
		if told[model.Handshaken](w) {
			t.Error("handshaken nevertheless")
		}
	})
}

func TestEveryWayReportsARefusedHandshake(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--initialize", "error"))
		end := await[model.Closed](w).End
		if end.Cause != model.HandshakeFailed || !strings.Contains(end.Text.String(), "error -32603: the database is locked") {
			t.Errorf("closed: %+v", end)
		}
	})
}

func TestH1_EveryWayNoCommonRevisionIsPermanent(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--revision", "1999-01-01"))
		end := await[model.Closed](w).End
		if end.Cause != model.NoCommonRevision || end.Text.String() != "unknown protocol version 1999-01-01 from the server; rollcall speaks 2024-11-05 to 2026-07-28" {
			t.Errorf("closed: %+v", end)
		}
	})
}

func TestT6_EveryWayTriesInitializeAfterSilence(t *testing.T) {
	h := newHost(t)
	h.waits.discover = 300 * time.Millisecond
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--discover", "silent", "--revision", "2024-11-05"))
		shaken := await[model.Handshaken](w)
		if shaken.Handshake.Revision.String() != "2024-11-05" || !shaken.Handshake.Legacy {
			t.Errorf("handshake: %+v", shaken.Handshake)
		}
		if took := shaken.At.Sub(w.started); took < h.waits.discover {
			t.Errorf("took %v", took)
		}
	})
}

func TestT6_EveryWayTheWayThatWorkedIsTakenAtOnce(t *testing.T) {
	h := newHost(t)
	h.waits.discover = patience // an answer that is waited for is waited for in vain
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--discover", "silent"), func(d *model.Dial) { d.Legacy = true })
		shaken := await[model.Handshaken](w)
		if took := shaken.At.Sub(w.started); took > h.waits.discover || !shaken.Handshake.Legacy {
			t.Errorf("took %v: %+v", took, shaken.Handshake)
		}
	})
}

func TestT8_EveryWayAnEndlessToolListIsCutOff(t *testing.T) {
	h := newHost(t)
	h.maxTools = 1000
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--pages", "-1", "--tools", "100"))
		end := await[model.Closed](w).End
		if end.Cause != model.ClosedByHost || !strings.Contains(end.Text.String(), "longer than 1000 tools") {
			t.Errorf("closed: %+v", end)
		}
	})
}

func TestT2_EveryWayTakesABigMessage(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--big", strconv.Itoa(4*bigMessage)))
		if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
			t.Errorf("tools: %+v", tools)
		}
	})
}

func TestT2_ALineOf64MiBWorksAndALongerOneEndsTheConnection(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.waits.settle = patience // with the race detector it takes its time
	w := start(t, h, demoSpec(t, "healthy", "--big", strconv.Itoa(maxMessage)))
	if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
		t.Errorf("tools: %+v", tools)
	}
	for _, way := range ways[:3] { // a url of a launched server is read as any
		w := start(t, h, way.spec(t, "--big", strconv.Itoa(maxMessage+4096)))
		end := await[model.Closed](w).End
		if end.Cause != model.ClosedByHost || end.Text.String() != "a message of more than 64 MiB from the server" {
			t.Errorf("%s: closed: %+v", way.name, end)
		}
	}
}
