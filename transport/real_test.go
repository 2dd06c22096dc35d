package transport

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// realServer returns the script of a server from npm. Where it is not
// installed the test is skipped, or fails under ROLLCALL_REAL=1.
func realServer(t *testing.T, name string) (node, script string) {
	t.Helper()
	node, script, err := findReal(name)
	switch {
	case err == nil:
	case os.Getenv("ROLLCALL_REAL") == "1":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return node, script
}

// findReal returns the script of a server from npm, and what runs it.
func findReal(name string) (node, script string, err error) {
	node, err = exec.LookPath("node")
	for _, dir := range []string{os.Getenv("ROLLCALL_REAL_DIR"), ".."} {
		script = filepath.Join(dir, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
		if _, missing := os.Stat(script); err == nil && missing == nil {
			script, err = filepath.Abs(script)
			return node, script, err
		}
	}
	return "", "", fmt.Errorf("%s is not installed: npm install @modelcontextprotocol/%[1]s, and set ROLLCALL_REAL_DIR to the folder that holds node_modules", name)
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
