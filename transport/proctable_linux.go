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
	marks guardian.Marks
}

func newProcTable() *procTable { return &procTable{marks: guardian.Marks{}} }

// scan returns a picture of the process table that was begun after the call.
func (t *procTable) scan() []guardian.Proc {
	asked := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.began.After(asked) {
		t.began = time.Now()
		t.procs = guardian.Scan(t.marks)
	}
	return t.procs
}

// launched returns the PIDs of the launch, in its group or by its mark,
// zombies not counted.
func (t *procTable) launched(p *process) []int {
	var pids []int
	for _, q := range t.scan() {
		if q.Group == p.pid || q.Mark == p.mark {
			pids = append(pids, q.PID)
		}
	}
	return pids
}

// strays returns those that have left the launch's group.
func (t *procTable) strays(p *process) []int {
	var pids []int
	for _, q := range t.scan() {
		if q.Group != p.pid && q.Mark == p.mark {
			pids = append(pids, q.PID)
		}
	}
	return pids
}
