package transport

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// mcplWays are the ways to an MCPL server.
var mcplWays = map[string]func(t *testing.T, flags ...string) *model.Spec{
	"stdio": func(t *testing.T, flags ...string) *model.Spec {
		return demoSpec(t, append([]string{"mcpl"}, flags...)...)
	},
	"websocket": func(t *testing.T, flags ...string) *model.Spec {
		return launchedSpec(t, model.WebSocket, "mcpl", append([]string{"--via", "ws"}, flags...)...)
	},
}

// everyMCPLWay runs f for each, beside other tests.
func everyMCPLWay(t *testing.T, f func(t *testing.T, spec func(flags ...string) *model.Spec)) {
	t.Parallel()
	for name, way := range mcplWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, func(flags ...string) *model.Spec {
				spec := way(t, flags...)
				spec.Protocol = model.MCPL
				return spec
			})
		})
	}
}

// TestM1_ThePolicyComesFirstAndGrantsNothing: the server answers nothing else
// before it, so a client that lists tools first would wait for ever.
func TestM1_ThePolicyComesFirstAndGrantsNothing(t *testing.T) {
	h := newHost(t)
	everyMCPLWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec())
		shaken := await[model.Handshaken](w).Handshake
		if shaken.Revision.String() != "2024-11-05" || shaken.Legacy {
			t.Errorf("handshake: %+v", shaken)
		}
		if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
			t.Errorf("tools: %+v", tools)
		}
		w.line(`stderr: policy: granted {"effectiveCapabilities":[],"enabled":[]}`)
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	})
}

// TestM1_InitializeSaysMCPLAndNothingElse looks at the bytes.
func TestM1_InitializeSaysMCPLAndNothingElse(t *testing.T) {
	spec := commandSpec("/bin/sh", "-c", `read a; echo "$a" >&2; read b`)
	spec.Protocol = model.MCPL
	w := start(t, newHost(t), spec)
	got := w.line(`"initialize"`)
	for _, want := range []string{`"protocolVersion":"2024-11-05"`, `"capabilities":{"experimental":{"mcpl":{"featureSets":true,"version":"0.5"}}}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func TestM2_NothingThatTheServerAsksForIsGranted(t *testing.T) {
	h := newHost(t)
	everyMCPLWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec())
		await[model.Connected](w)
		for method, capability := range map[string]string{
			"push/event": "pushEvents", "channels/register": "channels", "channels/open": "channels", "channels/publish": "channels",
			"inference/request": "inferenceRequest", "model/info": "modelInfo",
		} {
			w.line("stderr: answer to " + method + ": error -32002: capability not granted: " + capability + ` {"capability":"` + capability + `"}`)
		}
		for _, text := range []string{"roots/list: error -32601", "sampling/createMessage: error -32601", "elicitation/create: error -32601", "no/such: error -32601", "ping: {}"} {
			w.line("stderr: answer to " + text)
		}
	})
}

// TestM2_NothingIsGrantedOverHTTPEither: there it is the SDK that answers, and its
// answer is reworded. What the server asks for travels on the stream of the
// handshake's answer.
func TestM2_NothingIsGrantedOverHTTPEither(t *testing.T) {
	t.Parallel()
	spec := launchedSpec(t, model.HTTP, "mcpl", "--via", "http", "--strict=false", "--early", "--stream", "answer")
	spec.Protocol = model.MCPL
	w := start(t, newHost(t), spec)
	for method, capability := range map[string]string{
		"push/event": "pushEvents", "channels/register": "channels", "channels/open": "channels", "channels/publish": "channels",
		"inference/request": "inferenceRequest", "model/info": "modelInfo",
	} {
		w.line("stderr: answer to " + method + ": error -32002: capability not granted: " + capability + ` {"capability":"` + capability + `"}`)
	}
	for _, text := range []string{"roots/list: error -32601", "sampling/createMessage: error -32601", "elicitation/create: error -32601", "no/such: error -32601", "ping: {}"} {
		w.line("stderr: answer to " + text)
	}
	await[model.Connected](w)
}

func TestM1_ARefusedPolicyIsPermanentOnlyWhereItAsksForAClose(t *testing.T) {
	h := newHost(t)
	everyMCPLWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--policy", "refuse"))
		if end := await[model.Closed](w).End; end.Cause != model.PolicyRefused || !strings.HasPrefix(end.Text.String(), "refused policy") {
			t.Errorf("closed: %+v", end)
		}
		if told[model.Connected](w) {
			t.Error("connected nevertheless")
		}
		await[model.Connected](start(t, h, spec("--policy", "stay")))
	})
}

func TestM1_WithoutAnAnswerTheConnectionStays(t *testing.T) {
	h := newHost(t)
	h.waits.settle = 500 * time.Millisecond
	everyMCPLWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--policy", "silent"))
		shaken := await[model.Handshaken](w)
		if took := await[model.Connected](w).At.Sub(shaken.At); took < h.waits.settle {
			t.Errorf("took %v", took)
		}
	})
}

// TestM1_AServerThatIsNoMCPLServerIsSentNoPolicy: its answer has no
// experimental.mcpl.
func TestM1_AServerThatIsNoMCPLServerIsSentNoPolicy(t *testing.T) {
	h := newHost(t)
	everyMCPLWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--mcpl=false", "--strict=false"))
		await[model.Connected](w)
		w.stop()
		for _, l := range w.lines {
			if strings.Contains(l, "policy") {
				t.Errorf("it was sent a policy: %s", l)
			}
		}
	})
}

func TestM3_AnEndDuringThePolicyExchangeIsNoConnection(t *testing.T) {
	h := newHost(t)
	everyMCPLWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--policy", "exit", "--exit", "4"))
		await[model.Handshaken](w)
		if end := await[model.Closed](w).End; end.ExitCode != model.Some(4) && end.CloseCode != model.Some(1011) {
			t.Errorf("closed: %+v", end)
		}
		await[model.Reaped](w)
		if told[model.Connected](w) {
			t.Error("connected nevertheless")
		}
	})
}
