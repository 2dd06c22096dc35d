package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// rollcall is the program itself.
func rollcall(exe, self string) subject {
	return subject{
		name: "rollcall", countdowns: true, next: "j", previous: "k", moved: "▸",
		start: func(dir string, l load) (*session, error) {
			config := filepath.Join(dir, "servers.toml")
			if err := os.WriteFile(config, fleet(self, l), 0o600); err != nil {
				return nil, err
			}
			cmd := exec.Command(exe, "--config", config)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
			s, err := start(cmd, "restart", "")
			if err == nil {
				s.whole = func() []int { return itself(exe) }
			}
			return s, err
		},
		lost: lostLines,
		stop: func(_ string, s *session) {
			s.types("q")
			time.Sleep(time.Second / 2)
			s.types("y")
			s.end()
		},
	}
}

// itself are the processes of a rollcall: what holds the terminal, the engine,
// the guardian; not the servers, which are the same program as well.
func itself(exe string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		if target, err := os.Readlink(filepath.Join(p, "exe")); err != nil || target != exe {
			continue
		}
		args, err := os.ReadFile(filepath.Join(p, "cmdline"))
		if pid, bad := strconv.Atoi(filepath.Base(p)); bad == nil && err == nil && !bytes.Contains(args, []byte("\x00demo\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// fleet is a configuration for a load. A server that floods has a writer of
// lines beside it, in its process group; one that is silent stands beside them,
// to tell how many lines of a log are rollcall's own.
func fleet(self string, l load) []byte {
	var b bytes.Buffer
	b.WriteString("[defaults]\nstart_concurrency = 500\n") // none is queued: all logs have as many lines of rollcall's own
	entry := func(name string, args string) {
		fmt.Fprintf(&b, "[servers.%s]\n%s\nlasting_after = \"5s\"\n", name, args)
	}
	const healthy = `command = "${ROLLCALL_EXE}"` + "\n" + `args = ["demo", "healthy", "--beat", "0s"]`
	for i := range l.servers {
		if l.lines == 0 {
			entry(fmt.Sprintf("idle-%03d", i), healthy)
			continue
		}
		entry(fmt.Sprintf("flood-%02d", i), fmt.Sprintf("command = \"sh\"\nargs = [\"-c\", \"%s %s %d %d & exec ${ROLLCALL_EXE} demo healthy --beat 0s\"]",
			self, pourCommand, l.lines, l.total()))
	}
	if l.lines > 0 {
		entry("silent", healthy)
	}
	for i := range l.countdowns {
		entry(fmt.Sprintf("waits-%02d", i), "command = \"false\"\nreconnect_interval = \"2h\"\nreconnect_max_interval = \"2h\"")
	}
	return b.Bytes()
}

// counted is what the details say of a server's log.
var counted = regexp.MustCompile(`log +(\d+) lines`)

// lostLines walks over all servers, once they have written everything, and
// adds up what their logs are short of.
func lostLines(s *session, l load) (lost int, err error) {
	time.Sleep(12 * time.Second) // until all is written
	s.look()
	s.types("3>>>G")
	time.Sleep(time.Second)
	var logs []int
	for range l.servers + 1 {
		found := counted.FindStringSubmatch(s.text())
		if found == nil {
			return 0, fmt.Errorf("the details do not say how long the log is:\n%s", s.text())
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			return 0, err
		}
		logs = append(logs, n)
		s.types("k")
		time.Sleep(time.Second / 2)
	}
	own := logs[0] // the silent one's, the fewest
	for _, n := range logs {
		own = min(own, n)
	}
	for _, n := range logs {
		if n != own {
			lost += max(l.total()+own-n, 0)
		}
	}
	return lost, nil
}
