package ui

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// level is rows that are alike in a column: each function makes one such row.
type level []func(r *model.Row)

// column by column, what comes before what: each level's rows come after all of
// the level before, and among themselves as the configuration has them.
var levels = [orders]struct {
	head, said string
	in         []level
}{
	byProblem: {"", "problem, the worst first", []level{
		{phase(model.Halted), func(r *model.Row) { r.Phase, r.DownSince = model.Halted, noon.Add(-time.Hour) }},
		{phase(model.Refused)},
		{func(r *model.Row) { r.Phase, r.LastFailure = model.Ended, text("exit code 2") }},
		{down(model.Waiting), down(model.Starting), down(model.Up)},
		{phase(model.Waiting), func(r *model.Row) { r.Phase, r.Attempt = model.Queued, 2 }, func(r *model.Row) { r.Phase, r.Attempt = model.Stopping, 1 }},
		{down(model.Settling)},
		{func(r *model.Row) { r.Probe.Timeouts = 1 }, func(r *model.Row) { r.Probe.Timeouts = 2 }},
		{func(r *model.Row) { r.Note = text("changed: restart applies it") }},
		{phase(model.Settling)},
		{phase(model.Starting)},
		{phase(model.Stopping)},
		{phase(model.Queued)},
		{phase(model.Up), func(r *model.Row) { r.Attempt = 3 }},
		{func(r *model.Row) { r.Phase, r.DownSince, r.AckedSince = model.Halted, noon, noon }, func(r *model.Row) { r.Phase, r.AckedSince = model.Waiting, noon }},
		{phase(model.Ended)},
		{phase(model.Off), down(model.Off)},
	}},
	byName: {"SERVER", "server", nil}, // no two are alike
	byPhase: {"PHASE", "phase", []level{{phase(model.Off)}, {phase(model.Queued)}, {phase(model.Starting)}, {phase(model.Settling)},
		{phase(model.Up), down(model.Up)}, {phase(model.Waiting), down(model.Waiting)}, {phase(model.Stopping)}, {phase(model.Ended)}, {phase(model.Halted)}, {phase(model.Refused)}}},
	byAttempt: {"ATTEMPT", "attempt, the highest first", []level{{attempt(1000)}, {attempt(10)}, {attempt(9)}, {attempt(1)}, {attempt(0)}}},
	byNext: {"NEXT RETRY", "next retry, the soonest first", []level{{dueIn(0)}, {dueIn(time.Second)}, {dueIn(2 * time.Minute)}, {dueIn(10 * time.Hour)},
		{phase(model.Up), phase(model.Halted), phase(model.Off)}}},
	byFor: {"FOR", "time in phase or down, the shortest first", []level{{inPhaseFor(0)}, {inPhaseFor(time.Second)},
		{inPhaseFor(13 * time.Minute), func(r *model.Row) {
			r.Phase, r.Since, r.DownSince = model.Waiting, noon.Add(-time.Second), noon.Add(-13*time.Minute)
		}}, {inPhaseFor(24 * time.Hour)}}},
	byProbe: {"PROBE", "probe, the slowest first", []level{
		{unanswered(2, model.TimedOut, 3*time.Millisecond), unanswered(2, model.TimedOut, 90*time.Millisecond), unanswered(2, model.ProbeError, 0)},
		{unanswered(1, model.TimedOut, time.Minute), unanswered(1, model.TimedOut, 0)},
		{answeredIn(12*time.Second + 1), answeredIn(12*time.Second + 999*time.Millisecond)},
		{answeredIn(1210 * time.Millisecond), answeredIn(1190 * time.Millisecond)},
		{answeredIn(999 * time.Millisecond), answeredIn(999*time.Millisecond + 999*time.Microsecond)},
		{answeredIn(3*time.Millisecond + 5), answeredIn(3*time.Millisecond + 900*time.Microsecond)},
		{answeredIn(time.Microsecond), answeredIn(900 * time.Microsecond), answeredIn(0)},
		{func(r *model.Row) { r.Probe = model.Probe{} }, phase(model.Waiting), phase(model.Halted)},
	}},
	byStarts: {"STARTS", "starts, the most first", []level{{starts(1000)}, {starts(14)}, {starts(9)}, {starts(1)}, {starts(0)}}},
	byVia: {"VIA", "transport", []level{{over(model.HTTP)}, {over(model.Stdio)}, {over(model.WebSocket),
		func(r *model.Row) { r.Shown, r.Known = nil, &model.Known{Transport: model.Some(model.WebSocket)} }},
		{func(r *model.Row) { r.Shown = nil }, func(r *model.Row) { r.Shown, r.Known = nil, &model.Known{} }}}},
	byTags: {"TAGS", "tags", []level{{tagged("gpu")}, {tagged("prod"), func(r *model.Row) { r.Shown, r.Known = nil, &model.Known{Tags: []redact.Safe{text("prod")}} }},
		{tagged("prod", "code")}, {tagged("prod", "money")}, {tagged("日本語")}, {tagged(), func(r *model.Row) { r.Shown = nil }}}},
	byFailure: {"LAST FAILURE", "last failure, the newest first", []level{{failedAgo(0)}, {failedAgo(time.Second)}, {failedAgo(time.Hour)}, {failedAgo(9 * day)}, {func(*model.Row) {}, phase(model.Off)}}},
}

