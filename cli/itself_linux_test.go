package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// aFileOfItsOwn has a command run the test binary from a file that may be
// removed, and returns its path.
func aFileOfItsOwn(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "rollcall")
	if os.Link(exe, own) != nil { // on another file system
		copied(t, exe, own)
	}
	cmd.Path, cmd.Args[0] = own, own
	return own
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// succeeds kills a server, and waits until another process has its place.
func succeeds(t *testing.T, id string) {
	t.Helper()
	before := launchedBy(t, id)
	if err := syscall.Kill(before[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	comes(t, "its successor", func() bool {
		now := launchedBy(t, id)
		return len(now) == len(before) && !slices.Contains(now, before[0])
	})
}

// TestC7_TheRunningProgramOutlivesItsFile: `go run` removes the file when it ends.
// A retry reads no entry; a restart does.
func TestC7_TheRunningProgramOutlivesItsFile(t *testing.T) {
	t.Parallel()
	path, id := kept(t, "")
	engine := rollcallCommand(t, "serve", "-c", path)
	own := aFileOfItsOwn(t, engine)
	engine.Stderr = os.Stderr
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Process.Kill(); _ = engine.Wait() })
	untilLaunched(t, id, 2)
	says := func(args ...string) string {
		t.Helper()
		out, err := on(t, engine, append(args, "-c", path)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	comes(t, "an engine that is well", func() bool { return on(t, engine, "status", "-c", path).Run() == nil })

	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	succeeds(t, id)
	if out := says("restart", "--all", "--wait"); strings.Count(out, "connected, attempt 0") != 2 {
		t.Errorf("the restarts:\n%s", out)
	}
	succeeds(t, id)
	if out := says("reload"); strings.Contains(out, "command") {
		t.Errorf("what nobody changed is changed:\n%s", out)
	}

	// What has taken the file's place is the new version.
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("#!/bin/sh\necho ran > \"$0.ran\"\nexec "+exe+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	says("restart", "a", "--wait")
	if _, err := os.Stat(own + ".ran"); err != nil {
		t.Errorf("the new file was not run: %v", err)
	}
	if err := engine.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := engine.Wait(); err != nil {
		t.Errorf("the engine's end: %v", err)
	}
	untilLaunched(t, id, 0)
}
