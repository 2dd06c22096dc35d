package ui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	eager     = 5 * time.Millisecond // until a new frame is on the terminal
	resting   = time.Second          // between looks while there is none
	unhurried = 3 * eager            // after a new frame it rests again
)

// pace is how often Bubble Tea's renderer looks for a new frame. It looks on a
// ticker of its own, at one rate for good: a high one costs an idle screen most
// of its CPU, a low one makes each key late. So it is made to look at once where
// a frame is new, and else to rest.
//
// Bubble Tea has no option for that, and its ticker is a field of its own. Where
// a later version has no such field nothing breaks: the rate is fps then.
type pace struct {
	program *tea.Program
	ticker  *time.Ticker // nil until it is found
	rest    *time.Timer
}

func newPace(p *tea.Program) *pace { return &pace{program: p} }

// frame says that there is a new frame. It is called in the program's own
// goroutine, which made the ticker. A nil pace does nothing.
func (p *pace) frame() {
	if p == nil {
		return
	}
	if p.ticker == nil {
		if p.ticker = tickerOf(p.program); p.ticker == nil {
			return
		}
		t := p.ticker
		p.rest = time.AfterFunc(unhurried, func() { t.Reset(resting) })
	}
	p.ticker.Reset(eager)
	p.rest.Reset(unhurried)
}

// tickerOf is the renderer's ticker, nil where there is none yet, or no more.
func tickerOf(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(f.UnsafePointer())
}