func phase(p model.Phase) func(r *model.Row) { return func(r *model.Row) { r.Phase = p } }
func attempt(n int) func(r *model.Row)       { return func(r *model.Row) { r.Attempt = n } }
func starts(n int) func(r *model.Row)        { return func(r *model.Row) { r.Starts = n } }
func over(t model.Transport) func(r *model.Row) {
	return func(r *model.Row) { r.Transport = t }
}

func down(p model.Phase) func(r *model.Row) {
	return func(r *model.Row) { r.Phase, r.DownSince = p, noon.Add(-13*time.Minute) }
}

func dueIn(d time.Duration) func(r *model.Row) {
	return func(r *model.Row) { r.Phase, r.Next = model.Waiting, noon.Add(d) }
}

func inPhaseFor(d time.Duration) func(r *model.Row) {
	return func(r *model.Row) { r.Since = noon.Add(-d) }
}

func answeredIn(d time.Duration) func(r *model.Row) {
	return func(r *model.Row) { r.Probe = model.Probe{At: noon, Latency: d} }
}

func unanswered(n int, o model.Outcome, before time.Duration) func(r *model.Row) {
	return func(r *model.Row) { r.Probe = model.Probe{At: noon, Outcome: o, Timeouts: n, Latency: before} }
}

func tagged(tags ...string) func(r *model.Row) {
	return func(r *model.Row) { r.Shown = shown("x", tags...) }
}

func failedAgo(d time.Duration) func(r *model.Row) {
	return func(r *model.Row) { r.LastFailure, r.LastFailureAt = text("exit code 1"), noon.Add(-d) }
}

