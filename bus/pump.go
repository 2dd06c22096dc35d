package bus

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/model"
)

// deltaLimit is how much changes are sent, in bytes; more is asked for.
const deltaLimit = maxPayload - 4<<10

// pump publishes what changes in the rows, as long as somebody subscribes. It
// sleeps else, and whole wakes it: whoever subscribes asks for that next.
type pump struct {
	engine   Engine
	nc       *nats.Conn
	broker   *broker
	subjects subjects
	instance string
	poke     chan struct{} // of capacity 1

	mu    sync.Mutex
	awake bool
	last  model.Fleet // as published
}

func newPump(e Engine, nc *nats.Conn, b *broker, s subjects, instance string) *pump {
	return &pump{engine: e, nc: nc, broker: b, subjects: s, instance: instance, poke: make(chan struct{}, 1)}
}

// whole is how things stand now, and has all that changes from then on
// published. Should the first change start from a newer snapshot, as where two
// ask at once, the client sees that, and asks again.
func (p *pump) whole(ctx context.Context) (model.Fleet, error) {
	fleet, err := p.engine.Next(ctx, 0) // it asks the loop: not with the lock
	if err != nil {
		return fleet, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.awake {
		return fleet, nil
	}
	p.awake, p.last = true, fleet
	select {
	case p.poke <- struct{}{}:
	default:
	}
	return fleet, nil
}

// run publishes until ctx or the engine ends.
func (p *pump) run(ctx context.Context) {
	for {
		select {
		case <-p.poke:
		case <-ctx.Done():
			return
		}
		for !p.sleeps() {
			fleet, err := p.engine.Next(ctx, p.seq())
			if err != nil {
				return
			}
			p.publish(fleet)
		}
	}
}

// sleeps reports whether nobody subscribes any more, and turns to sleep then.
func (p *pump) sleeps() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awake = p.broker.wanted(p.subjects.rows())
	return !p.awake
}

func (p *pump) seq() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last.Seq
}

// publish sends what differs from the snapshot before.
func (p *pump) publish(fleet model.Fleet) {
	p.mu.Lock()
	last := p.last
	p.mu.Unlock()
	d := deltaOf(last, fleet)
	d.Instance = p.instance
	b, err := json.Marshal(d)
	if err == nil && len(b) > deltaLimit {
		b, err = json.Marshal(delta{Instance: p.instance, From: d.From, Head: model.Fleet{Seq: fleet.Seq}, Ask: true})
	}
	if err == nil {
		_ = p.nc.Publish(p.subjects.rows(), b)
	}
	p.mu.Lock()
	p.last = fleet
	p.mu.Unlock()
}

// deltaOf is what changed from one snapshot to the next. Rows that did not
// change are the same pointers, and cost a comparison.
func deltaOf(last, next model.Fleet) delta {
	d := delta{From: last.Seq, Head: next}
	d.Head.Rows = nil
	moved := len(last.Rows) != len(next.Rows)
	for i, r := range next.Rows {
		switch {
		case i >= len(last.Rows):
			d.Rows = append(d.Rows, r)
		case last.Rows[i] != r:
			d.Rows = append(d.Rows, r)
			moved = moved || last.Rows[i].Server != r.Server
		}
	}
	if moved {
		for _, r := range next.Rows {
			d.Names = append(d.Names, r.Server)
		}
	}
	return d
}

// beats says, as long as somebody listens, that the engine's loop answers. One
// that is stuck has no beat: it counts as silent (N4).
func (p *pump) beats(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if p.broker.wanted(p.subjects.beat()) {
			p.beat(ctx)
		}
	}
}

func (p *pump) beat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, beatEvery)
	defer cancel()
	h, err := p.engine.Health(ctx)
	if err != nil {
		return
	}
	if b, err := json.Marshal(beat{p.instance, p.seq(), h}); err == nil {
		_ = p.nc.Publish(p.subjects.beat(), b)
	}
}
