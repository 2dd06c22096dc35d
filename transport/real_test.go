package transport

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// conformanceSuite returns the official suite and the node that it needs, as
// realServer does.
func conformanceSuite(t *testing.T) (node, script string) {
	t.Helper()
	_, script = realServer(t, "conformance")
	node = filepath.Join(filepath.Dir(script), "..", "..", "..", "node", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		const how = "the conformance suite needs Node.js 22 beside it: npm install node@22"
		if os.Getenv("ROLLCALL_REAL") == "1" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	return node, script
}

// TestOfficialConformanceOfStreams plays the suite's scenario sse-retry: a
// stream is cut before its answer, with the time to wait before it is taken up.
// The scenario cuts the stream of a tool call alone, which rollcall itself
// never makes (P1), so this binary makes it over the run's session; see conform.
func TestOfficialConformanceOfStreams(t *testing.T) {
	t.Parallel()
	node, script := conformanceSuite(t)
	var out []byte
	var err error
	for range 5 { // it looks at the clock, and a busy machine is late now and then
		cmd := exec.CommandContext(t.Context(), node, script, "client", "--command", self(t)+" conform", "--scenario", "sse-retry")
		if out, err = cmd.CombinedOutput(); err == nil {
			return
		}
	}
	t.Errorf("%v\n%s", err, out)
}

// conform connects to a url and calls the scenario's tool; it exits 0 where
// that was answered.
func conform(url string) {
	h, err := NewHost(Options{Version: "test"})
	if err != nil {
		panic(err)
	}
	events := make(chan model.RunEvent, 16)
	r := h.Start(urlSpec(model.HTTP, url), model.Dial{Run: 1, Timeout: patience, Line: discardLine,
		Report: func(e model.RunEvent) { events <- e }})
	code := 1
	for e := range events {
		switch e := e.(type) {
		case model.Connected:
			if _, err := r.session.client.CallTool(context.Background(), &mcp.CallToolParams{Name: "test_reconnection"}); err == nil {
				code = 0
			} else {
				fmt.Fprintln(os.Stderr, err)
			}
			r.Stop()
		case model.Closed:
			fmt.Fprintln(os.Stderr, e.End.How())
		case model.Reaped:
			h.Close()
			os.Exit(code)
		}
	}
}

// realServer returns the script of a server from npm. Where it is not
// installed the test is skipped, or fails under ROLLCALL_REAL=1.
func realServer(t *testing.T, name string) (node, script string) {
	t.Helper()
	node, err := exec.LookPath("node")
	for _, dir := range []string{os.Getenv("ROLLCALL_REAL_DIR"), ".."} {
		script = filepath.Join(dir, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
		if _, missing := os.Stat(script); err == nil && missing == nil {
			script, _ = filepath.Abs(script)
			return node, script
		}
	}
	const how = "%s is not installed: npm install @modelcontextprotocol/%s, and set ROLLCALL_REAL_DIR to the folder that holds node_modules"
	if os.Getenv("ROLLCALL_REAL") == "1" {
		t.Fatalf(how, name, name)
	}
	t.Skipf(how, name, name)
	return "", ""
}

func TestRealServersOverStdio(t *testing.T) {
	for name, args := range map[string][]string{
		"server-everything": {"stdio"}, "server-filesystem": {t.TempDir()}, "server-memory": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node, script := realServer(t, name)
			checkReal(t, commandSpec(node, append([]string{script}, args...)...))
		})
	}
}

func TestRealServerOverHTTP(t *testing.T) {
	t.Parallel()
	node, script := realServer(t, "server-everything")
	addr := freeAddress(t)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	spec := commandSpec(node, script, "streamableHttp")
	spec.Launch.Env = append(spec.Launch.Env, model.Pair{Name: "PORT", Value: redact.NewSecret(port)})
	spec.Transport, spec.URL = model.HTTP, redact.NewSecret("http://"+addr+"/mcp")
	checkReal(t, spec)
}

// checkReal connects, probes, stops, and looks for what is left.
func checkReal(t *testing.T, spec *model.Spec) {
	t.Helper()
	spec.Timings.StopGrace.D = 4 * time.Second // one that listens does not read stdin
	w := start(t, newHost(t), spec)
	pid := await[model.Launched](w).PID
	if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != "2025-11-25" || shaken.Server.IsZero() {
		t.Errorf("handshake: %+v", shaken)
	}
	if tools := await[model.Connected](w).Tools; tools.V < 5 {
		t.Errorf("tools: %+v", tools)
	}
	if p := probe(w, patience); p.Outcome != model.Alive {
		t.Errorf("probe: %+v", p)
	}
	t.Logf("stopped in %v", w.stop())
	if alive(t, pid) {
		t.Error("it is still there")
	}
}
