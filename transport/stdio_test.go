package transport

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
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
	w := start(t, newHost(t), demoSpec(t, "flap", "--life", "100ms"))
	shaken := await[model.Handshaken](w)
	closed := await[model.Closed](w)
	if closed.End.Cause != model.Exited || closed.End.ExitCode != model.Some(1) || closed.End.How().String() != "(exit code 1)" {
		t.Errorf("closed: %+v", closed.End)
	}
	if life := closed.At.Sub(shaken.At); life < 50*time.Millisecond || life > 5*time.Second {
		t.Errorf("life: %v", life)
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
	w := start(t, newHost(t), spec, func(d *model.Dial) { d.Legacy = true })
	if end := await[model.Closed](w).End; end.Cause != model.ClosedByPeer || end.How().String() != "(the server closed its stdout)" {
		t.Errorf("closed: %+v", end)
	}
}

func TestH1_AMissingCommandIsNotLaunched(t *testing.T) {
	h := newHost(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lost := filepath.Join(dir, "lost")
	if err := os.WriteFile(lost, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, search, want string }{
		{"npx", "/nowhere:/nor/here", "npx not found in PATH=/nowhere:/nor/here: install Node.js"},
		{"uvx", "/nowhere", "uvx not found in PATH=/nowhere: install uv"},
		{"mine", "/nowhere", "mine not found in PATH=/nowhere"},
		{"plain", dir, plain + " is not executable: chmod +x it"},
		{dir, "", dir + " is a folder, not a command"},
		{dir + "/no", "", dir + "/no not found"},
		{lost, "", "cannot start: fork/exec " + lost + ": no such file or directory"},
	} {
		spec := commandSpec(c.path)
		spec.Launch.Env = []model.Pair{{Name: "PATH", Value: redact.NewSecret(c.search)}}
		w := start(t, h, spec)
		end := await[model.Closed](w).End
		if end.Cause != model.CommandMissing || end.Text.String() != c.want {
			t.Errorf("%s: %v, %s, want %s", c.path, end.Cause, end.Text, c.want)
		}
		if told[model.Launched](w) {
			t.Errorf("%s: launched", c.path)
		}
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
		w := start(t, newHost(t), demoSpec(t, "old", "--discover", how))
		shaken := await[model.Handshaken](w)
		if shaken.Handshake.Revision.String() != "2024-11-05" || shaken.At.Sub(w.started) > discoverTimeout {
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
	if end.Cause != model.ClosedByHost || !strings.Contains(end.Text.String(), "read none of them") {
		t.Errorf("closed: %+v", end)
	}
}

func TestM1_NothingIsGranted(t *testing.T) {
	spec := demoSpec(t, "mcpl")
	spec.Protocol = model.MCPL
	w := start(t, newHost(t), spec)
	shaken := await[model.Handshaken](w).Handshake
	if shaken.Revision.String() != "2024-11-05" || shaken.Legacy {
		t.Errorf("handshake: %+v", shaken)
	}
	await[model.Connected](w)
	w.line(`stderr: policy: granted {"effectiveCapabilities":[],"enabled":[]}`)
	w.line("stderr: answer to push/event: error -32002")
}

func TestM1_ARefusedPolicyIsPermanentOnlyWhereItAsksForAClose(t *testing.T) {
	h := newHost(t)
	refuses := demoSpec(t, "mcpl", "--policy", "refuse")
	refuses.Protocol = model.MCPL
	w := start(t, h, refuses)
	if end := await[model.Closed](w).End; end.Cause != model.PolicyRefused || !strings.HasPrefix(end.Text.String(), "refused policy") {
		t.Errorf("closed: %+v", end)
	}
	if told[model.Connected](w) {
		t.Error("connected nevertheless")
	}
	stays := demoSpec(t, "mcpl", "--policy", "stay")
	stays.Protocol = model.MCPL
	await[model.Connected](start(t, h, stays))
}

func TestM1_WithoutAnAnswerTheConnectionStays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 s")
	}
	t.Parallel()
	spec := demoSpec(t, "mcpl", "--policy", "silent")
	spec.Protocol = model.MCPL
	w := start(t, newHost(t), spec)
	shaken := await[model.Handshaken](w)
	if took := await[model.Connected](w).At.Sub(shaken.At); took < settleTimeout || took > settleTimeout+3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestM3_AnEndDuringThePolicyExchangeIsNoConnection(t *testing.T) {
	spec := demoSpec(t, "mcpl", "--policy", "exit", "--exit", "4")
	spec.Protocol = model.MCPL
	w := start(t, newHost(t), spec)
	await[model.Handshaken](w)
	if end := await[model.Closed](w).End; end.ExitCode != model.Some(4) {
		t.Errorf("closed: %+v", end)
	}
	await[model.Reaped](w)
	if told[model.Connected](w) {
		t.Error("connected nevertheless")
	}

	spec = urlSpec(model.WebSocket, listen(t, "mcpl", "--via", "ws", "--policy", "exit").url)
	spec.Protocol = model.MCPL
	w = start(t, newHost(t), spec)
	await[model.Reaped](w)
	if !told[model.Handshaken](w) || told[model.Connected](w) {
		t.Errorf("over a WebSocket:\n%s", w)
	}
}

func TestAnEndDuringToolsListIsNoConnection(t *testing.T) {
	spec := commandSpec("/bin/sh", "-c", `
		read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}'
		read b; read c; exec /bin/sleep 100 >&-`)
	w := start(t, newHost(t), spec, func(d *model.Dial) { d.Legacy = true })
	await[model.Handshaken](w)
	if end := await[model.Closed](w).End; end.Cause != model.ClosedByPeer {
		t.Errorf("closed: %+v", end)
	}
	if told[model.Connected](w) {
		t.Error("connected nevertheless")
	}
}
