package transport

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

func TestHealthyTellsWhatItIs(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "healthy"))
	if pid := await[model.Launched](w).PID; pid <= 1 {
		t.Errorf("launched with PID %d", pid)
	}
	shaken := await[model.Handshaken](w).Handshake
	if shaken.Server.String() != "demo-healthy 1.0.0" || !shaken.Legacy || len(shaken.Capabilities) != 1 || shaken.Capabilities[0].String() != "tools" {
		t.Errorf("handshake: %+v", shaken)
	}
	await[model.Connected](w)
	w.stop()
	w.line("stderr: stdin was closed, bye") // all of stderr is told before Reaped
}

func TestL4_AnExitIsSeenWithItsCodeAndItsLastWords(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "flap", "--life", "0s", "--ping", "exit"))
	shaken := await[model.Handshaken](w)
	await[model.Connected](w)
	alive := time.Now()
	w.dies()
	closed := await[model.Closed](w)
	if closed.End.Cause != model.Exited || closed.End.ExitCode != model.Some(1) || closed.End.How().String() != "(exit code 1)" {
		t.Errorf("closed: %+v", closed.End)
	}
	if shaken.At.After(alive) || closed.At.Before(alive) {
		t.Errorf("it lived from %v to %v, and at %v", shaken.At, closed.At, alive)
	}
	await[model.Reaped](w)
	if l := w.line("Bad credentials"); strings.Contains(l, "ghp_") || !strings.Contains(l, "‹TOKEN›") {
		t.Errorf("R2: the secret left the transport: %s", l)
	}
}

func TestL4_ASignalIsSeen(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "healthy"))
	pid := await[model.Launched](w).PID
	await[model.Connected](w)
	sendSignal(pid, 9)
	if end := await[model.Closed](w).End; end.Cause != model.Signalled || end.How().String() != "(signal: killed)" {
		t.Errorf("closed: %+v", end)
	}
}

func TestAClosedStdoutOfALiveProcessIsTheServersEnd(t *testing.T) {
	spec := commandSpec("/bin/sh", "-c", `read x; exec /bin/sleep 100 >&-`)
	h := newHost(t)
	h.waits.exit = 250 * time.Millisecond
	w := start(t, h, spec, func(d *model.Dial) { d.Legacy = true })
	if end := await[model.Closed](w).End; end.Cause != model.ClosedByPeer || end.How().String() != "(the server closed its stdout)" {
		t.Errorf("closed: %+v", end)
	}
}

func TestT1_NoVolumeBlocksAServer(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "chatty", "--rate", "-1"))
	await[model.Connected](w)
	w.until("100,000 lines", func() bool { return len(w.lines) > 100_000 })
	if p := probe(w, patience); p.Outcome != model.Alive {
		t.Errorf("probe: %+v", p)
	}
}

func TestT2_NoiseIsSkippedAndShown(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "noise"))
	if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
		t.Errorf("tools: %+v", tools)
	}
	for _, text := range []string{"noise:   *** noise server", "noise: [info] plugins: 3 loaded", "noise: []", `noise: {"level":"info"`, "noise: [debug] received"} {
		w.line(text)
	}
}

func TestT6_AServerThatExitsOnDiscoveryIsSaidTo(t *testing.T) {
	h := newHost(t)
	w := start(t, h, demoSpec(t, "exit-on-discover"))
	end := await[model.Closed](w).End
	if end.Cause != model.DiscoveryRefused || end.ExitCode != model.Some(1) {
		t.Errorf("closed: %+v", end)
	}
	again := start(t, h, demoSpec(t, "exit-on-discover"), func(d *model.Dial) { d.Legacy = true })
	if shaken := await[model.Handshaken](again).Handshake; !shaken.Legacy {
		t.Errorf("handshake: %+v", shaken)
	}
}

