package bus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"rollcall/model"
)

// TestChangesAreAsGoodAsTheWhole walks through random snapshots: rows come, go,
// move and change; some changes are lost, some come twice or before the whole.
// A client that was not told to ask anew has what the engine has.
func TestChangesAreAsGoodAsTheWhole(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		engine := model.Fleet{Seq: 1, Rows: someRows(r, nil)}
		c := &Client{changed: make(chan struct{})}
		c.view.ask = make(chan struct{}, 1)
		fetch := func() {
			var f model.Fleet
			copyOf(t, engine, &f)
			c.view.seq = f.Seq
			c.present(f)
		}
		fetch()
		for range 30 {
			before := engine
			engine = model.Fleet{Seq: before.Seq + 1, Rows: someRows(r, before.Rows)}
			var d delta
			copyOf(t, deltaOf(before, engine), &d)
			times := []int{1, 1, 1, 2, 0}[r.IntN(5)]
			for range times {
				c.apply(d)
			}
			if !c.view.have {
				fetch()
			}
			if times > 0 {
				sameRows(t, seed, engine.Rows, c.view.fleet.Rows)
			}
		}
	}
}

func someRows(r *rand.Rand, rows []*model.Row) []*model.Row {
	var next []*model.Row
	for _, row := range rows {
		switch r.IntN(12) {
		case 0: // it goes
			continue
		case 1, 2:
			changed := *row
			changed.Starts++
			row = &changed
		}
		next = append(next, row)
	}
	if r.IntN(6) == 0 {
		r.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	}
	for r.IntN(3) == 0 || len(next) == 0 {
		next = append(next, &model.Row{Server: fmt.Sprint(r.Uint64())})
	}
	return next
}

// copyOf is a value after its journey.
func copyOf(t *testing.T, from, to any) {
	t.Helper()
	b, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func sameRows(t *testing.T, seed uint64, want, got []*model.Row) {
	t.Helper()
	w, _ := json.Marshal(want)
	g, _ := json.Marshal(got)
	if string(w) != string(g) {
		t.Fatalf("seed %d: the engine has\n%s\nthe client\n%s", seed, w, g)
	}
}

func TestRowsThatDidNotChangeDoNotTravel(t *testing.T) {
	rows := many(100)
	last := model.Fleet{Seq: 1, Rows: rows}
	now := append([]*model.Row(nil), rows...)
	changed := *rows[40]
	changed.Starts++
	now[40] = &changed
	d := deltaOf(last, model.Fleet{Seq: 2, Rows: now})
	if len(d.Rows) != 1 || d.Rows[0] != &changed || d.Names != nil || d.From != 1 {
		t.Errorf("%d rows, %d names", len(d.Rows), len(d.Names))
	}
}
