package bus

import (
	"context"
	"errors"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
)

// real is supervise's engine as the bus wants it.
type real struct{ *supervise.Engine }

func (r real) Pending() model.Reload                           { return model.Reload{} }
func (r real) Reload(model.Reload) (did model.Reload, ok bool) { return model.Reload{}, false }

func (r real) Follow(server string, after uint64, limit int) Lines {
	f := r.Engine.Follow(server, after, limit)
	return follower[supervise.FollowedLine, FollowedLine]{f, func(l supervise.FollowedLine) FollowedLine { return FollowedLine(l) }}
}

func (r real) FollowEvents(after uint64, limit int) Events {
	f := r.Engine.FollowEvents(after, limit)
	return follower[supervise.FollowedEvent, FollowedEvent]{f, func(e supervise.FollowedEvent) FollowedEvent { return FollowedEvent(e) }}
}

type follower[S, T any] struct {
	from interface {
		Next(context.Context) ([]S, error)
		Close()
	}
	as func(S) T
}

func (f follower[S, T]) Next(ctx context.Context) ([]T, error) {
	items, err := f.from.Next(ctx)
	out := make([]T, len(items))
	for i, item := range items {
		out[i] = f.as(item)
	}
	return out, err
}

func (f follower[S, T]) Close() { f.from.Close() }

// launched is a run that connects at once, and says a line.
type launched struct{ report func(model.RunEvent) }

func start(_ *model.Spec, d model.Dial) supervise.Run {
	go func() {
		d.Report(model.Launched{At: time.Now(), PID: 4711})
		d.Line(time.Now(), model.LineStderr, redact.Word("hello"))
		d.Report(model.Handshaken{At: time.Now(), Handshake: model.Handshake{Revision: redact.Word("2025-11-25")}})
		d.Report(model.Connected{At: time.Now(), Tools: model.Some(2)})
	}()
	return launched{d.Report}
}

func (l launched) Probe(context.Context) model.Probed { return model.Probed{Outcome: model.Alive} }
func (l launched) Usage() (model.Usage, error)        { return model.Usage{Processes: 1}, nil }
func (l launched) Kill()                              {}

func (l launched) Stop() {
	go func() {
		l.report(model.Closed{At: time.Now(), End: model.End{Text: redact.Word("closed")}})
		l.report(model.Reaped{At: time.Now()})
	}()
}

// TestARealEngineOnTheBus is the way from an order to the end, with nothing made
// up but the server.
func TestARealEngineOnTheBus(t *testing.T) {
	spec := &model.Spec{Name: "a", Enabled: true, Reconnect: true, Timings: model.DefaultTimings(), Shown: &model.Shown{}}
	engine := supervise.New(supervise.Options{Host: redact.Word("edge-7"), Start: start, Slots: 4,
		Read: func(string) (*model.Spec, *model.Refusal) { return spec, nil }}, []model.Entry{{Name: "a", Spec: spec}})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		engine.Run()
	}()
	s, lock := serve(t, real{engine})
	c := dial(t, lock)
	first := next(t, c, 0, func(f model.Fleet) bool { return f.Rows[0].Phase == model.Settling })
	ev, err := c.Order(t.Context(), order("x-1", "a"))
	if err != nil || ev.Outcome.String() != "done" || ev.By != c.Hello().You {
		t.Fatalf("restart: %+v, %v", ev, err)
	}
	next(t, c, first.Seq, func(f model.Fleet) bool { return f.Rows[0].Phase == model.Settling && f.Rows[0].Run == 2 })
	if ev, err := c.Order(t.Context(), order("x-2", "nobody")); err != nil || ev.Outcome.String() != "refused" {
		t.Errorf("an order that changes no row: %+v, %v", ev, err)
	}
	if f, err := c.Whole(t.Context()); err != nil || f.Rows[0].Run != 2 {
		t.Errorf("the whole: %+v, %v", f, err)
	}
	var hellos int
	err = c.FollowLines(t.Context(), "a", 0, 100, func(lines []FollowedLine) error {
		for _, l := range lines {
			if l.Server == "a" && l.Line.Text.String() == "hello" {
				hellos++
			}
		}
		if hellos == 2 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Errorf("the ring is replayed: %d hellos, %v", hellos, err)
	}
	if h, err := c.Health(t.Context()); err != nil || h.Lag <= 0 {
		t.Errorf("%+v, %v", h, err)
	}
	word, err := c.StopEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	told := make(chan struct{})
	go func() {
		s.Ended(redact.Word("process 4711 of a"))
		close(told)
	}()
	if end := <-word; end.Err != nil || end.Left.String() != "process 4711 of a" {
		t.Errorf("what is said of the end: %+v", end)
	}
	c.Close()
	<-told
}
