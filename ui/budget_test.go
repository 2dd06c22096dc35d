package ui

import (
	"fmt"
	"os"
	"testing"
	"time"

	"rollcall/model"
)

// TestLinesWaitForTheirBudget: what a flood sends in the long run is lineRate,
// whatever a frame of it takes.
func TestLinesWaitForTheirBudget(t *testing.T) {
	for _, frame := range []int64{100, 4000, 30_000} {
		b := lineBudget()
		now, sent := noon, int64(0)
		for now.Before(noon.Add(time.Minute)) {
			if pause := b.pause(now, sent); pause > 0 {
				now = now.Add(pause)
				continue
			}
			sent += frame
			now = now.Add(10 * time.Millisecond) // as fast as it can
		}
		if most := 60*lineRate + burst + frame; sent > int64(most) || sent < 60*lineRate-frame {
			t.Errorf("frames of %d bytes: %d in a minute, want about %d", frame, sent, 60*lineRate)
		}
	}
}

func TestASlowTerminalIsSentLess(t *testing.T) {
	if got := costOf(500, time.Millisecond); got != 500 {
		t.Errorf("500 bytes at once cost %d", got)
	}
	b := lineBudget()
	b.pause(noon, 0)
	sent := int64(0)
	for range 3 { // three frames of a second each
		sent += costOf(1000, time.Second)
	}
	if got := b.pause(noon.Add(3*time.Second), sent); got < 2*time.Second || got > maxPause {
		t.Errorf("after three seconds of writing lines wait %v", got)
	}
}

// TestKeysDoNotWaitForTheBudget: of another server nothing is read while the
// budget is used up, but the screen shows at once who is selected.
func TestKeysDoNotWaitForTheBudget(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	b := newBench(t, tenPhases(), 120, 40, Options{})
	at := noon
	b.app.now = func() time.Time { return at }
	b.app.gate = newGate(null)
	b.press("j", "j")
	b.app.gate.cost.Store(burst + lineRate) // a second's too much
	_, _ = b.app.Update(keyMsg("j"))
	b.app.View()
	if p := &b.app.pane; b.app.table.row().Server != "github" || p.server != "github" || !p.resting || p.fetchingLines {
		t.Errorf("selected %s, the pane tells of %s, resting %t", b.app.table.row().Server, p.server, p.resting)
	}
	at = at.Add(time.Second)
	b.send(restedMsg{})
	if len(b.app.pane.log) == 0 {
		t.Error("after a second the lines are not read")
	}
	b.app.gate.cost.Add(burst + 1)
	_, _ = b.app.Update(fleetMsg{with(b.app.fleet, "github", func(r *model.Row) { r.Lines++ })})
	if !b.app.pane.resting {
		t.Error("new lines do not wait")
	}
}

// TestAFloodFitsASlowLink: what a terminal gets is bounded by frames and by bytes,
// not by lines. 16 kB a second is a modem's, and a key must still get through; also
// on a wide screen, and while keys turn from the flood and back to it.
func TestAFloodFitsASlowLink(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of wall clock")
	}
	for _, c := range []struct {
		width, height uint16
		keys          bool
	}{{80, 24, false}, {200, 50, false}, {200, 50, true}} {
		t.Run(fmt.Sprintf("%dx%d, keys %t", c.width, c.height, c.keys), func(t *testing.T) {
			t.Parallel()
			x := start(t, "flood", c.width, c.height)
			x.Shows("GET /v1/items")
			x.clockTicks(2) // what is saved up while nothing is drawn is gone
			ended := make(chan struct{})
			if c.keys {
				go x.typesAll("jk", 100*time.Millisecond, ended)
			}
			n, seconds := x.clockTicks(4)
			close(ended)
			t.Logf("%d bytes a second while 2,000 lines a second arrive", n/seconds)
			if n > 16_000*seconds {
				t.Errorf("%d bytes in %d s, at most 16,000 a second are allowed", n, seconds)
			}
		})
	}
}

// typesAll types keys in turn, one each time, until it is told to end.
func (x *terminal) typesAll(keys string, every time.Duration, ended <-chan struct{}) {
	pace := time.NewTicker(every)
	defer pace.Stop()
	for i := 0; ; i++ {
		select {
		case <-pace.C:
			x.Types(keys[i%len(keys) : i%len(keys)+1])
		case <-ended:
			return
		}
	}
}

// TestLinesComeAgainAfterTheirPause, whatever was sent before: keys that were held
// for an hour are no debt for the next.
func TestLinesComeAgainAfterTheirPause(t *testing.T) {
	b := lineBudget()
	b.pause(noon, 0)
	if got := b.pause(noon, 100<<20); got != maxPause {
		t.Errorf("lines wait %v, want %v", got, maxPause)
	}
	if got := b.pause(noon.Add(maxPause), 100<<20); got != 0 {
		t.Errorf("after %v they wait %v more", maxPause, got)
	}
}
