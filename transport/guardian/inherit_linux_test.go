package guardian

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestT1_WhatHasNoEnvironmentIsItsParents: a shell that bears a mark starts a
// process without one in a session of its own. It is seen, the shell ends, and
// whose it is is still known.
func TestT1_WhatHasNoEnvironmentIsItsParents(t *testing.T) {
	shell := exec.Command("/bin/sh", "-c", "/usr/bin/env -i /usr/bin/setsid /bin/sleep 1000 >/dev/null & echo $!; read x")
	shell.Env = []string{variable + "M-1"}
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(time.Minute); ; { // $! is env, then setsid, then sleep
		if s, err := readStat(pid); err == nil && s.group == pid {
			break
		}
		if time.Now().After(late) {
			t.Fatal("it has not left its group")
		}
	}
	known := Marks{}
	if _, err := Scan(known); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	_ = shell.Wait()

	if kill(map[int]Group{}, nil, "L", known) {
		t.Error("another host's process was taken for one of this host's")
	}
	for late := time.Now().Add(time.Minute); kill(map[int]Group{}, nil, "M", known); {
		if time.Now().After(late) {
			t.Fatal("it does not go")
		}
	}
	if s, err := readStat(pid); err == nil && s.state != 'Z' {
		t.Errorf("process %d was not killed", pid)
	}
}
