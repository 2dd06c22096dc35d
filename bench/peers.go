package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// subjects are rollcall, and the peers that are installed.
func subjects(exe, self, peers string) []subject {
	all := []subject{rollcall(exe, self)}
	if peers == "" {
		return all
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if found, _ := filepath.Glob(filepath.Join(peers, "node_modules/mprocs/mprocs-*-linux-"+arch+"-musl/mprocs")); len(found) > 0 {
		all = append(all, mprocs(found[0], self))
	}
	if bin := filepath.Join(peers, "node_modules/.bin/pm2"); exists(bin) {
		all = append(all, pm2(bin, self))
	}
	if bin, err := exec.LookPath("supervisord"); err == nil {
		all = append(all, supervisor(bin, self))
	}
	return all
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// command is what a peer supervises.
func command(self string, l load) []string {
	if l.lines == 0 {
		return []string{"sleep", "1000000"}
	}
	return []string{"sh", "-c", fmt.Sprintf("%s %s %d %d; exec sleep 1000000", self, pourCommand, l.lines, l.total())}
}

func mprocs(bin, self string) subject {
	return subject{
		name: "mprocs", next: "j", previous: "k", moved: "•",
		start: func(dir string, l load) (*session, error) {
			procs := map[string]any{}
			for i := range l.servers {
				procs[fmt.Sprintf("p%03d", i)] = map[string]any{"cmd": command(self, l)}
			}
			config, err := json.Marshal(map[string]any{"procs": procs}) // JSON is YAML
			if err != nil {
				return nil, err
			}
			file := filepath.Join(dir, "mprocs.yaml")
			if err := os.WriteFile(file, config, 0o600); err != nil {
				return nil, err
			}
			cmd := exec.Command(bin, "--config", file)
			cmd.Dir = dir
			return start(cmd, "Processes", "\x1b[?0u\x1b[?62;22c")
		},
		stop: func(_ string, s *session) {
			_ = s.cmd.Process.Signal(os.Interrupt)
			s.types("q")
			s.end()
		},
	}
}

// pm2 is its monitor and its daemon together. It is measured with twenty idle
// processes: its daemon starts one a second or so.
func pm2(bin, self string) subject {
	run := func(dir string, args ...string) error {
		cmd := exec.Command(bin, args...)
		cmd.Env = append(os.Environ(), "PM2_HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("pm2 %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	return subject{
		name: "pm2", next: "\x1b[B", previous: "\x1b[A", moved: "\x1b[44;37m[",
		start: func(dir string, l load) (*session, error) {
			var apps []any
			c := command(self, l)
			for i := range min(l.servers, floodServers) {
				apps = append(apps, map[string]any{"name": fmt.Sprintf("p%03d", i), "script": c[0], "args": c[1:], "interpreter": "none"})
			}
			config, err := json.Marshal(map[string]any{"apps": apps})
			if err != nil {
				return nil, err
			}
			file := filepath.Join(dir, "apps.json")
			if err := os.WriteFile(file, config, 0o600); err != nil {
				return nil, err
			}
			if err := run(dir, "start", file); err != nil {
				return nil, err
			}
			cmd := exec.Command(bin, "monit")
			cmd.Env = append(os.Environ(), "PM2_HOME="+dir)
			s, err := start(cmd, "Process List", "")
			if err != nil {
				return nil, err
			}
			return s, s.alsoCount(filepath.Join(dir, "pm2.pid"))
		},
		stop: func(dir string, s *session) {
			_ = s.cmd.Process.Kill()
			s.end()
			_ = run(dir, "kill")
		},
	}
}

// supervisor has no screen of its own: what it does is keep processes, and
// their output in files.
func supervisor(bin, self string) subject {
	return subject{
		name: "supervisord",
		start: func(dir string, l load) (*session, error) {
			var b strings.Builder
			fmt.Fprintf(&b, "[supervisord]\nnodaemon=true\nlogfile=%[1]s/log\npidfile=%[1]s/pid\nchildlogdir=%[1]s\n", dir)
			words := command(self, l)
			words[len(words)-1] = strconv.Quote(words[len(words)-1])
			for i := range l.servers {
				fmt.Fprintf(&b, "[program:p%03d]\ncommand=%s\n", i, strings.Join(words, " "))
			}
			file := filepath.Join(dir, "supervisord.conf")
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				return nil, err
			}
			return start(exec.Command(bin, "-c", file), "spawned", "")
		},
		stop: func(_ string, s *session) {
			_ = s.cmd.Process.Signal(os.Interrupt)
			s.end()
		},
	}
}

// alsoCount adds the process that a file names.
func (s *session) alsoCount(pidFile string) error {
	var err error
	for range 50 { // the daemon writes it when it is up
		var text []byte
		if text, err = os.ReadFile(pidFile); err == nil {
			var pid int
			if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				s.pids = append(s.pids, pid)
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.Join(errors.New("no daemon"), err)
}
