package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rollcall/model"
)

// order is a column that the table can be sorted by.
type order uint8

const (
	byProblem order = iota
	byName
	byPhase
	byAttempt
	byNext
	byFor
	byProbe
	byStarts
	byVia
	byTags
	byFailure
	orders
)

// orderNames are their words, each with what comes first.
var orderNames = [orders]string{byProblem: "problem, the worst first", byName: "server", byPhase: "phase", byAttempt: "attempt, the highest first",
	byNext: "next retry, the soonest first", byFor: "time in phase or down, the shortest first", byProbe: "probe, the slowest first",
	byStarts: "starts, the most first", byVia: "transport", byTags: "tags", byFailure: "last failure, the newest first"}

// isProblem reports whether a row wants a person.
func isProblem(r *model.Row) bool { return severity(r) < calm }

// severity is how much a row wants a person: the lower, the sooner. One that was
// acknowledged wants nobody for now.
func severity(r *model.Row) int {
	if !r.AckedSince.IsZero() {
		return calm + known
	}
	switch trying := r.Phase == model.Queued || r.Phase == model.Starting || r.Phase == model.Stopping; {
	case r.Phase == model.Halted:
		return 0
	case r.Phase == model.Refused:
		return 1
	case r.Phase == model.Ended && !r.LastFailure.IsZero():
		return 2
	case !r.DownSince.IsZero() && r.Phase != model.Settling && r.Phase != model.Off:
		return 3
	case r.Phase == model.Waiting || trying && r.Attempt > 0:
		return 4
	case !r.DownSince.IsZero() && r.Phase == model.Settling:
		return 5
	case r.Probe.Timeouts > 0:
		return 6
	case !r.Note.IsZero():
		return 7
	}
	return calm + calmness[r.Phase]
}

// calm is the least severity that is no problem; severities is how many there are.
const (
	calm       = 8
	known      = 5 // among what is calm: acknowledged
	severities = calm + 8
)

// calmness is the order of what is no problem.
var calmness = [model.Phases]int{model.Settling: 0, model.Starting: 1, model.Stopping: 2, model.Queued: 3, model.Up: 4,
	model.Ended: 6, model.Off: 7}

// arrange sorts rows, stable over the configuration's order, so that rows that
// are alike do not change places.
func arrange(rows []*model.Row, by order, reverse bool) {
	if by == byProblem {
		arrangeBySeverity(rows, reverse)
		return
	}
	compare := comparisons[by]
	slices.SortStableFunc(rows, func(a, b *model.Row) int {
		if reverse {
			return compare(b, a)
		}
		return compare(a, b)
	})
}

// arrangeBySeverity is the order in which every snapshot comes: a count of
// each severity and one pass, so that it stays linear with 10,000 rows.
func arrangeBySeverity(rows []*model.Row, reverse bool) {
	var next [severities + 1]int // where the next row of each severity goes
	level := func(r *model.Row) int {
		if reverse {
			return severities - 1 - severity(r)
		}
		return severity(r)
	}
	for _, r := range rows {
		next[level(r)+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	for _, r := range slices.Clone(rows) {
		rows[next[level(r)]] = r
		next[level(r)]++
	}
}

// comparisons are the other orders.
var comparisons = [orders]func(a, b *model.Row) int{
	byName:    func(a, b *model.Row) int { return strings.Compare(a.Server, b.Server) },
	byPhase:   func(a, b *model.Row) int { return int(a.Phase) - int(b.Phase) },
	byAttempt: func(a, b *model.Row) int { return b.Attempt - a.Attempt },
	byNext: func(a, b *model.Row) int { // those without a next attempt come last
		switch {
		case a.Next.IsZero() || b.Next.IsZero():
			return cmp.Compare(boolInt(a.Next.IsZero()), boolInt(b.Next.IsZero()))
		}
		return a.Next.Compare(b.Next)
	},
	byFor: func(a, b *model.Row) int {
		at, _ := sinceWhen(a)
		bt, _ := sinceWhen(b)
		return bt.Compare(at)
	},
	byProbe:  func(a, b *model.Row) int { return cmp.Compare(probeWeight(b), probeWeight(a)) },
	byStarts: func(a, b *model.Row) int { return b.Starts - a.Starts },
	byVia:    func(a, b *model.Row) int { return strings.Compare(viaOf(a), viaOf(b)) },
	byTags: func(a, b *model.Row) int {
		return cmp.Or(cmp.Compare(boolInt(untagged(a)), boolInt(untagged(b))), slices.Compare(tags(a), tags(b)))
	},
	byFailure: func(a, b *model.Row) int { // those that never failed come last
		return b.LastFailureAt.Compare(a.LastFailureAt)
	},
}

// probeWeight puts servers that are late before slow ones, and those of which no
// probe is shown last. It is of what the row says, not of nanoseconds: rows that
// look alike do not change places with each probe.
func probeWeight(r *model.Row) int64 {
	switch d := r.Probe.Latency; {
	case r.Probe.IsZero() || r.Phase != model.Up && r.Phase != model.Settling:
		return -1
	case r.Probe.Timeouts > 0:
		return int64(r.Probe.Timeouts) << 60
	case d < time.Second:
		return int64(d.Truncate(time.Millisecond))
	case d < 10*time.Second:
		return int64(d.Round(time.Second / 10))
	default:
		return int64(d.Truncate(time.Second))
	}
}

// viaOf is the transport's word; one that is not known comes last.
func viaOf(r *model.Row) string {
	if t, known := r.Via(); known {
		return t.String()
	}
	return "~"
}

func untagged(r *model.Row) bool { return len(tags(r)) == 0 }

// tags are a row's tags as plain text.
func tags(r *model.Row) []string {
	all := make([]string, len(r.Tags()))
	for i, t := range r.Tags() {
		all[i] = t.String()
	}
	return all
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
