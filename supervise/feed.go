package supervise

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed says that a follower was closed.
var ErrClosed = errors.New("the follower was closed")

const (
	feedBytes = 4 << 20               // at most, of text that waits for one follower
	feedEvery = 10 * time.Millisecond // the least time between two batches
)

// fed is what goes through a feed.
type fed[T any] interface {
	size() int       // of its text, in bytes
	missing(gap T) T // gap, a marker or the zero T, grown by this one
}

// feed is the bounded buffer of one follower. put never blocks; what does not
// fit is counted, and a marker stands in its place. One goroutine at a time
// takes.
type feed[T fed[T]] struct {
	limit  int // of items that wait
	mu     sync.Mutex
	queue  []T
	bytes  int
	gap    T // what did not fit after the queue's end
	gapped bool
	ended  error         // no more comes
	wake   chan struct{} // of capacity 1

	// The reader's own.
	batch []T       // taken last
	taken time.Time // then
}

func newFeed[T fed[T]](limit int) *feed[T] {
	return &feed[T]{limit: limit, wake: make(chan struct{}, 1)}
}

func (f *feed[T]) put(item T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := item.size()
	switch {
	case f.ended != nil:
		return
	case len(f.queue) > 0 && (len(f.queue) >= f.limit || f.bytes+n > feedBytes):
		f.gap, f.gapped = item.missing(f.gap), true
		return
	}
	f.closeGap()
	f.queue = append(f.queue, item)
	f.bytes += n
	if len(f.queue) == 1 {
		f.poke()
	}
}

// closeGap puts the marker of what did not fit where that was.
func (f *feed[T]) closeGap() {
	if f.gapped {
		var none T
		f.queue = append(f.queue, f.gap)
		f.gap, f.gapped = none, false
	}
}

func (f *feed[T]) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// end lets the reader have what is there, and why no more comes then.
func (f *feed[T]) end(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended == nil {
		f.ended = why
	}
	f.poke()
}

// drop forgets what the reader has not taken, of a feed that has ended.
func (f *feed[T]) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var none T
	f.queue, f.gap, f.gapped = nil, none, false
}

func (f *feed[T]) isEnded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended != nil
}

// take waits for items until ctx ends and returns all that there are, oldest
// first. The slice is the reader's until it takes again. What comes in a flood
// is taken in batches, so that the reader does not wake for each item.
func (f *feed[T]) take(ctx context.Context) ([]T, error) {
	if err := f.pause(ctx); err != nil {
		return nil, err
	}
	for {
		if batch, err := f.swap(); batch != nil || err != nil {
			return batch, err
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pause waits out the time between two batches.
func (f *feed[T]) pause(ctx context.Context) error {
	wait := feedEvery - time.Since(f.taken)
	if wait <= 0 || f.isEnded() {
		return nil
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// swap takes the queue for the batch that the reader is through with.
func (f *feed[T]) swap() ([]T, error) {
	clear(f.batch) // what it holds is not kept alive
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeGap()
	if len(f.queue) == 0 {
		return nil, f.ended
	}
	f.batch, f.queue = f.queue, f.batch[:0]
	f.bytes = 0
	f.taken = time.Now()
	return f.batch, nil
}
