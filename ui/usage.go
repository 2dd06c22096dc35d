package ui

import (
	"context"
	"errors"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

const (
	usageEvery = 2 * time.Second // between two samples, while somebody looks
	usageLimit = 5 * time.Second // for one of them
)

// usage is what the processes of the selected server's launch use: sampled
// only while the details are on the screen. A share of a core needs two
// samples of one run.
type usage struct {
	run      uint64 // whose the samples are
	last     model.Usage
	have     bool
	share    float64 // of one core, between the last two
	hasShare bool
	err      string    // why it cannot be known
	asked    time.Time // when it was last asked for
	fetching bool
}

// usageMsg is one sample.
type usageMsg struct {
	server string
	run    uint64
	usage  model.Usage
	err    error
}

// fetchUsage, with the details alone, asks for a sample where they are on the
// screen and the last one is old.
func (a *app) fetchUsage() tea.Cmd {
	row, u := a.table.row(), &a.pane.usage
	shown := a.pane.listHeight(a.places.paneHeight-1) > 0 && a.mode != helping
	if !shown || row == nil || u.fetching || u.run == row.Run && a.now().Sub(u.asked).Abs() < usageEvery {
		return nil
	}
	if row.PID == 0 { // nothing of it runs here: there is nothing to ask
		*u = usage{run: row.Run}
		return nil
	}
	if u.run != row.Run {
		*u = usage{run: row.Run}
	}
	u.asked, u.fetching = a.now(), true
	e, server, run := a.engine, row.Server, row.Run
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), usageLimit)
		defer cancel()
		sample, err := e.Usage(ctx, server)
		return usageMsg{server, run, sample, err}
	}
}

// take keeps a sample; redact is for why there is none.
func (u *usage) take(m usageMsg, redact func(string) string) {
	if m.run != u.run {
		return
	}
	u.fetching = false
	if m.err != nil {
		*u = usage{run: u.run, asked: u.asked, err: oneLine(redact(m.err.Error()))}
		if errors.Is(m.err, context.DeadlineExceeded) {
			u.err = "no answer within " + model.Span(usageLimit).String()
		}
		return
	}
	between, spent := m.usage.At.Sub(u.last.At), m.usage.CPU-u.last.CPU
	u.hasShare = u.have && between > 0 && spent >= 0 // it falls where a process is gone
	if u.hasShare {
		u.share = spent.Seconds() / between.Seconds()
	}
	u.last, u.have, u.err = m.usage, true, ""
}

// memory is what its processes hold.
func (u *usage) memory() string {
	if !u.have {
		return u.err
	}
	processes := "1 process"
	if n := u.last.Processes; n != 1 {
		processes = strconv.Itoa(n) + " processes"
	}
	return size(u.last.Resident) + " in " + processes
}

// cpu is what they spend, and have spent.
func (u *usage) cpu() string {
	if !u.have {
		return ""
	}
	spent := strconv.FormatFloat(u.last.CPU.Seconds(), 'f', 1, 64) + " s since it started"
	if !u.hasShare {
		return spent
	}
	return strconv.FormatFloat(100*u.share, 'f', 1, 64) + " % of a core, " + spent
}

// size is bytes as a person reads them: 812 KiB, 67.3 MiB, 1.2 GiB.
func size(n uint64) string {
	switch {
	case n < 1<<20:
		return strconv.FormatUint(n>>10, 10) + " KiB"
	case n < 1<<30:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	}
	return strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64) + " GiB"
}
