package transport

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"rollcall/model"
)

func TestT6_ALaunchedURLsServerThatExitsOnDiscoveryIsSaidTo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, via := range map[string]model.Transport{"ws": model.WebSocket, "http": model.HTTP} {
		spec := launchedSpec(t, via, name, "--discover", "exit", "--close-code", "0")
		end := await[model.Closed](start(t, h, spec)).End
		if end.Cause != model.DiscoveryRefused || end.ExitCode != model.Some(1) {
			t.Errorf("%s: closed: %+v", name, end)
		}
		again := start(t, h, launchedSpec(t, via, name, "--discover", "exit"), func(d *model.Dial) { d.Legacy = true })
		if shaken := await[model.Handshaken](again).Handshake; !shaken.Legacy {
			t.Errorf("%s: handshake: %+v", name, shaken)
		}
	}
}

// TestT6_AServerThatNeverListenedDoesNotRefuseDiscovery: neither does one that
// exits after it has answered that.
func TestT6_AServerThatNeverListenedDoesNotRefuseDiscovery(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	never := launchedSpec(t, model.HTTP, "http")
	never.Launch = commandSpec("/bin/sh", "-c", "/bin/sleep 0.5; exit 3").Launch
	for name, spec := range map[string]*model.Spec{
		"3": never,
		"4": launchedSpec(t, model.HTTP, "http", "--initialize", "exit", "--exit", "4"),
	} {
		w := start(t, h, spec)
		end := await[model.Closed](w).End
		if end.Cause != model.Exited || !strings.HasSuffix(end.How().String(), "(exit code "+name+")") {
			t.Errorf("%s: closed: %+v\n%s", name, end, w)
		}
	}
}

// TestT6_AStatusIsAnAnswerToDiscovery: what ends it afterwards is no refusal.
func TestT6_AStatusIsAnAnswerToDiscovery(t *testing.T) {
	t.Parallel()
	pid := make(chan int, 1)
	s := webServer(t, func(_ http.ResponseWriter, req *http.Request, method string) bool {
		if method == methodInitialize {
			sendSignal(<-pid, syscall.SIGKILL)
			<-req.Context().Done()
		}
		return method == methodInitialize
	})
	w := start(t, newHost(t), besides(model.HTTP, strings.TrimPrefix(s.URL, "http://")))
	pid <- await[model.Launched](w).PID
	if end := await[model.Closed](w).End; end.Cause != model.Signalled {
		t.Errorf("closed: %+v", end)
	}
}

// TestT6_ALaunchedURLsServerThatHangsUpOnDiscoveryIsSaidTo: it lives on.
func TestT6_ALaunchedURLsServerThatHangsUpOnDiscoveryIsSaidTo(t *testing.T) {
	t.Parallel()
	url := socketServer(t, func(c *websocket.Conn, req *http.Request) {
		_, _, _ = c.Read(req.Context())
		_ = c.Close(1008, "initialize first")
	})
	w := start(t, newHost(t), besides(model.WebSocket, strings.TrimPrefix(url, "ws://")))
	if end := await[model.Closed](w).End; end.Cause != model.DiscoveryRefused || end.CloseCode != model.Some(1008) {
		t.Errorf("closed: %+v", end)
	}
}
