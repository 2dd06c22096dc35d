package transport

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"rollcall/model"
	"rollcall/redact"
	"rollcall/transport/guardian"
)

// MarkVariable is in the environment of all that is launched. Its value is
// unique to the launch.
const MarkVariable = guardian.Variable

// Environ is this program's environment for what it starts that is no launch,
// such as an alert's program: a mark in it says so. Without that it would be taken
// for something that a launch has left behind, and be killed (T1). A program that
// is a launch's itself passes its own mark on.
func Environ() []string {
	env := os.Environ()
	if os.Getenv(MarkVariable) == "" {
		env = append(env, MarkVariable+"="+guardian.AlertMark)
	}
	return env
}

// process is one launch: the leader of a process group, and its pipes.
type process struct {
	pid    int // of the leader, and of its group
	mark   string
	nth    uint64 // of the host's launches
	leader *os.Process
	born   guardian.Born // when the leader was started
	kin    guardian.Kin  // who was seen to descend from it
	port   port          // where it is dialled
	stdin  *os.File      // nil where nothing is sent to it
	sent   sentFirst

	stdout, stderr *os.File       // our ends
	outputs        []string       // what /proc calls them
	quiet          chan struct{}  // closed when stderr has ended
	last           lastWords      // the end of stderr; it may be read once that has ended
	drains         sync.WaitGroup // the goroutines that drain them

	exited chan struct{} // closed when the leader has exited; it is not reaped yet
}

// hasExited reports whether the leader has exited.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// launch starts the process that the spec wants, if any, and tells so. It
// returns nil where there is none, and where it failed: then the run is closed.
func (r *Run) launch() *process {
	if r.spec.Launch == nil || r.ctx.Err() != nil {
		return nil
	}
	path, missing := find(r.spec)
	if path == "" {
		r.close(time.Now(), model.End{Cause: model.CommandMissing, Text: missing.report()})
		return nil
	}
	p, err := r.startProcess(path)
	if err != nil {
		r.close(time.Now(), model.End{Cause: launchCause(err), Text: cannotStart(err, path, r.spec.Redactor)})
		return nil
	}
	r.holds(p)
	r.report(model.Launched{At: time.Now(), PID: p.pid})
	r.host.guard.add(p.pid, guardian.Group{Leader: p.born, Outputs: p.outputs})
	r.host.rivals.add(r.spec.Name, p)
	go r.host.guarded(func() { r.watch(p) })()
	p.drains.Go(r.host.guarded(func() {
		defer close(p.quiet)
		r.drain(p, p.stderr, model.LineStderr)
	}))
	return p
}

// launchCause tells a command that can never run from a host that is short of
// something just now.
func launchCause(err error) model.Cause {
	for _, e := range []error{syscall.ENOENT, syscall.ENOEXEC, syscall.EACCES} {
		if errors.Is(err, e) {
			return model.CommandMissing
		}
	}
	return model.TransportBroken
}

// startProcess starts path in a process group of its own.
func (r *Run) startProcess(path string) (*process, error) {
	l := r.spec.Launch
	p := &process{port: r.seePort(), quiet: make(chan struct{}), exited: make(chan struct{})}
	p.mark, p.nth = r.host.nextMark()
	argv := []string{l.Path}
	for _, a := range l.Args {
		argv = append(argv, a.Reveal())
	}
	env := []string{MarkVariable + "=" + p.mark}
	for _, v := range l.Env {
		if v.Name != MarkVariable {
			env = append(env, v.Name+"="+v.Value.Reveal())
		}
	}
	child, err := p.openPipes(r.spec.Transport == model.Stdio)
	defer closeAll(child)
	if err != nil {
		return nil, err
	}
	p.leader, p.born, err = r.host.orphans.start(func() (*os.Process, error) {
		return os.StartProcess(path, argv, &os.ProcAttr{
			Dir: l.Dir, Env: env, Files: child, Sys: &syscall.SysProcAttr{Setpgid: true},
		})
	})
	if err != nil {
		closeAll([]*os.File{p.stdin, p.stdout, p.stderr})
		return nil, err
	}
	p.pid = p.leader.Pid
	r.host.giveCore(p.pid)
	return p, nil
}

// openPipes makes the three pipes and returns the child's ends, to be closed
// once it runs. Without talk its stdin is the null device.
func (p *process) openPipes(talk bool) (child []*os.File, err error) {
	child = make([]*os.File, 3)
	if talk {
		child[0], p.stdin, err = os.Pipe()
	} else {
		child[0], err = os.Open(os.DevNull)
	}
	if err == nil {
		p.stdout, child[1], err = os.Pipe()
	}
	if err == nil {
		p.stderr, child[2], err = os.Pipe()
	}
	if err != nil {
		closeAll([]*os.File{p.stdin, p.stdout, p.stderr})
		return child, err
	}
	p.outputs = []string{guardian.PipeName(p.stdout), guardian.PipeName(p.stderr)}
	return child, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// drain reads f, an output of p's, to its end, whatever its volume, and hands over
// its lines.
func (r *Run) drain(p *process, f *os.File, kind model.LineKind) {
	emit := r.line(kind)
	if kind == model.LineStderr {
		emit = p.last.keep(emit)
	}
	lines := redact.NewLines(r.spec.Redactor, emit)
	copyAll(inTurn{lines, r.host.turns}, f, p.exited)
	lines.Flush()
}

// watch waits for the leader's exit and closes the run with it.
func (r *Run) watch(p *process) {
	end := r.awaitExit(p)
	at := time.Now()
	if p.unheard() || cannotRun(end) {
		r.setDiscovery(discoveryUnread)
	}
	if r.ctx.Err() == nil && end.Signal.String() == "killed" {
		end.OutOfMemory = r.host.outOfMemory(p)
	}
	close(p.exited)
	if cannotRun(end) {
		end.Text = r.lacks(p, end.ExitCode.V)
	}
	r.close(at, end)
}

// exitEnd is an End for an exit, or a signal that was not ours.
func exitEnd(signalled bool, status int) model.End {
	if signalled {
		return model.End{Cause: model.Signalled, Signal: (*redact.Redactor)(nil).Text(syscall.Signal(status).String())}
	}
	return model.End{Cause: model.Exited, ExitCode: model.Some(status)}
}

// closeOrExit closes the run with end, seen at at. Where that is a cut without
// a reason it waits a little: if the process exits meanwhile, watch has closed
// the run with that.
func (r *Run) closeOrExit(p *process, at time.Time, end model.End) {
	cut := end.Cause == model.ClosedByPeer || end.Cause == model.TransportBroken
	if p != nil && cut && !end.CloseCode.Ok {
		select {
		case <-time.After(r.host.waits.exit):
		case <-r.ctx.Done():
		}
	}
	r.close(at, end)
}
