package supervise

import (
	"context"
	"time"

	"rollcall/model"
)

// Health asks the loop how it is doing. It waits until ctx ends: then, and after
// the engine's end, it says beside the error how many messages wait and for how
// long it has asked.
func (e *Engine) Health(ctx context.Context) (model.Health, error) {
	asked := time.Now()
	h := model.Health{Mailbox: int(e.box.depth.Load())}
	answered, err := ask(ctx, e, time.Now)
	if err != nil {
		answered = time.Now()
	}
	h.At, h.Lag = answered, answered.Sub(asked)
	return h, err
}
