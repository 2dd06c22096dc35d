package transport

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rollcall/model"
)

func TestOnlyTheKernelsOwnWordIsTakenForAKillForWantOfMemory(t *testing.T) {
	const since = 100 * time.Second
	for _, c := range []struct {
		log  string
		want bool
	}{
		{"3,700,100000001,-;Out of memory: Killed process 42 (node) total-vm:9kB, anon-rss:8kB\n", true},
		{"3,700,100000001,-;Memory cgroup out of memory: Killed process 42 (node) total-vm:9kB\n", true},
		{"6,1,2,-;eth0: up\n SUBSYSTEM=net\n3,700,200000000,-,caller=T42;Out of memory: Killed process 42 (node) total-vm:9kB\n", true},
		{"3,700,99999999,-;Out of memory: Killed process 42 (node) total-vm:9kB\n", false},     // another one had its number before
		{"3,700,100000001,-;Out of memory: Killed process 421 (node) total-vm:9kB\n", false},   // another process
		{"3,700,100000001,-;Out of memory: Killed process 42 (sh) total-vm:9kB\n", false},      // another program
		{"11,700,100000001,-;Out of memory: Killed process 42 (node) total-vm:9kB\n", false},   // a program wrote it
		{"3,700,100000001,-;x: Out of memory: Killed process 42 (node) total-vm:9kB\n", false}, // a driver's words
		{"3,700,100000001,-;oom_reaper: reaped process 42 (node), now anon-rss:0kB\n", false},  // what follows a kill
		{"Out of memory: Killed process 42 (node)\n", false},                                   // no record
		{"3,x,y,-;Out of memory: Killed process 42 (node)\n3;Out of memory: Killed process 42 (node)\n", false},
		{"", false},
	} {
		if got := killedForMemory([]byte(c.log), 42, "node", since); got != c.want {
			t.Errorf("%q: %t", c.log, got)
		}
	}
}

// TestL4_AKillForWantOfMemoryIsSaidWhereTheKernelSaysIt: the log is made up, the
// kill is real.
func TestL4_AKillForWantOfMemoryIsSaidWhereTheKernelSaysIt(t *testing.T) {
	if ns, err := os.Readlink("/proc/self/ns/pid"); err != nil || ns != initialNamespace {
		t.Skip("the kernel's log has other PIDs than are seen here")
	}
	for name, want := range map[string]string{"sleep": "(killed: out of memory)", "node": "(signal: killed)"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.kernelLog = filepath.Join(t.TempDir(), "kmsg")
			w := start(t, h, commandSpec("/bin/sh", "-c", "echo ready >&2; exec /bin/sleep 1000"))
			pid := await[model.Launched](w).PID
			w.line("stderr: ready")
			for late := time.Now().Add(patience); ; {
				if comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); string(comm) == "sleep\n" {
					break
				}
				if time.Now().After(late) {
					t.Fatal("the shell has not become the program")
				}
			}
			var now unix.Timespec
			if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
				t.Fatal(err)
			}
			record := fmt.Sprintf("3,1,%d,-;Out of memory: Killed process %d (%s) total-vm:1kB\n", now.Nano()/1000, pid, name)
			if err := os.WriteFile(h.kernelLog, []byte(record), 0o600); err != nil {
				t.Fatal(err)
			}
			sendSignal(pid, unix.SIGKILL)
			end := await[model.Closed](w).End
			if end.How().String() != want || end.Signal.String() != "killed" {
				t.Errorf("%s; %+v", end.How(), end)
			}
		})
	}
}
