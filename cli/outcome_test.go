package cli

import (
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// TestN3_TheOutcomeIsThatOfTheOrder: what is told of a server before its order
// was carried out, or of another one, is not what became of it.
func TestN3_TheOutcomeIsThatOfTheOrder(t *testing.T) {
	event := func(kind model.Kind, run uint64, id string) model.Event {
		return model.Event{Kind: kind, Server: "a", Run: run, OrderID: id, Text: redact.Name(kind.String())}
	}
	before := []model.Event{event(model.EvConnected, 1, ""), event(model.EvAttemptFailed, 1, ""), event(model.EvOrder, 1, "another")}
	order := event(model.EvOrder, 1, "mine")
	for _, c := range []struct {
		last model.Event
		bad  bool
	}{
		{event(model.EvConnected, 2, ""), false},
		{event(model.EvAttemptFailed, 2, ""), true},
		{event(model.EvHalted, 2, ""), true},
		{event(model.EvRefused, 2, ""), true},
		{event(model.EvEnded, 2, ""), true},
		{event(model.EvOff, 2, ""), true},
	} {
		var out strings.Builder
		e := &errand{row: &model.Row{Server: "a", Run: 1}, order: model.Order{ID: "mine"}}
		r := &run{verb: model.Restart, out: &out, wait: true, left: 1}
		for _, ev := range append(before, order, event(model.EvStarting, 2, "")) {
			r.happened(e, ev)
		}
		r.answered(answer{errand: e, event: model.Event{Outcome: redact.Word("done")}})
		if e.told {
			t.Fatalf("told too early: %s", out.String())
		}
		r.happened(e, c.last)
		r.happened(e, event(model.EvHalted, 3, "")) // it is told once
		if want := "a                " + c.last.Kind.String() + "\n"; out.String() != want || r.bad != c.bad || r.left != 0 {
			t.Errorf("%v: %q, bad %v, %d left", c.last.Kind, out.String(), r.bad, r.left)
		}
	}
}

func TestN3_StatusIsOneWhereAWantedServerIsNotUp(t *testing.T) {
	down := time.Now()
	for _, c := range []struct {
		row  model.Row
		want bool
	}{
		{model.Row{Phase: model.Up}, false},
		{model.Row{Phase: model.Settling, DownSince: down}, false},
		{model.Row{Phase: model.Off}, false},
		{model.Row{Phase: model.Ended}, false},
		{model.Row{Phase: model.Ended, DownSince: down}, true},
		{model.Row{Phase: model.Queued}, true},
		{model.Row{Phase: model.Starting}, true},
		{model.Row{Phase: model.Waiting}, true},
		{model.Row{Phase: model.Stopping}, true},
		{model.Row{Phase: model.Halted}, true},
		{model.Row{Phase: model.Refused}, true},
	} {
		if got := amiss(&c.row); got != c.want {
			t.Errorf("%s, down %v: %v", c.row.Phase, !c.row.DownSince.IsZero(), got)
		}
	}
}

// TestN3_AnOrderForManyLeavesAloneWhatItHasNothingToDoWith, and waits for what
// starts already.
func TestN3_AnOrderForManyLeavesAloneWhatItHasNothingToDoWith(t *testing.T) {
	var fleet model.Fleet
	for p := range model.Phases {
		fleet.Rows = append(fleet.Rows, &model.Row{Server: p.String(), Phase: p})
	}
	for _, c := range []struct {
		verb          model.Verb
		o             ordering
		given, orders int
		alone         string
	}{
		{model.Restart, ordering{all: true}, 9, 9, "1 off"},
		{model.Disconnect, ordering{all: true}, 9, 9, "1 off"},
		{model.Connect, ordering{all: true}, 6, 6, "1 up, 1 settling, 1 starting, 1 queued"},
		{model.Connect, ordering{all: true, wait: true}, 8, 6, "1 up, 1 settling"},
	} {
		given, alone, err := c.o.errands(c.verb, nil, fleet)
		if err != nil {
			t.Fatal(err)
		}
		orders := 0
		for _, e := range given {
			if e.order.ID != "" {
				orders++
			}
			if !e.order.Bulk {
				t.Errorf("%s %s is one of many", c.verb, e.row.Server)
			}
		}
		if got := census(model.Fleet{Rows: alone}); len(given) != c.given || orders != c.orders || got != c.alone {
			t.Errorf("%s %+v: %d, %d orders, alone %s", c.verb, c.o, len(given), orders, got)
		}
	}
}

// TestO1_AMergedOrderHasTheOutcomeOfTheOneThatWaited: what the order before that
// one brings about is not it.
func TestO1_AMergedOrderHasTheOutcomeOfTheOneThatWaited(t *testing.T) {
	answers := func(id string, verb model.Verb, outcome model.Result) model.Event {
		return model.Event{Kind: model.EvOrder, Server: "a", Run: 1, OrderID: id, Order: model.Some(verb), Outcome: redact.Name(outcome.String()), Text: redact.Name(id)}
	}
	connected := func(run uint64) model.Event {
		return model.Event{Kind: model.EvConnected, Server: "a", Run: run, Text: redact.Sprintf("connected in run %d", redact.Int(run))}
	}
	merged := answers("mine", model.Restart, model.Merged)
	for name, c := range map[string]struct {
		verb   model.Verb
		events []model.Event
		want   string
		bad    bool
	}{
		"a restart": {model.Restart, []model.Event{answers("first", model.Restart, model.Done), connected(2), answers("acked", model.Acknowledge, model.Done),
			answers("too", model.Restart, model.Merged), answers("waited", model.Restart, model.Done), connected(3)}, "connected in run 3", false},
		"after a disconnect": {model.Restart, []model.Event{answers("first", model.Disconnect, model.Done), answers("waited", model.Restart, model.Done), connected(2)},
			"connected in run 2", false},
		"refused": {model.Restart, []model.Event{answers("first", model.Restart, model.Done), connected(2), answers("waited", model.Restart, model.Declined)},
			"refused: waited", true},
		"superseded": {model.Restart, []model.Event{answers("waited", model.Restart, model.Superseded)}, "superseded: waited", true},
		"another is superseded": {model.Restart, []model.Event{answers("first", model.Restart, model.Done), answers("later", model.Restart, model.Superseded),
			answers("waited", model.Restart, model.Done), connected(3)}, "connected in run 3", false},
		"a disconnect": {model.Disconnect, []model.Event{answers("first", model.Restart, model.Done), answers("waited", model.Disconnect, model.Done)}, "off", false},
	} {
		var out strings.Builder
		e := &errand{row: &model.Row{Server: "a", Run: 1}, order: model.Order{ID: "mine"}}
		r := &run{verb: c.verb, out: &out, wait: true, left: 1}
		r.answered(answer{errand: e, event: merged})
		for _, ev := range append([]model.Event{merged}, c.events[:len(c.events)-1]...) {
			r.happened(e, ev)
		}
		if e.told {
			t.Errorf("%s: told too early: %s", name, out.String())
		}
		r.happened(e, c.events[len(c.events)-1])
		if want := "a                " + c.want + "\n"; out.String() != want || r.bad != c.bad {
			t.Errorf("%s: %q, bad %t", name, out.String(), r.bad)
		}
	}
}
