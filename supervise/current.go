package supervise

import (
	"context"

	"rollcall/model"
)

// Current is a snapshot of how things stand now. It waits for the loop until ctx
// ends; the error is ErrStopped after the engine's end. Next may first return an
// older one: none is made while nobody waits for it.
func (e *Engine) Current(ctx context.Context) (model.Fleet, error) {
	return ask(ctx, e, func() model.Fleet {
		if e.isDirty() {
			e.publish()
		}
		return e.board.fleet
	})
}
