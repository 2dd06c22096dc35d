package transport

import (
	"slices"
	"sync"
	"time"

	"rollcall/transport/guardian"
)

// procTable is the host's picture of the process table, shared by all runs
// that are being reaped: a thousand of them that look at once cost one scan.
type procTable struct {
	mu    sync.Mutex
	began time.Time // of the last scan
	last  picture
	marks guardian.Marks

	orphans *orphanage

	laterMu sync.Mutex
	later   []*process // to be learned from, all at once
}

// picture is what one scan saw.
type picture struct {
	procs []guardian.Proc
	whole bool  // nothing was born meanwhile, so that nothing was missed
	err   error // it could not look
}

// seesProcesses: each process of a launch can be told from the others.
const seesProcesses = true

func newProcTable(o *orphanage) *procTable { return &procTable{marks: guardian.Marks{}, orphans: o} }

// scan returns a picture of the process table that was begun after the call.
func (t *procTable) scan() picture {
	asked := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.began.After(asked) {
		t.began = time.Now()
		newest := guardian.Newest()
		procs, err := guardian.Scan(t.marks)
		t.last = picture{procs, err == nil && newest > 0 && newest == guardian.Newest(), err}
	}
	return t.last
}

// launched returns the PIDs of the launch, in its group or by its mark,
// zombies not counted. Where it cannot look it takes the group's number for
// one: what was not seen may be there. sure says that it saw all there was: where
// that was nothing, there will be nothing.
func (t *procTable) launched(p *process) (pids []int, sure bool) {
	seen := t.scan()
	if seen.err != nil {
		return []int{-p.pid}, false
	}
	for _, q := range seen.procs {
		if q.Group == p.pid || t.strayed(p, q) {
			pids = append(pids, q.PID)
		}
	}
	return pids, seen.whole
}

// strays returns those that have left the launch's group.
func (t *procTable) strays(p *process) []int {
	var pids []int
	for _, q := range t.scan().procs {
		if q.Group != p.pid && t.strayed(p, q) {
			pids = append(pids, q.PID)
		}
	}
	return pids
}

// strayed reports whether a process belongs to the launch, whatever its group: it
// bears the mark, or has none and was seen to descend from the launch, or is an
// orphan that holds a pipe of the launch's. That is noted.
func (t *procTable) strayed(p *process, q guardian.Proc) bool {
	switch {
	case q.Mark != "":
		return q.Mark == p.mark
	case p.kin.Has(q):
	case t.orphans.has(q) && guardian.HoldsPipe(q.PID, func(name string) bool { return slices.Contains(p.outputs, name) }):
	default:
		return false
	}
	t.mu.Lock()
	t.marks.Adopt(q, p.mark)
	t.mu.Unlock()
	return true
}

// learn notes who descends from the launch while its leader lives: what has
// neither the launch's group nor its mark is known by that alone.
func (t *procTable) learn(p *process) {
	if p.hasExited() || p.kin.Learn(p.pid) {
		return // what it had is nobody's by now, or is known
	}
	t.scan() // it remembers whose child each is
}

// learnLater is learn within a time.
func (t *procTable) learnLater(p *process, within time.Duration) {
	t.laterMu.Lock()
	defer t.laterMu.Unlock()
	if t.later = append(t.later, p); len(t.later) == 1 {
		time.AfterFunc(within, t.learnAll)
	}
}

// learnAll learns from all that wait.
func (t *procTable) learnAll() {
	t.laterMu.Lock()
	all := t.later
	t.later = nil
	t.laterMu.Unlock()
	for _, p := range all {
		t.learn(p)
	}
}
