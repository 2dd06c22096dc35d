package transport

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// hiders are ways to leave a launch: each starts a process without environment
// that left the launch's group, and says its PID as a demo server does. What
// gives those that end with their launch away: a parent that lives until the
// stop, or a pipe of the launch's. SELF is this binary.
var hiders = []struct {
	script   string
	orphaned bool // before the stop
	held     bool // it ends with its launch; else with the host
}{
	{"/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null 2>&1 & echo child $! started >&2", false, true},
	{"(/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 </dev/null & echo child $! started >&2)", true, true},
	{"(/usr/bin/env -i SELF group </dev/null & echo child $! started >&2)", true, true},
	{"(/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null 2>&1 & echo child $! started >&2)", true, false},
	{"(/usr/bin/env -i SELF group </dev/null >/dev/null 2>&1 & echo child $! started >&2)", true, false},
}

// sleepInOwnGroup is a program that leaves its group, but not its session.
func sleepInOwnGroup() {
	if err := syscall.Setpgid(0, 0); err != nil {
		panic(err)
	}
	panic(syscall.Exec("/bin/sleep", []string{"sleep", "1000"}, nil))
}

// adoptAndEnd is a program that adopts what is left behind, starts servers that
// leave something behind, stops them, and ends its host once it is told to. It
// says what it has done on stderr, and stays.
func adoptAndEnd() {
	_ = os.Unsetenv(MarkVariable) // it is no launch
	h, err := NewHost(Options{Version: "test", Adopt: true})
	if err != nil {
		panic(err)
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	pids, reaped := "hidden", make(chan struct{}, len(hiders))
	for _, hider := range hiders {
		kid := make(chan string, 1)
		spec := commandSpec("/bin/sh", "-c", strings.ReplaceAll(hider.script, "SELF", exe)+"; while read x; do :; done")
		spec.Timings.StopGrace.D = 200 * time.Millisecond
		r := h.Start(spec, model.Dial{Timeout: patience, Report: func(e model.RunEvent) {
			if _, ok := e.(model.Reaped); ok {
				reaped <- struct{}{}
			}
		}, Line: func(_ time.Time, _ model.LineKind, text redact.Safe) {
			if f := strings.Fields(text.String()); len(f) == 3 && f[0] == "child" {
				kid <- f[1]
			}
		}})
		pid := <-kid
		// $! is env until it is what that starts, and its shell may live still.
		for comm, parent := "", 0; comm != "(sleep)" || (parent == os.Getpid()) != hider.orphaned; {
			b, _ := os.ReadFile("/proc/" + pid + "/stat")
			_, _ = fmt.Sscanf(string(b), "%d %s %s %d", new(int), &comm, new(string), &parent)
		}
		pids += " " + pid
		r.Stop()
		<-reaped
	}
	alert := exec.Command("/bin/sh", "-c", "/usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null 2>&1 & echo $!")
	alert.Env = Environ()
	repair, err := alert.Output()
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "repair %s", repair)
	fmt.Fprintln(os.Stderr, pids)
	fmt.Fprintln(os.Stderr, "all are reaped")
	line := make([]byte, 1<<10)
	for told := false; !told; {
		n, err := os.Stdin.Read(line)
		told = err != nil || strings.Contains(string(line[:n]), "end")
	}
	h.Close()
	fmt.Fprintln(os.Stderr, "the host has ended")
	select {}
}

// adoptBeside is a program that has a child before it has a host, as one that a
// script with helpers has become by exec. While the host is there the child leaves
// an orphan of its own behind. It says both PIDs once the host has ended, and stays.
func adoptBeside() {
	_ = os.Unsetenv(MarkVariable)
	helper := exec.Command("/bin/sh", "-c", "read x; (/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 </dev/null >/dev/null 2>&1 & echo $!); exec /bin/sleep 1000")
	tell, err := helper.StdinPipe()
	if err != nil {
		panic(err)
	}
	says, err := helper.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := helper.Start(); err != nil {
		panic(err)
	}
	h, err := NewHost(Options{Version: "test", Adopt: true})
	if err != nil {
		panic(err)
	}
	_, _ = tell.Write([]byte("go on\n"))
	orphan, err := bufio.NewReader(says).ReadString('\n')
	if err != nil {
		panic(err)
	}
	for parent := 0; parent != os.Getpid(); {
		b, _ := os.ReadFile("/proc/" + strings.TrimSpace(orphan) + "/stat")
		_, _ = fmt.Sscanf(string(b), "%d %s %s %d", new(int), new(string), new(string), &parent)
	}
	h.Close()
	fmt.Fprintf(os.Stderr, "beside %d %s", helper.Process.Pid, orphan)
	select {}
}
