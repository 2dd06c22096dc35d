package ui

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// jobs is what the shell's job control does to the dashboard. A stop from
// outside must give the terminal back first, as ctrl-z does; and after a stop
// that nobody can catch (SIGSTOP) the terminal must be taken from the shell
// again.
type jobs struct{ signals chan os.Signal }

func newJobs() jobs { return jobs{make(chan os.Signal, 4)} }

func (j jobs) watch()  { signal.Notify(j.signals, syscall.SIGTSTP, syscall.SIGCONT) }
func (j jobs) ignore() { signal.Stop(j.signals) }

// jobMsg says that SIGTSTP or SIGCONT came.
type jobMsg struct{ signal os.Signal }

// takeJob suspends, or takes the terminal back.
func (a *app) takeJob(m jobMsg) tea.Cmd {
	if m.signal == syscall.SIGTSTP {
		return a.suspend()
	}
	switch {
	case a.now().Sub(a.backAt) < contLag:
		return nil
	case !a.gate.open() && a.opts.Suspend != nil: // an engine goes on: see retake
		return nil
	case !a.gate.open():
		return a.stopAgain
	}
	a.gate.reopened()
	return away(pause{})
}

// retake takes back a terminal that was another job's for a while. A shell says
// nothing to a job that runs already as it puts it into the foreground, so this
// is looked for each second.
func (a *app) retake() tea.Cmd {
	if !a.gate.reopened() {
		return nil
	}
	a.backAt = a.now() // a SIGCONT may come with it
	return away(pause{})
}

// stopAgain stops a job that was continued in the background, as one that wants
// the terminal: what it read there would stop it too, but maybe only after the
// shell has called it back.
func (a *app) stopAgain() tea.Msg {
	if !a.gate.open() {
		_ = syscall.Kill(0, syscall.SIGSTOP) // its own group: nothing forbids it
	}
	return nil
}

// contLag is how long after a return to the terminal a SIGCONT is still the one
// that came with it. Taking the terminal twice in a row is a race in Bubble Tea.
const contLag = time.Second

// suspend gives the terminal back to the shell and stops. Where there is no
// shell, as in a tmux window of its own, nobody could wake what was stopped.
func (a *app) suspend() tea.Cmd {
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		a.said, a.stale = "no shell waits in this terminal, nothing was suspended", true
		return nil
	}
	if hand := a.opts.Suspend; hand != nil {
		return away(pause{func() {
			a.jobs.ignore()
			defer a.jobs.watch()
			hand()
			a.backAt = a.now()
		}})
	}
	return away(pause{a.jobs.stop})
}

// stop stops the whole job, as the terminal's own ctrl-z would, and returns
// when it goes on. It is SIGSTOP that stops: once Go has caught SIGTSTP, it
// does not give the default back, and Bubble Tea's own suspension hangs.
func (j jobs) stop() {
	j.ignore()
	defer j.watch()
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	if syscall.Kill(0, syscall.SIGSTOP) == nil {
		<-on
	}
}

// away has Bubble Tea give the terminal back, pause, and take it again with all
// its modes; the screen is then drawn whole.
func away(p pause) tea.Cmd {
	return tea.Exec(p, func(error) tea.Msg { return tea.ClearScreen() })
}

// pause is what is done meanwhile, nil for nothing. It has Bubble Tea's shape
// of a command.
type pause struct{ do func() }

// Run does it.
func (p pause) Run() error {
	if p.do != nil {
		p.do()
	}
	return nil
}

// SetStdin is not needed: the shell has the terminal.
func (pause) SetStdin(io.Reader) {}

// SetStdout likewise.
func (pause) SetStdout(io.Writer) {}

// SetStderr likewise.
func (pause) SetStderr(io.Writer) {}
