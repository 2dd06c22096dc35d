//go:build !linux

package transport

import (
	"os"
	"syscall"
	"time"

	"rollcall/model"
)

// unread cannot be told here.
func unread(*os.File) bool { return false }

// awaitExit waits for the leader and reaps it: here there is no portable way
// to leave it a zombie.
func (r *Run) awaitExit(p *process) model.End {
	state, err := p.leader.Wait()
	if err != nil {
		return model.End{Cause: model.CauseUnknown, Text: r.spec.Redactor.Error(err)}
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exitEnd(true, int(ws.Signal()))
	}
	return exitEnd(false, state.ExitCode())
}

// awaitGone waits until a time: here the exit of a process that is no child
// cannot be waited for.
func awaitGone(_ int, until time.Time) { <-time.After(time.Until(until)) }
