package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"rollcall/bus"
	"rollcall/model"
	"rollcall/redact"
)

// orderID is an order's id that no other has.
func orderID() string { return rand.Text() }

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
	events, broke := make(chan model.Event), make(chan error, 1)
	if r.wait && r.left > 0 {
		go func() { broke <- r.listen(ctx, events) }()
	}
	for r.left > 0 && r.err == nil {
		select {
		case got := <-answers:
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
	case r.verb == model.Disconnect:
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
	if e.told || r.verb == model.Disconnect {
		return
	}
	if !e.open {
		e.open = ev.Kind == model.EvOrder && ev.OrderID == e.order.ID
		return
	}
	if ev.Run < e.row.Run {
		return
	}
	switch ev.Kind {
	case model.EvConnected:
		r.tell(e, false, ev.Text)
	case model.EvAttemptFailed, model.EvHalted, model.EvRefused, model.EvEnded, model.EvOff, model.EvLost:
		r.tell(e, true, ev.Text)
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
	for _, e := range errands {
		if p, there := phase[e.row.Server]; there {
			r.tell(e, true, redact.Sprintf("no outcome within %s: it is %s", model.Span(r.timeout), redact.Name(p.String())))
		} else {
			r.tell(e, true, redact.Word("it is not there any more"))
		}
	}
	return wrote(r.verb.String(), r.err)
}
