package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rollcall/model"
)

// cellOf is what a server's row says in a column, and what it means.
func (b *bench) cellOf(server string, col column) (tone, string) {
	b.t.Helper()
	for _, r := range b.app.table.all {
		if r.Server == server {
			return b.app.table.cell(b.app.look, col, r, b.app.engineNow())
		}
	}
	b.t.Fatalf("no row is %s's", server)
	return plain, ""
}

// TestD1_ForSaysHowLongAServerIsDownThatIsRetried: its phase is as old as the
// last attempt, which answers nobody's question. Where nothing is retried the
// phase's own age counts, and one that is acknowledged asks for nobody.
func TestD1_ForSaysHowLongAServerIsDownThatIsRetried(t *testing.T) {
	for phase, sign := range map[model.Phase]bool{
		model.Queued: true, model.Starting: true, model.Waiting: true, model.Stopping: true,
		model.Settling: false, model.Up: false, model.Ended: false, model.Halted: false, model.Refused: false, model.Off: false,
	} {
		down := func(r *model.Row) {
			r.Phase, r.Since, r.DownSince, r.LastsAt = phase, noon.Add(-48*time.Second), noon.Add(-13*time.Minute), time.Time{}
		}
		b := newBench(t, with(tenPhases(), "github", down), 80, 24, Options{})
		wantTone, want := dim, "48s"
		if sign {
			wantTone, want = bad, "↓13m"
		}
		if tone, got := b.cellOf("github", colFor); got != want || tone != wantTone {
			t.Errorf("%s, down: FOR is %q in tone %d, want %q in %d", phase, got, tone, want, wantTone)
		}
		b = newBench(t, with(tenPhases(), "github", func(r *model.Row) { down(r); r.AckedSince = noon }), 80, 24, Options{})
		if tone, got := b.cellOf("github", colFor); got != "48s" || tone != dim {
			t.Errorf("%s, acknowledged: FOR is %q in tone %d", phase, got, tone)
		}
		b = newBench(t, with(tenPhases(), "github", func(r *model.Row) { down(r); r.DownSince = time.Time{} }), 80, 24, Options{})
		if _, got := b.cellOf("github", colFor); got != "48s" {
			t.Errorf("%s, not down: FOR is %q", phase, got)
		}
	}
}

// TestD1_ForHoldsEachAge: the sign and what follows it fit into the column, and
// nothing of it is cut, at each width that has one.
func TestD1_ForHoldsEachAge(t *testing.T) {
	const h = time.Hour
	for _, age := range []time.Duration{0, 59 * time.Second, 59 * time.Minute, 9*h + 59*time.Minute, 23*h + 59*time.Minute,
		9*day + 23*h, 99*day + 23*h, 100*day + 23*h, 1000 * day} {
		for _, width := range []int{60, 80, 99, 100, 160} {
			for _, ascii := range []bool{false, true} {
				f := with(tenPhases(), "github", func(r *model.Row) { r.DownSince = noon.Add(-age) })
				for _, r := range f.Rows {
					r.Lasting = time.Second // a short threshold makes no narrower column
				}
				b := newBench(t, f, width, 24, Options{ASCII: ascii})
				_, got := b.cellOf("github", colFor)
				sign := "↓"
				if ascii {
					sign = "D"
				}
				if !strings.HasPrefix(got, sign) {
					t.Fatalf("FOR is %q, without %s", got, sign)
				}
				for _, f := range b.app.table.layout.fields {
					if n := ansi.StringWidth(got); f.col == colFor && n > f.width {
						t.Errorf("at %d columns %q has %d cells, and FOR %d", width, got, n, f.width)
					}
				}
			}
		}
	}
}

// TestD1_SortingByForIsByWhatItShows: who is down for 13 min comes after who is
// in a phase for 9.
func TestD1_SortingByForIsByWhatItShows(t *testing.T) {
	b := newBench(t, tenPhases(), 120, 40, Options{})
	for b.app.table.by != byFor {
		b.press("s")
	}
	var order []string
	for _, r := range b.app.table.shown {
		order = append(order, r.Server)
	}
	got := strings.Join(order, " ")
	if want := "mail crm-sync images search docs github notes"; !strings.HasPrefix(got+" ", strings.Replace(want, "notes", "", 1)) {
		t.Errorf("sorted by FOR: %s\nwant        %s …", got, want)
	}
}

// TestD9_TheSignOfBeingDownIsItsOwn: of one cell, and no phase's.
func TestD9_TheSignOfBeingDownIsItsOwn(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		l := newLook(Options{ASCII: ascii}, traits{})
		s := l.signs.downFor
		if ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
			t.Errorf("%q is not of one cell", s)
		}
		for _, other := range append(l.phases[:], l.signs.cursor, l.signs.mark, l.signs.none, l.signs.cut, l.signs.dot, l.signs.up, l.signs.down) {
			if s == other {
				t.Errorf("%q stands for something else too", s)
			}
		}
	}
}
