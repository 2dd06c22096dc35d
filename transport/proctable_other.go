//go:build !linux

package transport

import (
	"syscall"
	"time"
)

// procTable asks the kernel about groups; marks cannot be read here.
type procTable struct{}

// seesProcesses: a launch is known by its group alone.
const seesProcesses = false

func newProcTable(*orphanage) *procTable { return &procTable{} }

// launched returns the group's number while it has members. It is sure: the
// kernel says so of the whole group.
func (*procTable) launched(p *process) (pids []int, sure bool) {
	if syscall.Kill(-p.pid, 0) != nil {
		return nil, true
	}
	return []int{-p.pid}, true
}

func (*procTable) strays(*process) []int { return nil }

func (*procTable) learn(*process) {}

func (*procTable) learnLater(*process, time.Duration) {}
