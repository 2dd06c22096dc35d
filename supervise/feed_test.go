package supervise

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

// aLine is one that a follower is handed.
func aLine(text string) FollowedLine {
	return FollowedLine{Server: "s", Line: model.Line{Text: safe(text)}}
}

// TestN5_WhatNoBufferHoldsIsHandedOverAlone: one item that is greater than the
// bound would else never be.
func TestN5_WhatNoBufferHoldsIsHandedOverAlone(t *testing.T) {
	f := newFeed[FollowedLine](10)
	f.put(aLine(strings.Repeat("x", feedBytes+1)))
	f.put(aLine("y")) // no room beside it
	batch, err := f.take(t.Context())
	if err != nil || len(batch) != 2 || len(batch[0].Line.Text.String()) != feedBytes+1 || batch[1].Missed != 1 {
		t.Errorf("%d items, %v", len(batch), err)
	}
	f.put(aLine("z"))
	if batch, err = f.take(t.Context()); err != nil || texts(batch) != "z" {
		t.Errorf("then %q, %v", texts(batch), err)
	}
}

// TestN5_EachBatchMakesRoomForAsMuch: 4 MiB, not a byte less or more.
func TestN5_EachBatchMakesRoomForAsMuch(t *testing.T) {
	f := newFeed[FollowedLine](1000)
	for range 3 {
		for range 512 {
			f.put(aLine(strings.Repeat("x", 8<<10)))
		}
		f.put(aLine("y"))
		if batch, err := f.take(t.Context()); err != nil || len(batch) != 513 || batch[512].Missed != 1 {
			t.Errorf("%d items, %v", len(batch), err)
		}
	}
}

// TestN_BatchesAre10msApart, from one to the next, and the end waits for none.
func TestN_BatchesAre10msApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed[FollowedLine](10)
		takes := func(want string, after time.Duration) {
			t.Helper()
			began := time.Now()
			batch, err := f.take(t.Context())
			if took := time.Since(began); err != nil || texts(batch) != want || took != after {
				t.Errorf("%q after %s, %v; want %q after %s", texts(batch), took, err, want, after)
			}
		}
		f.put(aLine("first"))
		takes("first", 0)
		f.put(aLine("second"))
		takes("second", 10*time.Millisecond)
		time.Sleep(4 * time.Millisecond) // virtual
		f.put(aLine("third"))
		takes("third", 6*time.Millisecond)
		time.Sleep(time.Second)
		f.put(aLine("fourth"))
		takes("fourth", 0)
		f.put(aLine("fifth"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if batch, err := f.take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q, %v within the pause", texts(batch), err)
		}
		f.end(ErrStopped)
		f.put(aLine("too late"))
		takes("fifth", 0)
		if _, err := f.take(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("after the end: %v", err)
		}
		f.end(ErrClosed)
		if _, err := f.take(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("ended twice: %v", err)
		}
	})
}
