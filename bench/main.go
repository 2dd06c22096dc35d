// Bench drives the real program on a pseudo terminal of 200×50 and prints what
// it costs: bytes a second to the terminal, CPU, resident memory, and the time
// to the first frame.
//
//	go run ./bench [-servers 200] [-seconds 60]
//
// The servers are up when it measures: settling ones count their seconds. It
// says nothing of the servers' own cost. On a busy machine compare runs
// side by side, not over days.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

func main() {
	servers := flag.Int("servers", 200, "how many idle stdio servers")
	seconds := flag.Int("seconds", 60, "how long to measure")
	settle := flag.Int("settle", 75, "seconds before the measurement begins: after a minute a row counts minutes")
	flag.Parse()
	if err := measure(*servers, *seconds, *settle); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure builds the program, runs it on n servers, and prints.
func measure(n, seconds, settle int) (err error) {
	dir, err := os.MkdirTemp("", "rollcall-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	exe := filepath.Join(dir, "rollcall")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	config := filepath.Join(dir, "servers.toml")
	if err := os.WriteFile(config, fleet(n), 0o600); err != nil {
		return err
	}
	s, err := start(exe, config, dir)
	if err != nil {
		return err
	}
	defer s.stop()

	time.Sleep(time.Duration(settle) * time.Second)
	bytes0, cpu0 := s.bytes(), s.cpu()
	time.Sleep(time.Duration(seconds) * time.Second)
	wrote, burnt := s.bytes()-bytes0, s.cpu()-cpu0
	fmt.Printf("%d idle servers, %d s, 200×50\n", n, seconds)
	fmt.Printf("first frame      %d ms\n", s.first().Milliseconds())
	fmt.Printf("to the terminal  %.0f B/s\n", float64(wrote)/float64(seconds))
	fmt.Printf("CPU              %.2f %% of a core\n", 100*burnt.Seconds()/float64(seconds))
	fmt.Printf("resident         %.1f MiB\n", s.resident())
	return nil
}

// fleet is a configuration of n idle servers.
func fleet(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "[servers.idle-%03d]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\", \"--beat\", \"0s\"]\nlasting_after = \"5s\"\n", i)
	}
	return b.Bytes()
}

// session is the program on its terminal.
type session struct {
	cmd   *exec.Cmd
	tty   *os.File
	begun time.Time

	mu     sync.Mutex
	read   int
	framed time.Time
}

func start(exe, config, state string) (*session, error) {
	cmd := exec.Command(exe, "--config", config)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "XDG_STATE_HOME="+state)
	s := &session{cmd: cmd, begun: time.Now()}
	var err error
	s.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		return nil, err
	}
	go s.drain()
	return s, nil
}

// drain reads what the program writes. The first frame is there when the
// footer is.
func (s *session) drain() {
	buf := make([]byte, 1<<16)
	var begin []byte
	for {
		n, err := s.tty.Read(buf)
		s.mu.Lock()
		s.read += n
		if s.framed.IsZero() {
			begin = append(begin, buf[:n]...)
			if bytes.Contains(begin, []byte("restart")) {
				s.framed = time.Now()
				begin = nil
			}
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *session) bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

func (s *session) first() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.framed.Sub(s.begun)
}

// cpu is user and system time so far, in clock ticks of 10 ms.
func (s *session) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident is the program's own memory, in MiB.
func (s *session) resident() float64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(statm))[1])
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// stop quits as a person does, and waits.
func (s *session) stop() {
	_, _ = s.tty.Write([]byte("q"))
	time.Sleep(time.Second / 2)
	_, _ = s.tty.Write([]byte("y"))
	_ = s.cmd.Wait()
	_ = s.tty.Close()
}
