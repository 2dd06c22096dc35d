package transport

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"rollcall/transport/guardian"
)

// orphanage looks after the children that this process got by the death of
// their parent: it reaps them, since nobody else would, and at the end it kills
// those that live. PID 1 has such children, as in a container, and so has a
// program that asked for them (adopt). A nil one does nothing.
//
// The kernel does not say which children were got. Those of the host are noted
// here; a zombie that some other part of the program started is waited for at
// once, and what of that lives is in this process's session.
type orphanage struct {
	init    bool       // this process is PID 1: not all of them come from its launches
	mu      sync.Mutex // held while a child is started, so that none is taken for an orphan
	own     map[int]struct{}
	session int            // this process's
	left    map[int]uint64 // zombies at the last look, and when they started
	news    chan os.Signal
	quit    chan struct{}
	ended   chan struct{}
}

// linger is how long a zombie is left to whoever may wait for it.
const linger = 2 * time.Second

// newOrphanage returns nil where this process gets no such children.
func newOrphanage(adopts bool) *orphanage {
	first := os.Getpid() == 1
	if !first && !(adopts && adopt()) {
		return nil
	}
	return &orphanage{init: first, session: guardian.Session(), own: map[int]struct{}{}, news: make(chan os.Signal, 1), quit: make(chan struct{}), ended: make(chan struct{})}
}

// run reaps until close.
func (o *orphanage) run() {
	defer close(o.ended)
	signal.Notify(o.news, syscall.SIGCHLD)
	defer signal.Stop(o.news)
	for {
		select {
		case <-o.news:
		case <-o.quit:
			return
		}
		for more := true; more; {
			select {
			case <-time.After(linger):
			case <-o.quit:
				return
			}
			more = o.reap()
		}
	}
}

// reap takes each zombie that was one at the last look too, and reports whether
// it saw others.
func (o *orphanage) reap() (more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := guardian.Zombies(os.Getpid())
	for pid, start := range now {
		_, own := o.own[pid]
		switch {
		case own:
			delete(now, pid)
		case o.left[pid] == start:
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			delete(now, pid)
		}
	}
	o.left = now
	return len(now) > 0
}

// has reports whether a living process is a child of this one that was got, and
// has left its session: what has not is known by its group.
func (o *orphanage) has(p guardian.Proc) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, own := o.own[p.PID]
	return !own && p.Parent == os.Getpid() && p.Session != o.session
}

// start starts a child by f and notes that it was started here.
func (o *orphanage) start(f func() (*os.Process, error)) (*os.Process, error) {
	if o == nil {
		return f()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	p, err := f()
	if err == nil {
		o.own[p.Pid] = struct{}{}
	}
	return p, err
}

// forget is called once a child was waited for: an orphan may get its PID, and
// may have been taken for it.
func (o *orphanage) forget(pid int) {
	if o == nil {
		return
	}
	o.mu.Lock()
	delete(o.own, pid)
	o.mu.Unlock()
	select {
	case o.news <- syscall.SIGCHLD:
	default:
	}
}

const (
	killTries = 100
	killPause = 5 * time.Millisecond
)

// killAll ends what launches have left behind and nobody could tell whose it
// was: its environment was empty, its session its own, its parent gone. While
// servers run it is let live, since it may serve one of them; once all are
// reaped nobody needs it (T1). What it leaves behind in turn goes too.
func (o *orphanage) killAll() {
	if o == nil || o.init {
		return // the kernel ends all that is left of an init
	}
	marks, killed := guardian.Marks{}, map[int]bool{}
	for range killTries {
		procs, err := guardian.Scan(marks)
		for _, p := range procs {
			if o.has(p) {
				_ = syscall.Kill(p.PID, syscall.SIGKILL)
				killed[p.PID] = true
			}
		}
		for pid := range killed {
			if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); got == pid || err != nil {
				delete(killed, pid)
			}
		}
		if err == nil && len(killed) == 0 {
			return
		}
		<-time.After(killPause)
	}
}

// close ends run.
func (o *orphanage) close() {
	if o == nil {
		return
	}
	close(o.quit)
	<-o.ended
}
