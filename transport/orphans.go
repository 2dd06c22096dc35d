package transport

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"rollcall/transport/guardian"
)

// orphanage reaps what became a child of this process by the death of its
// parent. Only PID 1 has such children: in a container nobody else would reap
// them. It knows which children were started here, and leaves those to whoever
// waits for them. A nil one does nothing.
type orphanage struct {
	mu    sync.Mutex // held while a child is started, so that none is taken for an orphan
	own   map[int]struct{}
	news  chan os.Signal
	ended chan struct{}
}

// newOrphanage returns nil where this process is not PID 1.
func newOrphanage() *orphanage {
	if os.Getpid() != 1 {
		return nil
	}
	return &orphanage{own: map[int]struct{}{}, news: make(chan os.Signal, 1), ended: make(chan struct{})}
}

// run reaps until close.
func (o *orphanage) run() {
	defer close(o.ended)
	signal.Notify(o.news, syscall.SIGCHLD)
	for range o.news {
		o.reap()
	}
}

// reap takes each zombie that nobody here waits for.
func (o *orphanage) reap() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, pid := range guardian.Zombies(os.Getpid()) {
		if _, ours := o.own[pid]; !ours {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
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

// forget is called once a child was waited for: an orphan may get its PID.
func (o *orphanage) forget(pid int) {
	if o == nil {
		return
	}
	o.mu.Lock()
	delete(o.own, pid)
	o.mu.Unlock()
	o.reap()
}

// close ends run.
func (o *orphanage) close() {
	if o == nil {
		return
	}
	signal.Stop(o.news)
	close(o.news)
	<-o.ended
}
