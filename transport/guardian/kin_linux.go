package guardian

import (
	"os"
	"strconv"
	"sync"
)

// Kin are the processes that were seen to descend from one, whatever became of
// those between them. The zero value has none. It may be used from any goroutine.
type Kin struct {
	mu   sync.Mutex
	seen map[ident]struct{}
}

// Learn adds all that descend from a process now, but for zombies. It costs a
// small part of a Scan. false means that it may have missed one: the kernel keeps
// no such lists, or one changed while it was read.
func (k *Kin) Learn(pid int) (all bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.learn(pid, maxAncestors)
}

func (k *Kin) learn(parent, depth int) (all bool) {
	pids, err := childrenOf(strconv.Itoa(parent))
	if err != nil || depth == 0 {
		return false
	}
	all = true
	for _, pid := range pids {
		s, err := readStat(pid)
		switch {
		case err != nil || s.parent != parent: // it has gone, and may have left some behind
			all = false
		case s.state != 'Z':
			k.add(ident{pid, s.start})
			all = k.learn(pid, depth-1) && all
		}
	}
	return all
}

func (k *Kin) add(id ident) {
	if k.seen == nil {
		k.seen = map[ident]struct{}{}
	}
	k.seen[id] = struct{}{}
}

// LearnFrom is Learn from what a Scan saw.
func (k *Kin) LearnFrom(procs []Proc, pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := map[int]bool{pid: true}
	for more := true; more; {
		more = false
		for _, p := range procs {
			if found[p.Parent] && !found[p.PID] {
				found[p.PID], more = true, true
				k.add(ident{p.PID, p.start})
			}
		}
	}
}

// Empty reports whether there are none.
func (k *Kin) Empty() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.seen) == 0
}

// Has reports whether a process is one of them.
func (k *Kin) Has(p Proc) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.seen[ident{p.PID, p.start}]
	return ok
}

// HasPID reports whether the process that has a PID now is one of them.
func (k *Kin) HasPID(pid int) bool { return !k.Empty() && k.Has(Proc{PID: pid, start: startTime(pid)}) }

// Nameless reports whether a process is a living child of this one now, runs a
// program of its own, and has no mark in its environment. Between fork and exec a
// child looks as this process does: the caller holds syscall.ForkLock.
func Nameless(p Proc) bool {
	s, err := readStat(p.PID)
	if err != nil || s.start != p.start || s.parent != os.Getpid() || s.state == 'Z' || s.state == 'X' {
		return false
	}
	// Within exec it has neither arguments nor environment, and is given them in
	// this order; its parent's files are closed by then.
	var args [1]byte
	if b, err := readSmall("/proc/"+strconv.Itoa(p.PID)+"/cmdline", args[:]); err != nil || len(b) == 0 {
		return false
	}
	var environ []byte
	mark, _, err := readMark(p.PID, &environ)
	return mark == "" && !blind(err)
}
