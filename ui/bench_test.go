package ui

import (
	"strconv"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rollcall/model"
)

// busyFleet is n servers of which each tells of something.
func busyFleet(n int) model.Fleet {
	kinds := tenPhases().Rows
	f := model.Fleet{Seq: 1, At: noon, Host: text("edge-7"), Config: text("servers.toml")}
	for i := range n {
		r := *kinds[i%len(kinds)]
		r.Server += strconv.Itoa(i)
		f.Rows = append(f.Rows, &r)
	}
	return f
}

// BenchmarkFrame is a whole frame of 500 servers, 48 of them visible: under a
// millisecond.
func BenchmarkFrame(b *testing.B) {
	x := newBench(b, busyFleet(500), 200, 50, Options{})
	x.app.pane.share = 100
	b.ReportAllocs()
	for b.Loop() {
		x.app.draw()
	}
}

// BenchmarkFrameOfLog is a frame whose pane shows a full tail of long lines.
func BenchmarkFrameOfLog(b *testing.B) {
	x := newBench(b, tenPhases(), 200, 50, Options{})
	x.press("j", "j", "j", "z")
	x.says("github", 1000)
	for b.Loop() {
		x.app.draw()
	}
}

// BenchmarkSnapshot is a snapshot in which one row of 500 is new: taken,
// sorted, drawn.
func BenchmarkSnapshot(b *testing.B) { snapshots(b, 500) }

func snapshots(b *testing.B, servers int) {
	x := newBench(b, busyFleet(servers), 200, 50, Options{})
	rows := x.app.fleet.Rows
	b.ReportAllocs()
	for b.Loop() {
		f := x.app.fleet
		f.Seq++
		f.Rows = append([]*model.Row(nil), rows...)
		r := *rows[7]
		r.Since = r.Since.Add(time.Second)
		f.Rows[7] = &r
		x.app.Update(fleetMsg{f})
		x.app.View()
	}
}

// BenchmarkSnapshotOfMany is the same with 10,000 servers.
func BenchmarkSnapshotOfMany(b *testing.B) { snapshots(b, 10_000) }

// BenchmarkKey is one step down the table.
func BenchmarkKey(b *testing.B) {
	x := newBench(b, busyFleet(500), 200, 50, Options{})
	keys := []tea.Msg{keyMsg("j"), keyMsg("up")}
	for i := 0; b.Loop(); i++ {
		x.app.Update(keys[i%2])
		x.app.View()
	}
}
