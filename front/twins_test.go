package front

import (
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestX2_ASignalThatBothGotCountsOnce plays what a terminal, a shell and an
// operator send: to the front, to the engine, or to both.
func TestX2_ASignalThatBothGotCountsOnce(t *testing.T) {
	const term, hup = syscall.SIGTERM, syscall.SIGHUP
	type sent struct {
		after time.Duration // since the one before
		s     syscall.Signal
		own   bool // the engine's own; else the front's
	}
	for _, c := range []struct {
		name   string
		sent   []sent
		raised []syscall.Signal
	}{
		{"to the front", []sent{{0, term, false}}, []syscall.Signal{term}},
		{"to the engine", []sent{{0, term, true}}, nil},
		{"to both", []sent{{0, term, true}, {0, term, false}}, nil},
		{"to both, the front first", []sent{{0, term, false}, {50 * time.Millisecond, term, true}}, nil},
		{"to both, the front late", []sent{{0, term, true}, {500 * time.Millisecond, term, false}}, nil},
		{"timeout: to the front, then to both", []sent{{0, term, false}, {0, term, false}, {time.Millisecond, term, true}}, nil},
		{"twice to both", []sent{{0, term, true}, {0, term, false}, {time.Second, term, true}, {0, term, false}}, nil},
		{"twice to the front", []sent{{0, term, false}, {500 * time.Millisecond, term, false}}, []syscall.Signal{term, term}},
		{"to the engine, later to the front", []sent{{0, term, true}, {2 * time.Second, term, false}}, []syscall.Signal{term}},
		{"two kinds", []sent{{0, hup, true}, {0, term, false}}, []syscall.Signal{term}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var raised []syscall.Signal
				var tw *twins
				tw = newTwins(func(s syscall.Signal) {
					raised = append(raised, s)
					time.AfterFunc(time.Millisecond, func() { tw.got(s) }) // as the process then gets it
				})
				for _, s := range c.sent {
					<-time.After(s.after)
					if s.own {
						tw.got(s.s)
					} else {
						time.AfterFunc(tw.passed(s.s))
					}
				}
				<-time.After(time.Minute)
				if !slices.Equal(raised, c.raised) {
					t.Errorf("raised %v, want %v", raised, c.raised)
				}
			})
		})
	}
}
