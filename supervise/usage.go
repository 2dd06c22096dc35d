package supervise

import (
	"cmp"
	"context"
	"fmt"

	"rollcall/model"
	"rollcall/redact"
)

// Usage samples what the processes of a server's launch use. The sample is
// taken outside the loop; it waits until ctx ends. An error says why there is
// none: no such server, nothing of it runs, it is only dialled.
func (e *Engine) Usage(ctx context.Context, server string) (model.Usage, error) {
	type found struct {
		run Run
		err error
	}
	f, err := ask(ctx, e, func() found {
		switch u := e.byName[server]; {
		case u == nil:
			return found{err: fmt.Errorf("no server is named %s", redact.Name(server))}
		case u.run == nil || !u.state.runs():
			return found{err: fmt.Errorf("%s: nothing of it runs", server)}
		default:
			return found{run: u.run}
		}
	})
	if err != nil || f.err != nil {
		return model.Usage{}, cmp.Or(err, f.err)
	}
	type sample struct {
		usage model.Usage
		err   error
	}
	got := make(chan sample, 1)
	e.spawn(func() {
		usage, err := f.run.Usage()
		got <- sample{usage, err}
	})
	select {
	case s := <-got:
		return s.usage, s.err
	case <-ctx.Done():
		return model.Usage{}, ctx.Err()
	}
}
