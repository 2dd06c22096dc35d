package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// conformance plays a scenario of the official suite against rollcall as args
// call it: the suite appends a url. It returns what the suite says.
func conformance(t *testing.T, scenario string, args ...string) ([]byte, error) {
	t.Helper()
	modules := filepath.Join(os.Getenv("ROLLCALL_REAL_DIR"), "node_modules")
	node := filepath.Join(modules, "node", "bin", "node")
	script := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, path := range []string{node, script} {
		if _, err := os.Stat(path); err != nil {
			const how = "not installed: npm install @modelcontextprotocol/conformance node@22, and set ROLLCALL_REAL_DIR to the folder that holds node_modules"
			if os.Getenv("ROLLCALL_REAL") == "1" {
				t.Fatal(how)
			}
			t.Skip(how)
		}
	}
	rollcall := rollcallCommand(t)
	command := rollcall.Path
	for _, a := range args {
		command += " " + a
	}
	cmd := exec.CommandContext(t.Context(), node, script, "client", "--command", command, "--scenario", scenario)
	cmd.Env = rollcall.Env
	return cmd.CombinedOutput()
}

// TestOfficialConformance plays the scenario initialize.
func TestOfficialConformance(t *testing.T) {
	if out, err := conformance(t, "initialize", "probe"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOfficialConformanceOfStreams plays the scenario sse-retry: the stream of a
// tool's call is cut before its answer, with 500 ms to wait before it is taken
// up.
//
// The suite looks at the clock: less than 450 ms is too early, and more than
// 700 ms too late, which a busy machine is now and then. So what it finds late,
// and nothing else, is played again; a client with a wait of its own, of a
// second or more, is late each time.
func TestOfficialConformanceOfStreams(t *testing.T) {
	t.Parallel()
	var out []byte
	var err error
	for range 5 {
		if out, err = conformance(t, "sse-retry", "probe", "--call", "test_reconnection"); err == nil {
			return
		}
		if !bytes.Contains(out, []byte("reconnected slightly late")) && !bytes.Contains(out, []byte("reconnected very late")) {
			break
		}
	}
	t.Errorf("%v\n%s", err, out)
}
