package front

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"rollcall/transport/guardian"
)

// Front is the process that the shell waits for.
type Front struct {
	engine  *os.Process
	link    *os.File
	signals chan os.Signal
	said    chan string           // by the engine; closed at its end
	ended   chan *os.ProcessState // the engine's, once
	before  map[int]bool          // children that are not the engine's

	terminal *os.File
	state    *term.State // of the terminal, before anyone changed it
	drawn    bool        // the engine may have changed it
	errors   io.Writer
}

// Run starts this program anew, with the same arguments, and is its front until
// it ends or leaves the terminal. It returns the exit code of that program: 128
// and the signal's number where a signal ended it, and 0 where it serves on
// without the terminal. Stdin must be a terminal. It takes over the process's
// signals and children: to be called once, before any other goroutine or child
// was started.
func Run(errors io.Writer) (code int, err error) {
	f := &Front{signals: make(chan os.Signal, 16), said: make(chan string, 4), ended: make(chan *os.ProcessState, 1),
		terminal: os.Stdin, drawn: true, errors: errors}
	// Before the engine is there, so that none is lost. What the terminal does by
	// itself (SIGTTIN, SIGTTOU) stops both, as it should.
	signal.Notify(f.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGCONT)
	defer signal.Stop(f.signals)
	if f.state, err = term.GetState(int(f.terminal.Fd())); err != nil {
		return 0, fmt.Errorf("read the terminal's settings: %w", err)
	}
	adopt()
	f.before = children()
	if err := f.start(); err != nil {
		return 0, fmt.Errorf("start the engine's process: %w", err)
	}
	return f.attend(), nil
}

// start starts the engine's process, in this process's group.
func (f *Front) start() error {
	ours, theirs, err := socket()
	if err != nil {
		return err
	}
	defer theirs.Close()
	exe, err := executable()
	if err != nil {
		return err
	}
	f.engine, err = os.StartProcess(exe, os.Args, &os.ProcAttr{
		Env:   append(os.Environ(), linkVariable+"=1"),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, theirs},
	})
	if err != nil {
		_ = ours.Close()
		return err
	}
	f.link = ours
	go func() {
		hear(ours, func(word string) { f.said <- word })
		close(f.said)
	}()
	go func() {
		state, _ := f.engine.Wait()
		f.ended <- state
	}()
	return nil
}

// executable prefers the running program to the file of its name, which may
// have been replaced.
func executable() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// attend passes on signals and waits for the engine's end, or its leaving.
func (f *Front) attend() (code int) {
	for said := f.said; ; {
		select {
		case s := <-f.signals:
			f.pass(s)
		case word, ok := <-said:
			switch {
			case !ok:
				said = nil // its process ends, or has closed the link: Wait tells
			case word == left:
				tell(f.link, bye)
				return 0
			case word == released:
				f.pause()
			}
		case state := <-f.ended:
			return f.over(state)
		}
	}
}

// pass passes a signal on. The shell sends SIGCONT to the engine too.
func (f *Front) pass(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok && n != syscall.SIGCONT {
		tell(f.link, passing+strconv.Itoa(int(n)))
	}
}

// pause stops this process, and with it the shell's job, until the job is in the
// foreground again. The engine goes on meanwhile. Who sends the job to the
// background finds it stopped again, as one that wants the terminal. SIGSTOP is
// what stops: Go does not give the default of a signal back once it was caught.
func (f *Front) pause() {
	f.drawn = false
	for !f.asked() {
		if syscall.Kill(os.Getpid(), syscall.SIGSTOP) != nil || !f.continued() {
			return
		}
		if f.foreground() {
			f.drawn = true
			tell(f.link, resume)
			return
		}
	}
}

// asked passes on what has come, and reports whether it asks for the end, after
// which there is no way back to the screen. A SIGCONT from before a stop ends
// none, and what asks for a stop gets it.
func (f *Front) asked() bool {
	for {
		select {
		case s := <-f.signals:
			if s != syscall.SIGCONT && s != syscall.SIGTSTP {
				f.pass(s)
				return true
			}
		default:
			return false
		}
	}
}

// continued waits for SIGCONT. false: the end was asked for first, or came.
func (f *Front) continued() bool {
	for {
		select {
		case s := <-f.signals:
			switch s {
			case syscall.SIGCONT:
				return true
			case syscall.SIGTSTP: // it is stopped
			default:
				f.pass(s)
				return false
			}
		case state := <-f.ended:
			f.ended <- state // for attend
			return false
		}
	}
}

// foreground reports whether the terminal is this job's. One that is gone is:
// the engine has to see that.
func (f *Front) foreground() bool {
	group, err := unix.IoctlGetInt(int(f.terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// over ends the front after the engine's process. One that a signal ended has
// left the terminal as it was drawn on.
func (f *Front) over(state *os.ProcessState) (code int) {
	if state == nil {
		return 1
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return state.ExitCode()
	}
	if f.drawn {
		_ = term.Restore(int(f.terminal.Fd()), f.state)
		_, _ = f.terminal.WriteString(guardian.LeaveScreen)
	}
	fmt.Fprintf(f.errors, "rollcall: the engine's process %d was ended by a signal (%s); %s\n", f.engine.Pid, status.Signal(), f.bury())
	return 128 + int(status.Signal())
}
