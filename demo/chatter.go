package demo

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// sleeper is the name of the child that does nothing but stay.
const sleeper = "sleep"

// What a healthy server has to say now and then.
var beats = []string{
	"cache refreshed: 128 entries in 12 ms",
	"3 tools registered, 0 calls in progress",
	"index is up to date",
	"memory: 18 MiB in use",
}

// What a chatty one says all the time.
var chat = []string{
	"GET /v1/items?page=%d 200 in 31 ms",
	"worker %d: job done",
	"cache miss for key item:%d",
	"retrying upstream request, try %d",
}

// chatter starts what the server says on stderr by itself.
func (s *server) chatter() {
	if s.beat > 0 {
		go func() {
			for i := 0; ; i++ {
				time.Sleep(s.beat)
				s.say("%s", beats[i%len(beats)])
			}
		}()
	}
	if s.rate != 0 {
		go func() {
			for i := 0; ; i++ {
				s.say(chat[i%len(chat)], i)
				if s.rate > 0 {
					time.Sleep(time.Second / time.Duration(s.rate))
				}
			}
		}()
	}
}

// startChild starts a child that ignores SIGTERM and holds our stderr.
func (s *server) startChild() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, "demo", sleeper)
	cmd.Stderr = os.Stderr
	if s.children == "session" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.say("child %d started", cmd.Process.Pid)
	return nil
}

// sleep stays until it is killed.
func sleep() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	time.Sleep(time.Hour)
	return 0
}
