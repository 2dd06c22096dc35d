package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// on is rollcall with the same engine as another command: its folders.
func on(t *testing.T, other *exec.Cmd, args ...string) *exec.Cmd {
	t.Helper()
	cmd := rollcallCommand(t, args...)
	cmd.Env = slices.Clone(other.Env)
	return cmd
}

// served starts serve, and waits until its servers are there.
func served(t *testing.T, path, id string, like *exec.Cmd) *exec.Cmd {
	t.Helper()
	cmd := rollcallCommand(t, "serve", "-c", path)
	if like != nil {
		cmd = on(t, like, "serve", "-c", path)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	untilLaunched(t, id, 2)
	comes(t, "an engine that is well", func() bool { return on(t, cmd, "status", "-c", path).Run() == nil })
	return cmd
}

// TestN1_AKilledEngineIsReplaced kills the engine while three dashboards and a
// follower of lines watch, and starts it anew: nothing runs twice, nothing is
// left, and the dashboards come back by themselves.
func TestN1_AKilledEngineIsReplaced(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	engine := served(t, path, id, nil)
	var screens []*terminal
	for i := range 3 {
		args := []string{"attach", "-c", path}
		if i == 2 {
			args = []string{"-c", path} // N2: attaches where an engine runs
		}
		x := onTerminal(t, on(t, engine, args...), 120, 24)
		x.Shows("2 settling")
		screens = append(screens, x)
	}
	if n := len(launchedBy(t, id)); n != 2 {
		t.Fatalf("%d servers, want 2: one of the dashboards has launched its own", n)
	}
	follow := on(t, engine, "logs", "a", "-f", "-c", path)
	lines, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	read := bufio.NewReader(lines)
	if _, err := read.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	before := launchedBy(t, id)

	if err := engine.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = engine.Wait()
	_, _ = io.Copy(io.Discard, read)
	if err := follow.Wait(); follow.ProcessState.ExitCode() != exitNoEngine {
		t.Errorf("the follower: %v, want exit %d", err, exitNoEngine)
	}
	for _, x := range screens {
		x.Shows("engine lost")
	}
	untilLaunched(t, id, 0) // T1: the guardian's

	again := served(t, path, id, engine)
	for _, x := range screens {
		x.Shows("2 settling")
	}
	if after := launchedBy(t, id); len(after) != 2 || slices.ContainsFunc(after, func(pid int) bool { return slices.Contains(before, pid) }) {
		t.Errorf("the servers were %v and are %v", before, after)
	}
	for i, x := range screens { // each way out leaves the servers running
		x.Types([]string{"q", "\x03", "q"}[i])
		if code := x.Exit(); code != 0 {
			t.Errorf("dashboard %d: exit %d", i, code)
		}
		x.AsItWas()
	}
	if n := len(launchedBy(t, id)); n != 2 {
		t.Errorf("%d servers after the dashboards, want 2", n)
	}
	stop := on(t, engine, "stop", "--yes", "-c", path)
	if out, err := stop.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if err := again.Wait(); err != nil {
		t.Error(err)
	}
	if left := launchedBy(t, id); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestN2_ASecondRollcallAttachesToTheFirst: what the first one holds is shown by
// the second, and outlives it.
func TestN2_ASecondRollcallAttachesToTheFirst(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	first := rollcallCommand(t, "-c", path)
	x := onTerminal(t, first, 120, 24)
	x.Shows("2 settling")
	like := &exec.Cmd{Env: slices.DeleteFunc(slices.Clone(first.Env), func(v string) bool { return strings.HasPrefix(v, "TERM=") })}
	second := onTerminal(t, on(t, like, "-c", path), 120, 24)
	second.Shows("2 settling")
	if n := len(launchedBy(t, id)); n != 2 {
		t.Errorf("%d servers, want 2", n)
	}
	// Who gave an order is said in the other's footer, and in the events.
	second.Types("jr")
	second.Shows("restart")
	x.Shows("restart")
	second.Types("q")
	if code := second.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	comes(t, "the restarted server", func() bool { return on(t, like, "status", "-c", path).Run() == nil })
	out, err := on(t, like, "events", "--json", "-c", path).Output()
	if err != nil || !strings.Contains(string(out), `"by":"`+bySelf(second)) {
		t.Errorf("%v: no order by %s in\n%s", err, bySelf(second), out)
	}
	untilLaunched(t, id, 2)
	x.Types("qy")
	if code := x.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	untilLaunched(t, id, 0)
}

// bySelf is how an order from a terminal is signed: root (pts/3).
func bySelf(x *terminal) string {
	name, _, _ := strings.Cut(operator().String(), " (")
	return name + " (" + strings.TrimPrefix(x.Name(), "/dev/") + ")"
}

// TestN2_ReadOnlyGivesNoOrders: the engine takes none, whatever is typed.
func TestN2_ReadOnlyGivesNoOrders(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	engine := served(t, path, id, nil)
	before := launchedBy(t, id)
	x := onTerminal(t, on(t, engine, "attach", "--read-only", "-c", path), 120, 24)
	x.Shows("2 settling")
	x.Types("r")
	x.Shows("only reads")
	x.Types("q")
	if code := x.Exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if after := launchedBy(t, id); !slices.Equal(before, after) {
		t.Errorf("the servers were %v and are %v", before, after)
	}
}

// TestN5_ClientsThatAreKilledCostNothing kills clients without a word: what the
// engine holds is as before. Most are bus clients in processes of their own that
// follow all there is; some are dashboards. ROLLCALL_LONG=1 makes it 100.
func TestN5_ClientsThatAreKilledCostNothing(t *testing.T) {
	t.Parallel()
	clients, dashboards := 12, 2
	if os.Getenv("ROLLCALL_LONG") != "" {
		clients, dashboards = 90, 10
	}
	path, id := kept(t, "")
	engine := served(t, path, id, nil)
	kill := func(n int, start func(i int) *exec.Cmd) {
		for i := range n {
			cmd := start(i)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	follower := func(i int) *exec.Cmd {
		what := [][]string{{"logs", "a", "-f"}, {"events", "-f", "-n", "1000"}}[i%2]
		cmd := on(t, engine, append(what, "-c", path)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it follows
			t.Fatal(err)
		}
		return cmd
	}
	dashboard := func(int) *exec.Cmd {
		cmd := on(t, engine, "attach", "-c", path)
		onTerminal(t, cmd, 120, 24).Shows("2 settling")
		return cmd
	}
	kill(4, follower)
	kill(1, dashboard)
	before := costOf(t, engine.Process.Pid, path, engine)
	kill(clients, follower)
	kill(dashboards, dashboard)
	var after cost
	comes(t, fmt.Sprintf("as few descriptors as before (%d)", before.files), func() bool {
		after = costOf(t, engine.Process.Pid, path, engine)
		return after.files <= before.files
	})
	// Of what each leaves behind there would be as many.
	if after.threads >= before.threads+clients+dashboards || after.resident > before.resident+24<<20 {
		t.Errorf("the engine cost %+v and costs %+v", before, after)
	}
}

// cost is what a process holds, seen from outside.
type cost struct{ files, threads, resident int }

func costOf(t *testing.T, pid int, path string, like *exec.Cmd) cost {
	t.Helper()
	if err := on(t, like, "status", "-c", path).Run(); err != nil { // it answers
		t.Fatal(err)
	}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		t.Skip("what the engine has open cannot be seen here: ", err)
	}
	threads, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		t.Fatal(err)
	}
	return cost{len(files), len(threads), residentOf(t, pid)}
}

// residentOf is a process's resident memory, in bytes.
func residentOf(t *testing.T, pid int) int {
	t.Helper()
	statm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
