package ui

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// gate is the terminal as it is written to: nothing while it is another job's. A
// dashboard that was stopped in a way that nobody can catch, and goes on in the
// background, would else draw over the shell. Any goroutine may write.
type gate struct {
	term.File                       // no more than this: what else a file has would pass by Write
	ours      func(fd uintptr) bool // a test's own
	shut      atomic.Bool           // it was not ours, and must be taken back as a whole
	restoring atomic.Bool           // see restore
	cost      atomic.Int64          // of all that was written: see costOf
}

// newGate is the gate before an output, nil meaning stdout; nil where that is no
// file, and so no terminal.
func newGate(out io.Writer) *gate {
	if out == nil {
		out = os.Stdout
	}
	f, ok := out.(term.File)
	if !ok {
		return nil
	}
	return &gate{File: f, ours: foreground}
}

// Write writes where the terminal is this job's.
func (g *gate) Write(b []byte) (int, error) {
	if !g.open() {
		return len(b), nil
	}
	begun := time.Now()
	n, err := g.File.Write(b)
	g.cost.Add(costOf(n, time.Since(begun)))
	return n, err
}

// sent is what all that was written has cost, in bytes. A nil gate has sent
// nothing.
func (g *gate) sent() int64 {
	if g == nil {
		return 0
	}
	return g.cost.Load()
}

// open reports whether the terminal is this job's. A nil gate is always open.
func (g *gate) open() bool {
	if g == nil || g.restoring.Load() || g.ours(g.Fd()) {
		return true
	}
	g.shut.Store(true)
	return false
}

// restore opens it for good: what comes now puts the terminal back as it was,
// whoever has it (D10).
func (g *gate) restore() {
	if g != nil {
		g.restoring.Store(true)
	}
}

// filter is Bubble Tea's: it sees the end of the program come, and keeps sizes
// within bounds.
func (g *gate) filter(m tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.QuitMsg); ok {
		g.restore()
	}
	return withinBounds(m, msg)
}

// reopened reports, once, whether the terminal is this job's again.
func (g *gate) reopened() bool {
	return g != nil && g.shut.Load() && g.open() && g.shut.CompareAndSwap(true, false)
}

// foreground reports whether a terminal is this job's. One that is gone, or that
// is not the one of this session, is not another's.
func foreground(fd uintptr) bool {
	group, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
