package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// units are the unit files, and how systemd-analyze is told whose they are.
var units = map[string]string{
	"../docs/systemd/rollcall.service":      "--system",
	"../docs/systemd/user/rollcall.service": "--user",
}

// setting is the value of a unit's setting.
func setting(t *testing.T, unit, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(unit)
	if m == nil {
		t.Fatalf("there is no %s", name)
	}
	return m[1]
}

func TestN6_TheUnitsFitRollcall(t *testing.T) {
	for path := range units {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		unit := string(b)
		stop, err := time.ParseDuration(setting(t, unit, "TimeoutStopSec"))
		if err != nil || stop <= 65*time.Second { // the longest stop_grace, H2's 2 s, X2's 3 s
			t.Errorf("%s: TimeoutStopSec is %s, %v", path, stop, err)
		}
		if feed, err := time.ParseDuration(setting(t, unit, "WatchdogSec")); err != nil || feed < 10*time.Second {
			t.Errorf("%s: WatchdogSec is %s, %v", path, feed, err)
		}
		for name, want := range map[string]string{"Type": "notify", "KillMode": "mixed", "OOMPolicy": "continue", "ExecReload": "/bin/kill -HUP $MAINPID"} {
			if got := setting(t, unit, name); got != want {
				t.Errorf("%s: %s=%s, want %s", path, name, got, want)
			}
		}
		// Its command line is one that rollcall takes.
		args := strings.Fields(setting(t, unit, "ExecStart"))
		root := newRoot(&app{})
		serve, rest, err := root.Find(args[1:])
		if err != nil || serve.Name() != "serve" {
			t.Fatalf("%s: %q: %v", path, args, err)
		}
		if err := serve.ParseFlags(rest); err != nil {
			t.Errorf("%s: %q: %v", path, args, err)
		}
	}
}

// needs finds a program of the system's, or skips: under ROLLCALL_REAL=1 its
// absence is a failure.
func needs(t *testing.T, program, debian string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("ROLLCALL_REAL") == "1" {
		t.Fatalf("%s is not installed: apt-get install %s", program, debian)
	}
	t.Skipf("%s is not installed: apt-get install %s", program, debian)
	return ""
}

func TestN6_TheUnitsAreCleanToSystemd(t *testing.T) {
	analyze := needs(t, "systemd-analyze", "systemd")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for path, whose := range units {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Where it is not installed systemd would say so, and that alone.
		unit := regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllLiteralString(string(b), "ExecStart="+exe)
		copied := filepath.Join(t.TempDir(), "rollcall.service")
		write(t, copied, unit)
		cmd := exec.CommandContext(t.Context(), analyze, whose, "--man=no", "verify", copied)
		cmd.Env = append(slices.Clone(os.Environ()), "XDG_RUNTIME_DIR="+t.TempDir(), "LC_ALL=C")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
