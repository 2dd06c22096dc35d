package bus

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"rollcall/model"
)

// A whole snapshot travels as one JSON value a line: the instance and the fleet
// without its rows, then each row. So rows are encoded once as long as they do
// not change, and several cores read them.

// head is the first line of a whole snapshot.
type head struct {
	Instance string      `json:"instance"`
	Fleet    model.Fleet `json:"fleet"` // its rows follow
	Rows     int         `json:"rows"`
}

// encoder writes whole snapshots, and keeps what it has made of each row.
type encoder struct {
	mu   sync.Mutex
	rows map[*model.Row][]byte // of the last snapshot
}

func (e *encoder) whole(instance string, fleet model.Fleet) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rows := fleet.Rows
	lines := make([][]byte, len(rows))
	err := inParallel(len(rows), func(i int) (err error) {
		if lines[i] = e.rows[rows[i]]; lines[i] == nil {
			lines[i], err = json.Marshal(rows[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	e.rows = make(map[*model.Row][]byte, len(rows))
	size := 0
	for i, line := range lines {
		e.rows[rows[i]] = line
		size += len(line) + 1
	}
	fleet.Rows = nil
	first, err := json.Marshal(head{instance, fleet, len(rows)})
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(first)+1+size), first...)
	for _, line := range lines {
		out = append(append(out, '\n'), line...)
	}
	return out, nil
}

// decodeWhole reads a whole snapshot.
func decodeWhole(b []byte) (instance string, fleet model.Fleet, err error) {
	lines := bytes.Split(b, []byte{'\n'})
	var h head
	if err := json.Unmarshal(lines[0], &h); err != nil {
		return "", model.Fleet{}, err
	}
	if lines = lines[1:]; len(lines) != h.Rows {
		return "", model.Fleet{}, errors.New("the snapshot came incomplete")
	}
	fleet = h.Fleet
	fleet.Rows = make([]*model.Row, len(lines))
	err = inParallel(len(lines), func(i int) error {
		fleet.Rows[i] = new(model.Row)
		return json.Unmarshal(lines[i], fleet.Rows[i])
	})
	return h.Instance, fleet, err
}

// inParallel calls fn for 0 to n−1, on as many cores as there are, up to four.
// It returns an error of one of them.
func inParallel(n int, fn func(i int) error) error {
	const atOnce = 16 // so many for a core at a time
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, min(4, runtime.GOMAXPROCS(0), (n+atOnce-1)/atOnce))
	for w := range errs {
		wg.Go(func() {
			for {
				from := int(next.Add(atOnce)) - atOnce
				for i := from; i < min(from+atOnce, n); i++ {
					if err := fn(i); err != nil {
						errs[w] = err
						return
					}
				}
				if from >= n {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
