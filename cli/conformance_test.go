package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOfficialConformance plays the official suite's scenario initialize
// against `rollcall probe`. Its scenario sse-retry is played in transport.
func TestOfficialConformance(t *testing.T) {
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
	probe := rollcallCommand(t, "probe")
	cmd := exec.CommandContext(t.Context(), node, script, "client", "--command", probe.Path+" probe", "--scenario", "initialize")
	cmd.Env = probe.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
