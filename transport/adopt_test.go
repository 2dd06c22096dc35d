package transport

import (
	"fmt"
	"os"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// hider is a command that starts one which leaves group, session and environment,
// with redirections, and says its PID as a demo server does.
func hider(redirections string) string {
	return "/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 " + redirections + " & echo child $! started >&2"
}

// adoptAndEnd is a program that adopts what is left behind, starts two servers that
// leave something behind, stops them, and ends its host once it is told to. It
// says what it has done on stderr, and stays.
func adoptAndEnd() {
	h, err := NewHost(Options{Version: "test", Adopt: true})
	if err != nil {
		panic(err)
	}
	pids, reaped := "hidden", make(chan struct{}, 2)
	for _, redirections := range []string{"<&0", "</dev/null >/dev/null 2>&1"} {
		kid := make(chan string, 1)
		spec := commandSpec("/bin/sh", "-c", hider(redirections)+"; while read x; do :; done")
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
		// $! is env until it is setsid, and that until it is sleep.
		for comm := ""; comm != "sleep\n"; {
			b, _ := os.ReadFile("/proc/" + pid + "/comm")
			comm = string(b)
		}
		pids += " " + pid
		r.Stop()
		<-reaped
	}
	fmt.Fprintln(os.Stderr, pids)
	fmt.Fprintln(os.Stderr, "both are reaped")
	line := make([]byte, 1<<10)
	for told := false; !told; {
		n, err := os.Stdin.Read(line)
		told = err != nil || strings.Contains(string(line[:n]), "end")
	}
	h.Close()
	fmt.Fprintln(os.Stderr, "the host has ended")
	select {}
}
