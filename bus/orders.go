package bus

import (
	"encoding/json"
	"slices"
	"sync"

	"rollcall/model"
)

const (
	maxOpen     = 1 << 14 // orders that are not answered yet
	maxAnswered = 1 << 12 // answers that are remembered, and up to as many again
	maxWaiters  = 8       // connections that wait for one order's answer
)

// orders knows which orders came over the bus and what became of them, so that
// one that comes twice is carried out once, and both times answered (O1).
type orders struct {
	mu       sync.Mutex
	byID     map[string]*ordered
	answered []string // the oldest first
}

// ordered is one order that was given.
type ordered struct {
	uid    int // whose it is: an id is no key to another's order
	answer []byte
	wait   []string // where the answer goes
}

func newOrders() *orders { return &orders{byID: map[string]*ordered{}} }

// taken says what is to be done with an order.
type taken struct {
	answer  []byte // it was answered before, with this
	fresh   bool   // give it to the engine
	refused string
}

// take notes an order, and where its answer goes.
func (t *orders) take(id string, uid int, reply string) taken {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.byID[id]
	switch {
	case o == nil && len(t.byID)-len(t.answered) >= maxOpen:
		return taken{refused: "too many orders wait for their answers"}
	case o == nil:
		t.byID[id] = &ordered{uid: uid, wait: []string{reply}}
		return taken{fresh: true}
	case o.uid != uid:
		return taken{refused: "the order's id is somebody else's"}
	case o.answer != nil:
		return taken{answer: o.answer}
	case len(o.wait) < maxWaiters && !slices.Contains(o.wait, reply):
		o.wait = append(o.wait, reply)
	}
	return taken{}
}

// settle notes what became of an order, and returns who waits for it.
func (t *orders) settle(ev model.Event) (answer []byte, wait []string) {
	if ev.Kind != model.EvOrder || ev.OrderID == "" {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.byID[ev.OrderID]
	if o == nil || o.answer != nil {
		return nil, nil
	}
	answer, err := json.Marshal(ev)
	if err != nil {
		return nil, nil
	}
	wait, o.answer, o.wait = o.wait, answer, nil
	t.answered = append(t.answered, ev.OrderID)
	if len(t.answered) >= 2*maxAnswered { // the older half goes
		for _, id := range t.answered[:maxAnswered] {
			delete(t.byID, id)
		}
		t.answered = slices.Clone(t.answered[maxAnswered:])
	}
	return answer, wait
}

// open are the ids of orders that are not answered yet.
func (t *orders) open() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []string
	for id, o := range t.byID {
		if o.answer == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
