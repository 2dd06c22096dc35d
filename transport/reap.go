package transport

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"rollcall/model"
)

const (
	maxStopGrace = 60 * time.Second       // H2
	afterKill    = 2 * time.Second        // what is still there then is unreapable (H2)
	stderrGrace  = 250 * time.Millisecond // how long Reaped waits for stderr's end (L5)
	pollFirst    = 5 * time.Millisecond   // how often a group without its leader is looked at,
	pollLast     = 200 * time.Millisecond // at first and later, where nothing of it exits meanwhile
	maxWatched   = 32                     // how many of a group are waited for at once
	watchLast    = 5 * time.Second        // how often survivors are looked at, later
)

// reap waits until nothing of the run is left, with H2's force, and tells so.
// talked returns once the conversation has hung up. The process's stdin was
// closed when the run was.
func (r *Run) reap(p *process, talked func()) {
	if p == nil {
		talked()
		r.dial.Report(model.Reaped{At: time.Now()})
		return
	}
	left := r.force(p)
	if len(left) == 0 {
		r.finish(p, talked)
		r.dial.Report(model.Reaped{At: time.Now()})
		return
	}
	r.dial.Report(model.Reaped{At: time.Now(), Survivors: left})
	for wait := pollLast; len(left) > 0; wait = min(2*wait, watchLast) {
		<-time.After(wait)
		r.host.signalAll(p, syscall.SIGKILL)
		left = r.reapIfAlone(p)
	}
	r.finish(p, talked)
	r.dial.Report(model.Gone{At: time.Now()})
}

// force is H2: SIGTERM at half of the grace, SIGKILL at its end or at Kill,
// and 2 s later it gives up and returns what is left, as reapIfAlone has it. It
// returns nil as soon as nothing is. Each stage is told, but for a launch that
// ended of itself and left nothing.
//
// Of its channels one that is nil is not waited for: exited and killed once they
// were heard, since a closed one would be heard for ever, and look until the
// leader has exited, since nothing can be over before.
func (r *Run) force(p *process) []int {
	grace := min(r.spec.Timings.StopGrace.D, maxStopGrace)
	began := time.Now()
	term := time.NewTimer(grace / 2)
	killAt := time.NewTimer(grace)
	giveUp := time.NewTimer(grace + afterKill)
	defer stopAll(term, killAt, giveUp)

	exited, killed, poll := p.exited, r.killed.Done(), pollFirst
	tell := r.stages()
	var look <-chan struct{} // when to look at what is left
	for {
		select {
		case <-exited:
			exited, look = nil, p.exited // closed by now: at once
		case <-look:
			left := r.reapIfAlone(p)
			if len(left) == 0 {
				return nil
			}
			tell(model.Closing)
			poll = min(2*poll, pollLast)
			look = allGone(left, poll)
		case <-term.C:
			r.host.signalAll(p, syscall.SIGTERM)
			tell(model.TermSent)
			poll = pollFirst
		case <-killed:
			killed = nil
			term.Stop()
			killAt.Reset(0)
			giveUp.Reset(min(afterKill, grace+afterKill-time.Since(began)))
		case <-killAt.C:
			r.host.signalAll(p, syscall.SIGKILL)
			tell(model.KillSent)
			poll = pollFirst
		case <-giveUp.C:
			return r.reapIfAlone(p)
		}
	}
}

// allGone returns a channel that is closed once each of some processes has
// exited, or after a while: they may have left others behind, or not be all.
func allGone(pids []int, within time.Duration) <-chan struct{} {
	done, until := make(chan struct{}), time.Now().Add(within)
	go func() {
		defer close(done)
		var all sync.WaitGroup
		for _, pid := range pids[:min(len(pids), maxWatched)] {
			all.Go(func() { awaitGone(pid, until) })
		}
		all.Wait()
	}()
	return done
}

// stages tells how far the stop has come: each stage once, and none that a later
// one has overtaken. Its function is called from one goroutine, after the close.
func (r *Run) stages() (tell func(model.StopStage)) {
	next := model.Closing
	if r.closing {
		next = model.TermSent
	}
	return func(s model.StopStage) {
		if s >= next {
			next = s + 1
			r.dial.Report(model.Staged{At: time.Now(), Stage: s})
		}
	}
}

func stopAll(timers ...*time.Timer) {
	for _, t := range timers {
		t.Stop()
	}
}

// reapIfAlone returns the PIDs that are left of the launch, zombies not counted,
// and reaps the leader once none is: until then its zombie keeps the group's
// number from being given anew. One below 0 is that number: it stands for what may
// be in the group and could not be seen.
func (r *Run) reapIfAlone(p *process) (left []int) {
	if r.reapUnseen(p) {
		return nil
	}
	left, sure := r.others(p)
	switch {
	case !p.hasExited():
		return append([]int{p.pid}, left...)
	case len(left) > 0 || p.leader == nil: // not alone, or reaped already
		return left
	}
	r.reapLeader(p)
	if !sure { // whoever was born during the look may have been missed
		left, _ = r.others(p)
	}
	return left
}

// reapUnseen reports whether nothing is left of the launch, as far as that can be
// told without a look at the process table: it costs a restart of a small server
// more than all else. What a leader that has exited leaves behind would be a child
// that this program got. If there is none the leader is reaped.
func (r *Run) reapUnseen(p *process) (gone bool) {
	if !p.hasExited() || !r.host.orphans.none() {
		return false
	}
	r.reapLeader(p)
	// Whoever is in the group now came from another launch, which lives.
	return syscall.Kill(-p.pid, 0) != nil
}

// others returns what lives of the launch beside its leader. sure says that the
// look missed nobody: where it found nobody, there will be nobody.
func (r *Run) others(p *process) (pids []int, sure bool) {
	pids, sure = r.host.procs.launched(p)
	return slices.DeleteFunc(pids, func(pid int) bool { return pid == p.pid }), sure
}

// reapLeader reaps a leader that has exited, once.
func (r *Run) reapLeader(p *process) {
	if p.leader == nil {
		return
	}
	_, _ = p.leader.Wait()
	p.leader = nil
	r.host.orphans.forget(p.pid)
}

// finish ends the drains, once stderr has ended or had its time (L5), and
// forgets the launch.
func (r *Run) finish(p *process, talked func()) {
	r.host.guard.remove(p.pid)
	r.host.rivals.remove(p)
	r.holds(nil)
	wait := time.NewTimer(time.Until(r.closedAt.Add(stderrGrace)))
	defer wait.Stop()
	select {
	case <-p.quiet:
	case <-wait.C:
	}
	// A process that left the group and hides its mark may hold the pipes.
	closeAll([]*os.File{p.stdout, p.stderr})
	p.drains.Wait()
	talked()
}

// signaller sends one signal; a PID below 0 means a group. It is a field of
// Host so that a test can have processes that survive.
type signaller func(pid int, sig syscall.Signal)

func sendSignal(pid int, sig syscall.Signal) { _ = syscall.Kill(pid, sig) }

// signalAll signals the group and what has left it but bears the mark. Once
// the leader is reaped the group's number may be given anew: then only what is
// seen is signalled.
func (h *Host) signalAll(p *process, sig syscall.Signal) {
	if p.leader == nil {
		pids, _ := h.procs.launched(p)
		for _, pid := range pids {
			if pid > 0 || !seesProcesses { // below 0: it could not look
				h.signal(pid, sig)
			}
		}
		return
	}
	strays := h.procs.strays(p) // before their parents go, by which some are known
	h.signal(-p.pid, sig)
	for _, pid := range strays {
		h.signal(pid, sig)
	}
}
