package ui

import (
	"fmt"
	"testing"
	"time"

	"rollcall/model"
)

// ofPhase is a server of the made-up fleet that is in a phase.
func ofPhase(t *testing.T, f model.Fleet, p model.Phase) *model.Row {
	for _, r := range f.Rows {
		if r.Phase == p {
			return r
		}
	}
	t.Fatalf("no server is %s", p)
	return nil
}

// phaseLog is what a server in a phase has written, and what rollcall has said of
// it: nothing where nothing was started.
func phaseLog(r *model.Row) []model.Line {
	if r.Starts == 0 {
		return nil
	}
	var lines []model.Line
	add := func(k model.LineKind, format string, args ...any) {
		n := uint64(len(lines) + 1)
		lines = append(lines, model.Line{Seq: n, At: r.Since.Add(time.Duration(n) * 100 * time.Millisecond), Run: 1, Kind: k, Text: text(format, args...)})
	}
	if r.LastFailureAt.Before(r.Since) && !r.LastFailure.IsZero() { // of the attempt before
		add(model.LineFailure, "%s", r.LastFailure)
	}
	add(model.LineEvent, "starting, attempt %d", r.Attempt)
	add(model.LineStderr, "%s: reading its settings", r.Server)
	if !r.Connected.IsZero() {
		add(model.LineEvent, "connected, attempt %d", r.Attempt)
	}
	if r.LastFailureAt.Equal(r.Since) {
		add(model.LineFailure, "%s", r.LastFailure)
	}
	return lines
}

// TestD6_PaneOfEachPhase has a golden pane of a server in each phase: its
// details, then its log.
func TestD6_PaneOfEachPhase(t *testing.T) {
	for p := range model.Phases {
		t.Run(p.String(), func(t *testing.T) {
			f := tenPhases()
			r := ofPhase(t, f, p)
			log := phaseLog(r)
			f = with(f, r.Server, func(r *model.Row) {
				r.Lines = uint64(len(log))
				switch p {
				case model.Stopping:
					r.Stage, r.StageAt = model.TermSent, noon.Add(-time.Second)
				case model.Ended: // is only where reconnect is off
					entry := *r.Shown
					entry.Reconnect = false
					r.Shown = &entry
				}
			})
			b := newBench(t, f, 80, 24, Options{})
			b.engine.lines[r.Server] = log
			b.engine.usage = model.Usage{At: noon, Processes: 3, Resident: 67 << 20, CPU: 4 * time.Second}
			b.app.table.selectAt(indexOf(b.app.table.shown, r.Server))
			b.press("z", "3")
			details := b.screen()
			b.press("1")
			golden(t, fmt.Sprintf("phase-%s-80x24", p), details+b.screen())
		})
	}
}
