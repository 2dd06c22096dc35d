package transport

import (
	"sync"
	"time"

	"rollcall/transport/guardian"
)

// procTable is the host's picture of the process table, shared by all runs
// that are being reaped: a thousand of them that look at once cost one scan.
type procTable struct {
	mu    sync.Mutex
	began time.Time // of the last scan
	procs []guardian.Proc
	err   error // of the last scan: it could not look
	marks guardian.Marks
}

// seesProcesses: each process of a launch can be told from the others.
const seesProcesses = true

func newProcTable() *procTable { return &procTable{marks: guardian.Marks{}} }

// scan returns a picture of the process table that was begun after the call.
func (t *procTable) scan() ([]guardian.Proc, error) {
	asked := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.began.After(asked) {
		t.began = time.Now()
		t.procs, t.err = guardian.Scan(t.marks)
	}
	return t.procs, t.err
}

// launched returns the PIDs of the launch, in its group or by its mark,
// zombies not counted. Where it cannot look it takes the group's number for
// one: what was not seen may be there.
func (t *procTable) launched(p *process) []int {
	procs, err := t.scan()
	if err != nil {
		return []int{-p.pid}
	}
	var pids []int
	for _, q := range procs {
		if q.Group == p.pid || q.Mark == p.mark {
			pids = append(pids, q.PID)
		}
	}
	return pids
}

// strays returns those that have left the launch's group.
func (t *procTable) strays(p *process) []int {
	var pids []int
	procs, _ := t.scan()
	for _, q := range procs {
		if q.Group != p.pid && q.Mark == p.mark {
			pids = append(pids, q.PID)
		}
	}
	return pids
}
