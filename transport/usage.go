package transport

import (
	"errors"
	"time"

	"rollcall/model"
)

// The errors of Usage, for a person to read.
var (
	errNoProcess    = errors.New("no process of its own: nothing was launched, or it is gone")
	errUsageUnknown = errors.New("the process table cannot be read now")
)

// Usage samples what the processes of the run's launch use: its group, and what
// left it. It reads the process table, which takes some milliseconds, and may be
// called from any goroutine at any time. An error says why there is nothing to
// tell: a server that was only dialled has no process here.
func (r *Run) Usage() (model.Usage, error) {
	r.mu.Lock()
	p := r.process
	r.mu.Unlock()
	if p == nil {
		return model.Usage{}, errNoProcess
	}
	return r.host.procs.usage(p, time.Now())
}
