package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"rollcall/transport/guardian"
)

// guard is this side of the guardian: it tells it which groups live, and
// starts another where it dies.
type guard struct {
	mark     string
	orphans  *orphanage
	stderr   *os.File // the program's, where what its runtime prints is diverted (R4); else nil
	terminal *os.File // that the dashboard draws on; or nil
	state    string   // of the terminal, before it was changed

	mu     sync.Mutex
	groups map[int]guardian.Group
	clock  bool     // tells when a process was started as /proc does
	pipe   *os.File // nil while none runs
	closed bool
	pause  time.Duration // restartPause; a test's may be longer
	done   chan struct{} // closed when it has exited for good
}

// restartPause keeps a guardian that cannot stay from being started in a loop, from
// the second time on.
const restartPause = time.Second

// guardianEnd is how long the end waits for the guardian's.
const guardianEnd = 2 * time.Second

// guardianVariable is in a guardian's environment. A host that finds it in its
// own would start guardians without end.
const guardianVariable = "ROLLCALL_GUARDIAN"

// oneThread is for a guardian's environment: it is woken often to do little, and
// threads that wake each other for that cost more than it.
const oneThread = "GOMAXPROCS=1"

func startGuard(mark string, orphans *orphanage, stderr, terminal *os.File) (*guard, error) {
	if os.Getenv(guardianVariable) != "" {
		return nil, errors.New("start the guardian: this program does not hand over to guardian.Main first")
	}
	g := &guard{mark: mark, orphans: orphans, stderr: stderr, terminal: terminal, state: guardian.State(terminal), groups: map[int]guardian.Group{}, pause: restartPause, done: make(chan struct{})}
	proc, err := g.start()
	if err != nil {
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	go g.keep(proc)
	return g, nil
}

// start starts a guardian and tells it all groups. The caller holds no lock.
func (g *guard) start() (*os.Process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	crash, toCrash := null, (*os.File)(nil)
	if g.stderr != nil {
		if crash, toCrash, err = crashPipe(); err != nil {
			return nil, err
		}
		defer crash.Close()
		defer toCrash.Close()
	}
	proc, born, err := g.orphans.start(func() (*os.Process, error) {
		return os.StartProcess(executable(exe), []string{"rollcall", guardian.Arg, g.mark}, &os.ProcAttr{
			Dir: "/", Env: []string{guardianVariable + "=1", guardian.StateVariable + "=" + g.state, guardian.NoMark, oneThread},
			Files: []*os.File{null, or(g.terminal, null), or(g.stderr, null), r, crash},
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
	})
	if err != nil {
		w.Close()
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clock = born.Tells(proc.Pid) // asked of a guardian, since it was just started
	g.pipe = w
	if g.stderr != nil && !g.closed {
		divert(toCrash)
	}
	for pgid, group := range g.groups {
		g.tell(guardian.AddLine(pgid, group))
	}
	if g.closed {
		g.hangUp()
	}
	return proc, nil
}

// or is f, or instead where there is none.
func or(f, instead *os.File) *os.File {
	if f == nil {
		return instead
	}
	return f
}

// executable prefers the running program to the file of its name, which may
// have been replaced.
func executable(exe string) string {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self
	}
	return exe
}

// keep waits for the guardian, and starts another until the guard is closed.
func (g *guard) keep(proc *os.Process) {
	defer close(g.done)
	for again := false; ; {
		began := time.Now()
		if proc != nil {
			_, _ = proc.Wait()
			g.orphans.forget(proc.Pid)
		}
		g.mu.Lock()
		closed, pause := g.closed, g.pause
		g.hangUp()
		g.mu.Unlock()
		if closed {
			return
		}
		// Nobody guards meanwhile, so one that was killed early is replaced at once;
		// one whose successor does not stay either is not.
		early := time.Since(began) < pause
		if early && again {
			<-time.After(pause)
		}
		again = early
		proc, _ = g.start() // nil where it failed: tried again
	}
}

// add tells the guardian of a new group, whose leader is not reaped yet.
func (g *guard) add(pgid int, group guardian.Group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.clock {
		group.Leader = guardian.Exactly(pgid)
	}
	g.groups[pgid] = group
	g.tell(guardian.AddLine(pgid, group))
}

// remove tells it that a group is gone.
func (g *guard) remove(pgid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	g.tell(guardian.RemoveLine(pgid))
}

// tell writes one line; a failed write means that the guardian died, and its
// successor is told all groups anew.
func (g *guard) tell(line string) {
	if g.pipe != nil {
		_, _ = io.WriteString(g.pipe, line)
	}
}

// left tells the guardian that the terminal was left, and what file stderr is
// now. The program's own stderr, and its stdout, are changed by then: a
// guardian that is started later gets those.
func (g *guard) left(stderr string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe != nil {
		_, _ = io.WriteString(g.pipe, string(guardian.Left)+stderr+"\n")
	}
}

func (g *guard) hangUp() {
	if g.pipe != nil {
		_ = g.pipe.Close()
		g.pipe = nil
	}
}

// close ends the guardian and waits until it has gone.
func (g *guard) close() {
	g.mu.Lock()
	g.closed = true
	if g.stderr != nil {
		divert(g.stderr)
	}
	if g.pipe != nil {
		_, _ = io.WriteString(g.pipe, guardian.Bye+"\n")
	}
	g.hangUp()
	g.mu.Unlock()
	select {
	case <-g.done:
	case <-time.After(guardianEnd): // stopped, or out of reach: it holds up no end (X2)
	}
}
