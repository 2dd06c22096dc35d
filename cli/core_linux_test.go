package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestR4_NoCoreOfRollcallButOfWhatItLaunches(t *testing.T) {
	t.Parallel()
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &was); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, steady)
	cmd := rollcallCommand(t, "serve", "--json", "-c", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := 0
	for ev := range eventsOf(out) {
		if ev.Event == "connected" {
			child = ev.PID
			break
		}
	}
	for pid, want := range map[int]uint64{cmd.Process.Pid: 0, child: was.Max} {
		var got unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &got); err != nil {
			t.Fatal(err)
		}
		if pid == child {
			want = was.Cur
		}
		if got.Cur != want || got.Max != was.Max {
			t.Errorf("pid %d has the limit %d of %d, want %d of %d", pid, got.Cur, got.Max, want, was.Max)
		}
	}
	// The kernel gives the /proc files of a process that must not be dumped to root.
	if os.Getuid() != 0 {
		if _, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/environ"); err == nil {
			t.Error("another process may read its environment")
		}
	}
	if _, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/environ"); err != nil {
		t.Errorf("the launch's environment cannot be read, and its mark not be found: %v", err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
