package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rollcall/bus"
	"rollcall/model"
	"rollcall/redact"
)

// run is orders under way. Its goroutine is the one that called do.
type run struct {
	client  *bus.Client
	verb    model.Verb
	since   uint64 // the moment from which events count
	out     io.Writer
	wait    bool
	timeout time.Duration // for what is said of it; 0: none

	left int   // errands whose outcome is not known
	bad  bool  // one of them went wrong
	err  error // of the output
}

// answer is what the engine said to an order.
type answer struct {
	errand *errand
	event  model.Event
	err    error
}

// do gives all orders side by side, and says what becomes of each. It reports
// whether one went wrong.
func (r *run) do(ctx context.Context, errands []*errand) (bad bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer, len(errands))
	byServer := make(map[string]*errand, len(errands))
	for _, e := range errands {
		byServer[e.row.Server] = e
		r.left++
		if e.order.ID != "" {
			go func() {
				ev, err := r.client.Order(ctx, e.order)
				answers <- answer{e, ev, err}
			}()
		}
	}
	for _, e := range errands {
		if !e.had.IsZero() {
			r.tell(e, false, e.had)
		}
	}
	events, broke := make(chan model.Event), make(chan error, 2)
	if r.left > 0 {
		go func() { broke <- r.watch(ctx) }()
	}
	if r.wait && r.left > 0 {
		go func() { broke <- r.listen(ctx, events) }()
	}
	for r.left > 0 && r.err == nil {
		select {
		case got := <-answers:
			if errors.Is(got.err, bus.ErrLost) && ctx.Err() == nil {
				return true, asked(r.verb.String(), got.err)
			}
			r.answered(got)
		case ev := <-events:
			if e := byServer[ev.Server]; e != nil {
				r.happened(e, ev)
			}
		case err := <-broke:
			if ctx.Err() == nil {
				return true, asked(r.verb.String(), err)
			}
		case <-ctx.Done():
			return true, r.late(errands)
		}
	}
	return r.bad, wrote(r.verb.String(), r.err)
}

// watch returns when the engine is lost, or silent: what it was ordered it will
// not answer then, or not soon.
func (r *run) watch(ctx context.Context) error {
	for seen := uint64(0); ; {
		fleet, err := r.client.Next(ctx, seen)
		if err != nil {
			return err
		}
		seen = fleet.Seq
	}
}

// listen hands over the events from since on.
func (r *run) listen(ctx context.Context, events chan<- model.Event) error {
	return r.client.FollowEvents(ctx, r.since, allKept, func(batch []bus.FollowedEvent) error {
		for _, e := range batch {
			if e.Missed > 0 {
				return errors.New("events were missed, and with them outcomes: rollcall status says how it is")
			}
			select {
			case events <- e.Event:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

// answered takes the engine's answer to an order. Where the outcome is waited for
// a good one is not the end: what follows it among the events is.
func (r *run) answered(a answer) {
	switch {
	case errors.Is(a.err, context.DeadlineExceeded), errors.Is(a.err, context.Canceled): // late says it
	case a.err != nil:
		r.tell(a.errand, true, (*redact.Redactor)(nil).Error(a.err))
	case a.event.Outcome.String() == model.Declined.String(), a.event.Outcome.String() == model.Superseded.String():
		r.tell(a.errand, true, redact.Sprintf("%s: %s", a.event.Outcome, why(a.event)))
	case !r.wait:
		r.tell(a.errand, false, a.event.Outcome)
	case r.verb == model.Disconnect && a.event.Outcome.String() != model.Merged.String():
		r.tell(a.errand, false, redact.Word("off"))
	}
}

// why is why an order was not carried out.
func why(ev model.Event) redact.Safe {
	if !ev.Error.IsZero() {
		return ev.Error
	}
	return ev.Text
}

// happened takes what happened to a server. What was told of it before its order
// was carried out is of the run before.
func (r *run) happened(e *errand, ev model.Event) {
	switch {
	case e.told:
		return
	case e.behind > 0:
		r.ahead(e, ev)
		return
	case !e.open:
		if e.open = ev.Kind == model.EvOrder && ev.OrderID == e.order.ID; e.open && ev.Outcome.String() == model.Merged.String() {
			e.open, e.behind = false, 2
		}
		return
	case r.verb == model.Disconnect, ev.Run < e.row.Run:
		return
	}
	switch ev.Kind {
	case model.EvConnected:
		r.tell(e, false, ev.Text)
	case model.EvAttemptFailed, model.EvHalted, model.EvRefused, model.EvEnded, model.EvOff, model.EvLost:
		r.tell(e, true, ev.Text)
	}
}

// ahead takes what became of the orders before the outcome of one that was
// merged: of the one in progress, then of the one that it was merged with.
func (r *run) ahead(e *errand, ev model.Event) {
	if ev.Kind != model.EvOrder || ev.Order == model.Some(model.Acknowledge) {
		return
	}
	switch outcome := ev.Outcome.String(); {
	case outcome == model.Merged.String(): // with the same one
	case outcome == model.Superseded.String():
		if e.behind == 2 { // else what came to wait after it
			r.tell(e, true, redact.Sprintf("%s: %s", ev.Outcome, why(ev)))
		}
	case e.behind == 2:
		e.behind = 1
	case outcome == model.Declined.String():
		r.tell(e, true, redact.Sprintf("%s: %s", ev.Outcome, why(ev)))
	default:
		e.behind, e.open = 0, true
		if r.verb == model.Disconnect {
			r.tell(e, false, redact.Word("off"))
		}
	}
}

// tell says what became of a server, once.
func (r *run) tell(e *errand, bad bool, text redact.Safe) {
	if e.told {
		return
	}
	e.told = true
	r.left--
	r.bad = r.bad || bad
	if _, err := fmt.Fprintf(r.out, "%-16s %s\n", redact.Name(e.row.Server), text); err != nil && r.err == nil {
		r.err = err
	}
}

// late says of those whose outcome did not come in time how they are.
func (r *run) late(errands []*errand) error {
	fleet, err := fleetOf(r.verb.String(), r.client)
	if err != nil {
		return err
	}
	phase := map[string]model.Phase{}
	for _, row := range fleet.Rows {
		phase[row.Server] = row.Phase
	}
	what := redact.Word("answer")
	if r.wait {
		what = redact.Word("outcome")
	}
	for _, e := range errands {
		if p, there := phase[e.row.Server]; there {
			r.tell(e, true, redact.Sprintf("no %s within %s: it is %s", what, model.Span(r.timeout), redact.Name(p.String())))
		} else {
			r.tell(e, true, redact.Word("it is not there any more"))
		}
	}
	return wrote(r.verb.String(), r.err)
}
