package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// The terminal.
const (
	rows    = 50
	columns = 200
)

// session is a program on its terminal.
type session struct {
	cmd   *exec.Cmd
	tty   *os.File
	begun time.Time
	pids  []int        // whose CPU and memory count
	whole func() []int // or, where they come and go, whose; nil: pids

	mu      sync.Mutex
	read    int
	ready   string // what the first whole frame holds
	begin   []byte
	framed  time.Time
	answers string        // to what it asks the terminal, once
	awaited string        // what the effect of a key looks like
	seen    chan struct{} // closed when it came
	screen  *vt.Emulator  // nil until somebody looks
}

// start starts a program. ready is in its first whole frame; answers is what a
// terminal answers to the questions that it asks.
func start(cmd *exec.Cmd, ready, answers string) (*session, error) {
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color")
	s := &session{cmd: cmd, begun: time.Now(), ready: ready}
	var err error
	s.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		return nil, err
	}
	s.pids = []int{cmd.Process.Pid}
	s.answers = answers
	go s.drain()
	return s, nil
}

// drain reads what the program writes.
func (s *session) drain() {
	buf := make([]byte, 1<<16)
	for {
		n, err := s.tty.Read(buf)
		s.take(buf[:n])
		if err != nil {
			return
		}
	}
}

func (s *session) take(chunk []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read += len(chunk)
	if s.framed.IsZero() {
		s.begin = append(s.begin, chunk...)
		if bytes.Contains(s.begin, []byte(s.ready)) {
			s.framed, s.begin = time.Now(), nil
		}
	}
	if s.answers != "" && bytes.Contains(chunk, []byte("\x1b[c")) {
		s.types(s.answers)
		s.answers = ""
	}
	if s.awaited != "" && bytes.Contains(chunk, []byte(s.awaited)) {
		s.awaited = ""
		close(s.seen)
	}
	if s.screen != nil {
		_, _ = s.screen.Write(chunk)
	}
}

func (s *session) types(keys string) { _, _ = s.tty.WriteString(keys) }

// effect types a key and waits until what it does is on the terminal; ok is
// false where that takes more than two seconds.
func (s *session) effect(key, looks string) (took time.Duration, ok bool) {
	seen := make(chan struct{})
	s.mu.Lock()
	s.awaited, s.seen = looks, seen
	s.mu.Unlock()
	begun := time.Now()
	s.types(key)
	select {
	case <-seen:
		return time.Since(begun), true
	case <-time.After(2 * time.Second):
		s.mu.Lock()
		s.awaited = ""
		s.mu.Unlock()
		return 0, false
	}
}

// look begins to follow the screen as a person sees it: its size is changed
// and back, and so it is drawn whole.
func (s *session) look() {
	s.mu.Lock()
	s.screen = vt.NewEmulator(columns, rows)
	s.mu.Unlock()
	for _, n := range []uint16{columns - 1, columns} {
		_ = pty.Setsize(s.tty, &pty.Winsize{Rows: rows, Cols: n})
		time.Sleep(time.Second / 2)
	}
}

// text is the screen, once somebody looks.
func (s *session) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

func (s *session) bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

func (s *session) first() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.framed.IsZero() {
		return 0
	}
	return s.framed.Sub(s.begun)
}

// counted are the processes that the subject itself is.
func (s *session) counted() []int {
	if s.whole != nil {
		return s.whole()
	}
	return s.pids
}

// cpu is user and system time so far, in clock ticks of 10 ms.
func (s *session) cpu() time.Duration {
	ticks := 0
	for _, pid := range s.counted() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		ticks += user + system
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// resident is the subject's own memory, in MiB; a page that several processes
// share counts in parts.
func (s *session) resident() float64 {
	kib := 0
	for _, pid := range s.counted() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "Pss:" {
				n, _ := strconv.Atoi(f[1])
				kib += n
			}
		}
	}
	return float64(kib) / 1024
}

// end waits until the program has ended, and ends it where it does not.
func (s *session) end() {
	ended := make(chan struct{})
	go func() { defer close(ended); _ = s.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		_ = s.cmd.Process.Kill()
		<-ended
	}
	_ = s.tty.Close()
}
