package transport

import (
	"os"
	"os/signal"
	"slices"
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
// here, and what was there before: whoever starts a program by exec has left it
// some. A zombie that some other part of the program started is waited for at
// once, and what of that lives bears a mark (Environ).
type orphanage struct {
	init   bool       // this process is PID 1: not all of them come from its launches
	mu     sync.Mutex // held while a child is started, so that none is taken for an orphan
	own    map[int]struct{}
	before guardian.Kin   // what was there before
	left   map[int]uint64 // zombies at the last look, and when they started
	looked time.Time      // when none looked last, and
	nobody bool           // what it saw
	news   chan os.Signal
	quit   chan struct{}
	ended  chan struct{}
}

// linger is how long a zombie is left to whoever may wait for it.
const linger = 2 * time.Second

// newOrphanage returns nil where this process gets no such children.
func newOrphanage(adopts bool) *orphanage {
	first := os.Getpid() == 1
	if !first && !(adopts && adopt()) {
		return nil
	}
	o := &orphanage{init: first, own: map[int]struct{}{}, news: make(chan os.Signal, 1), quit: make(chan struct{}), ended: make(chan struct{})}
	if !o.before.Learn(os.Getpid()) {
		procs, _ := guardian.Scan(guardian.Marks{})
		o.before.LearnFrom(procs, os.Getpid())
	}
	return o
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
// may come from a launch: no mark says whose it is.
func (o *orphanage) has(p guardian.Proc) bool {
	if o == nil || p.Mark != "" || p.Parent != os.Getpid() {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, own := o.own[p.PID]; own || o.before.Has(p) {
		return false
	}
	syscall.ForkLock.RLock() // whoever starts a program here holds it until exec
	defer syscall.ForkLock.RUnlock()
	return guardian.Nameless(p)
}

// none reports whether this process has no child that it got: then nothing is
// left of a launch whose leader has exited. What a leader leaves behind is this
// process's child by the time that its exit can be seen, and what that leaves
// behind in turn, until somebody waits for it. false may mean that it cannot be
// told.
func (o *orphanage) none() bool {
	if o == nil {
		return false
	}
	asked := time.Now()
	o.mu.Lock() // nobody is started, and no orphan waited for, meanwhile
	defer o.mu.Unlock()
	if !o.looked.After(asked) { // a thousand that ask at once cost one look
		o.looked = time.Now()
		pids, err := guardian.Adopted()
		o.nobody = err == nil && !slices.ContainsFunc(pids, func(pid int) bool {
			_, own := o.own[pid]
			return !own && !o.before.HasPID(pid)
		})
	}
	return o.nobody
}

// start starts a child by f and notes that it was started here.
func (o *orphanage) start(f func() (*os.Process, error)) (p *os.Process, born guardian.Born, err error) {
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
	}
	born, err = guardian.Bearing(func() (err error) {
		p, err = f()
		return err
	})
	if err == nil && o != nil {
		o.own[p.Pid] = struct{}{}
	}
	return p, born, err
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
// was: its environment was empty, its group its own, its parent gone. While
// servers run it is let live, since it may serve one of them; once all are
// reaped nobody needs it (T1). What it leaves behind in turn goes too. Where this
// process had children before its host, it may come from those, and stays.
func (o *orphanage) killAll() {
	if o == nil || o.init || !o.before.Empty() {
		return // the kernel ends all that is left of an init
	}
	marks, seen, killed := guardian.Marks{}, map[int]bool{}, map[int]bool{}
	for range killTries {
		procs, err := guardian.Scan(marks)
		now := map[int]bool{}
		for _, p := range procs {
			if !o.has(p) {
				continue
			}
			now[p.PID] = true
			if seen[p.PID] { // one within exec shows no mark for a moment
				_ = syscall.Kill(p.PID, syscall.SIGKILL)
				killed[p.PID] = true
			}
		}
		seen = now
		for pid := range killed {
			if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); got == pid || err != nil {
				delete(killed, pid)
			}
		}
		if err == nil && len(seen) == 0 && len(killed) == 0 {
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
