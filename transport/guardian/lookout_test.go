package guardian

import (
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheLookoutLooksSoonAfterNewsAndThenNowAndAgain: news at 4 s, then none.
func TestTheLookoutLooksSoonAfterNewsAndThenNowAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, looked := time.Now(), []time.Duration(nil)
		l := newLookout()
		l.look = func(Marks) { looked = append(looked, time.Since(begun)) }
		go l.run()
		told, tell := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, l.hear(told)) }()
		<-time.After(4 * time.Second)
		_, _ = io.WriteString(tell, AddLine(4711, Group{}))
		<-time.After(62 * time.Second)
		_ = tell.Close()
		l.end()
		if want := []time.Duration{5 * time.Second, 35 * time.Second, 65 * time.Second}; !slices.Equal(looked, want) {
			t.Errorf("looked after %v, want %v", looked, want)
		}
	})
}

// TestT1_NewsThatNeverEndsPutsNoLookOff: servers that flap are news several times
// a second, for ever.
func TestT1_NewsThatNeverEndsPutsNoLookOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, looked := time.Now(), []time.Duration(nil)
		l := newLookout()
		l.look = func(Marks) { looked = append(looked, time.Since(begun)) }
		go l.run()
		told, tell := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, l.hear(told)) }()
		for range 10 {
			<-time.After(300 * time.Millisecond)
			_, _ = io.WriteString(tell, AddLine(4711, Group{}))
		}
		_ = tell.Close()
		l.end()
		if want := []time.Duration{1300 * time.Millisecond, 2500 * time.Millisecond}; !slices.Equal(looked, want) {
			t.Errorf("looked after %v, want %v", looked, want)
		}
	})
}
