package demo

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// The names under which this program is started as a child of a server.
const (
	sleeper = "sleep" // stays
	forker  = "fork"  // starts a sleeper in a session of its own, and exits
	mayfly  = "leave" // exits, after as many milliseconds as it is told
)

// child is what a child does; ok is false where args do not ask for one.
func child(args []string, errw io.Writer) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case sleeper:
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		time.Sleep(time.Hour)
		return 0, true
	case mayfly:
		if len(args) > 1 {
			ms, _ := strconv.Atoi(args[1])
			time.Sleep(time.Duration(ms) * time.Millisecond)
		}
		return 0, true
	case forker:
		cmd, err := spawn(true, args[1:]...)
		if err != nil {
			fmt.Fprintf(errw, "fork: %v\n", err)
			return 1, true
		}
		fmt.Fprintf(errw, "child %d started\n", cmd.Process.Pid)
		return 0, true
	}
	return 0, false
}

// spawn starts this program as a child that holds our stderr.
func spawn(session bool, args ...string) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, append([]string{"demo"}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	return cmd, cmd.Start()
}

// startChild starts the child that the behaviour names: in our group (group),
// in a session of its own (session), without a parent as well (daemon; orphan:
// one that soon exits), or one that exits and is never waited for (zombie). All
// but the last two ignore SIGTERM. Its PID is said on stderr.
func (s *server) startChild() error {
	var cmd *exec.Cmd
	var err error
	switch s.children {
	case "group", "session":
		cmd, err = spawn(s.children == "session", sleeper)
	case "zombie":
		cmd, err = spawn(false, mayfly)
	case "daemon", "orphan":
		args := []string{forker, sleeper}
		if s.children == "orphan" {
			args = []string{forker, mayfly, "100"}
		}
		if cmd, err = spawn(true, args...); err != nil {
			return err
		}
		return cmd.Wait() // it says the PID itself
	default:
		return fmt.Errorf("no child is named %q", s.children)
	}
	if err != nil {
		return err
	}
	s.say("child %d started", cmd.Process.Pid)
	return nil
}