func TestT6_AServerThatEndsBeforeItReadsDoesNotRefuseDiscovery(t *testing.T) {
	w := start(t, newHost(t), commandSpec("/bin/sh", "-c", "/bin/sleep 0.2; echo no database >&2; exit 3"))
	if end := await[model.Closed](w).End; end.Cause != model.Exited || end.ExitCode != model.Some(3) {
		t.Errorf("closed: %+v", end)
	}
}

func TestT6_ASocketThatIsClosedOnDiscoveryIsSaidTo(t *testing.T) {
	w := start(t, newHost(t), urlSpec(model.WebSocket, listen(t, "ws", "--discover", "exit").url))
	if end := await[model.Closed](w).End; end.Cause != model.DiscoveryRefused || end.CloseCode != model.Some(1011) {
		t.Errorf("closed: %+v", end)
	}
}

func TestT6_AnErrorToDiscoveryIsAnswerEnough(t *testing.T) {
	for _, how := range []string{"refuse", "invalid"} {
		h := newHost(t)
		h.waits.discover = patience
		w := start(t, h, demoSpec(t, "old", "--discover", how))
		shaken := await[model.Handshaken](w)
		if shaken.Handshake.Revision.String() != "2024-11-05" || shaken.At.Sub(w.started) > h.waits.discover {
			t.Errorf("%s: %+v", how, shaken)
		}
	}
}

func TestT6_APinnedRevisionIsAskedForAtOnce(t *testing.T) {
	spec := demoSpec(t, "healthy", "--discover", "exit")
	spec.Revision = "2025-03-26"
	w := start(t, newHost(t), spec)
	if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != "2025-03-26" || shaken.Legacy {
		t.Errorf("handshake: %+v", shaken)
	}
}

func TestT6_TheRevisionThatARefusalNamesIsTaken(t *testing.T) {
	spec := commandSpec("/bin/sh", "-c", `
		read a; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05"],"requested":"2025-11-25"}}}'
		read b; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"strict","version":"1"}}}'
		read c; read d`)
	w := start(t, newHost(t), spec, func(d *model.Dial) { d.Legacy = true })
	if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != "2024-11-05" {
		t.Errorf("handshake: %+v", shaken)
	}
	if tools := await[model.Connected](w).Tools; tools.Ok {
		t.Errorf("it has no tools, but %+v are told", tools)
	}
}

func TestT7_RequestsAreAnsweredAndBatchesTaken(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "asks", "--batch"))
	await[model.Connected](w)
	for _, text := range []string{
		"answer to roots/list: error -32601", "answer to no/such: error -32601", "answer to ping: {}",
		"answer to push/event: error -32002: capability not granted: pushEvents",
		"answer to channels/open: error -32002", "answer to inference/request: error -32002", "answer to model/info: error -32002",
	} {
		w.line("stderr: " + text)
	}
}

func TestT8_AServerThatAsksAndNeverReadsIsCutOff(t *testing.T) {
	spec := commandSpec("/bin/sh", "-c", `
		read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}'
		i=0; while :; do i=$((i+1)); echo "{\"jsonrpc\":\"2.0\",\"id\":\"q$i\",\"method\":\"roots/list\"}"; done`)
	w := start(t, newHost(t), spec, func(d *model.Dial) { d.Legacy = true })
	end := await[model.Closed](w).End
	if end.Cause != model.ClosedByHost || !strings.Contains(end.Text.String(), "asks and does not read") {
		t.Errorf("closed: %+v", end)
	}
}

func TestAnEndDuringToolsListIsNoConnection(t *testing.T) {
	spec := commandSpec("/bin/sh", "-c", `
		read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}'
		read b; read c; exec /bin/sleep 100 >&-`)
	h := newHost(t)
	h.waits.exit = 250 * time.Millisecond
	w := start(t, h, spec, func(d *model.Dial) { d.Legacy = true })
	await[model.Handshaken](w)
	if end := await[model.Closed](w).End; end.Cause != model.ClosedByPeer {
		t.Errorf("closed: %+v", end)
	}
	if told[model.Connected](w) {
		t.Error("connected nevertheless")
	}
}