// leveled is a fleet with some rows of each level, strewn over the configuration
// and named in no order; and the servers of each level, in the configuration's.
// There are more rows than what a sort does by insertion, which is stable whatever
// it is called.
func leveled(in []level) (f model.Fleet, want [][]string) {
	const copies = 7
	random := rand.New(rand.NewPCG(1, 2))
	type made struct {
		level int
		make  func(r *model.Row)
	}
	var all []made
	for i, l := range in {
		for range copies {
			for _, m := range l {
				all = append(all, made{i, m})
			}
		}
	}
	if len(in) == 0 {
		all = make([]made, 60)
		for i := range all {
			all[i].make = func(*model.Row) {}
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	names := random.Perm(len(all))
	want = make([][]string, max(len(in), 1))
	f = model.Fleet{Seq: 1, At: noon, Host: text("edge-7"), Config: text("servers.toml")}
	for i, m := range all {
		r := &model.Row{Server: fmt.Sprintf("s%03d", names[i]), Phase: model.Up, Since: noon.Add(-time.Hour), Connected: noon.Add(-time.Hour), Lasting: 300 * time.Second,
			Starts: 1, Shown: shown("x", "all"), Probe: model.Probe{At: noon, Latency: 3 * time.Millisecond}}
		m.make(r)
		f.Rows = append(f.Rows, r)
		want[m.level] = append(want[m.level], r.Server)
	}
	if len(in) == 0 { // by name: each is a level of its own
		slices.Sort(want[0])
		want = slices.Collect(slices.Chunk(want[0], 1))
	}
	return f, want
}

// sortBy presses s until the table is sorted by a column.
func (b *bench) sortBy(by order) {
	b.t.Helper()
	for range orders {
		if b.app.table.by == by {
			return
		}
		b.press("s")
	}
	b.t.Fatalf("no s sorts by %s", orderNames[by])
}

func (b *bench) order() string {
	var names []string
	for _, r := range b.app.table.shown {
		names = append(names, r.Server)
	}
	return strings.Join(names, " ")
}

// TestD1_EachColumnSorts: the whole order by each column and its reverse. Rows
// that are alike in it stay in the configuration's order, in both, and where a
// snapshot changes them in what the column does not show.
func TestD1_EachColumnSorts(t *testing.T) {
	for by, c := range levels {
		by := order(by)
		t.Run(orderNames[by], func(t *testing.T) {
			f, in := leveled(c.in)
			want := strings.Join(slices.Concat(in...), " ")
			slices.Reverse(in)
			reversed := strings.Join(slices.Concat(in...), " ")
			b := newBench(t, f, 200, 50, Options{})
			b.press("j", "j", "j")
			chosen := b.app.table.selected
			if by == byProblem {
				b.sortBy(byName) // and round again
			}
			b.sortBy(by)
			for _, step := range []struct{ key, sign, want string }{{"", "▼", want}, {"S", "▲", reversed}, {"S", "▼", want}} {
				b.press(strings.Fields(step.key)...)
				if got := b.order(); got != step.want {
					t.Fatalf("%s: the rows are\n%s\nwant\n%s", step.sign, got, step.want)
				}
				if got, want := b.footer(), "sorted by "+c.said+" "+step.sign; got != want {
					t.Errorf("the footer is %q, want %q", got, want)
				}
				heads := b.line(b.app.places.table)
				if c.head != "" && !strings.Contains(heads, c.head+step.sign) || strings.Count(heads, step.sign) != boolInt(c.head != "") {
					t.Errorf("the heads are %s, want %s after %s alone", heads, step.sign, c.head)
				}
				for range 3 {
					f.Seq, f.Rows = f.Seq+1, slices.Clone(f.Rows)
					for i, r := range f.Rows {
						changed := *r
						changed.Lines++
						changed.PID += i%5 + 1
						f.Rows[i] = &changed
					}
					b.send(fleetMsg{f})
					if got := b.order(); got != step.want {
						t.Fatalf("%s, another snapshot: the rows are\n%s\nwant\n%s", step.sign, got, step.want)
					}
				}
				if got := b.app.table.selected; got != chosen {
					t.Errorf("the selection went from %s to %s", chosen, got)
				}
			}
		})
	}
}

// TestD1_SGoesOverTheColumnsInOrder, and comes back to problems first.
func TestD1_SGoesOverTheColumnsInOrder(t *testing.T) {
	b := newBench(t, tenPhases(), 200, 50, Options{})
	want := []order{byName, byPhase, byAttempt, byNext, byFor, byProbe, byStarts, byVia, byTags, byFailure, byProblem, byName}
	for i, by := range want {
		if b.press("s"); b.app.table.by != by {
			t.Fatalf("the %dth s sorts by %s, want %s", i+1, orderNames[b.app.table.by], orderNames[by])
		}
	}
	b = newBench(t, tenPhases(), 40, 10, Options{}) // what is not shown is not sorted by
	for i, by := range []order{byName, byPhase, byAttempt, byNext, byFailure, byProblem} {
		if b.press("s"); b.app.table.by != by {
			t.Errorf("on a narrow screen the %dth s sorts by %s, want %s", i+1, orderNames[b.app.table.by], orderNames[by])
		}
	}
}

// TestD1_RowsThatLookAlikeDoNotSwapAtEachProbe: sorted by PROBE, rows stand still
// while what they show does.
func TestD1_RowsThatLookAlikeDoNotSwapAtEachProbe(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	f := quietFleet(60)
	f.At = noon
	probe := func() {
		f.Seq, f.Rows = f.Seq+1, slices.Clone(f.Rows)
		for i, r := range f.Rows {
			changed := *r
			changed.Probe = model.Probe{At: noon, Latency: time.Duration(random.IntN(1e6))} // <1 ms
			if i%3 == 0 {
				changed.Probe.Latency += 7 * time.Millisecond
			}
			f.Rows[i] = &changed
		}
	}
	probe()
	b := newBench(t, f, 200, 50, Options{})
	b.sortBy(byProbe)
	was := b.order()
	for range 20 {
		probe()
		b.send(fleetMsg{f})
		if got := b.order(); got != was {
			t.Fatalf("the rows were\n%s\nand are\n%s", was, got)
		}
	}
}

// TestD1_ProbesAreSortedByWhatIsShown, whatever they took.
func TestD1_ProbesAreSortedByWhatIsShown(t *testing.T) {
	l := newBench(t, tenPhases(), 80, 24, Options{}).app.look
	random := rand.New(rand.NewPCG(5, 6))
	type row struct {
		*model.Row
		text string
	}
	var rows []row
	for range 500 {
		r := &model.Row{Phase: model.Up}
		answeredIn(time.Duration(random.Int64N(1 << (10 + random.IntN(25)))))(r)
		_, text := probe(l, r)
		rows = append(rows, row{r, text})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.Probe.Latency, b.Probe.Latency) })
	for i := 1; i < len(rows); i++ {
		a, b := rows[i-1], rows[i]
		switch order := comparisons[byProbe](a.Row, b.Row); {
		case a.text == b.text && order != 0:
			t.Fatalf("%v and %v both show %s, and are told apart", a.Probe.Latency, b.Probe.Latency, a.text)
		case a.text != b.text && order <= 0:
			t.Fatalf("%v shows %s and %v %s, and the second does not come first", a.Probe.Latency, a.text, b.Probe.Latency, b.text)
		}
	}
}
