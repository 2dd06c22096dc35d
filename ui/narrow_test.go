package ui

import (
	"os"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// rowLine is the line of the table that a server has.
func (b *bench) rowLine(server string) string {
	b.t.Helper()
	for line := range strings.Lines(b.screen()) {
		if strings.Contains(line, " "+server+" ") {
			return strings.TrimRight(line, "\n")
		}
	}
	b.t.Fatalf("%s is not on the screen:\n%s", server, b.screen())
	return ""
}

// TestP3_ANarrowRowSaysThatItsProbesAreSlow: where there is no column for it, it
// is the first that the row says; what to do is in the details.
func TestP3_ANarrowRowSaysThatItsProbesAreSlow(t *testing.T) {
	slow := func(r *model.Row) { r.Probe.At, r.Probe.Timeouts, r.Probe.Outcome = noon, 1, model.TimedOut }
	f := with(with(tenPhases(), "search", slow), "billing", func(r *model.Row) { slow(r); r.Probe.Outcome = model.ProbeError })
	b := newBench(t, f, 80, 24, Options{})
	for server, want := range map[string]string{"docs": " 2/3 slow", "billing": " 1/3 error", "search": " 1/3 slow · up in 3:08 · close code …", "translate": " changed: restart applies it"} {
		if got := b.rowLine(server); !strings.HasSuffix(got, want) {
			t.Errorf("the row is %q, want its end to be %q", got, want)
		}
	}
	b.send(sized(120, 24))
	for server, want := range map[string]string{"docs": " 2/3 slow", "search": " 1/3 slow  close code 1011 after 12 s"} {
		if got := b.rowLine(server); !strings.HasSuffix(got, want) || strings.Count(got, "slow") != 1 {
			t.Errorf("with a column the row is %q, want its end to be %q", got, want)
		}
	}
	for _, server := range []string{"docs", "search"} {
		if got := whatToDo(row(f, server)); !strings.Contains(got, "third probe in a row") {
			t.Errorf("of %s the details say %q", server, got)
		}
	}
}

// TestD1_NoColumnForProbesThatNobodyHad: on a screen that has no cells to spare
// it comes with the first probe, and a server that comes and goes does not take
// it along each time.
func TestD1_NoColumnForProbesThatNobodyHad(t *testing.T) {
	f := quietFleet(3)
	for _, r := range f.Rows {
		f = with(f, r.Server, func(r *model.Row) {
			r.Phase, r.Probe, r.LastFailure = model.Halted, model.Probe{}, text("%s", strings.Repeat("x", 60))
		})
	}
	f.At = noon
	b := newBench(t, f, 110, 24, Options{})
	shows := func(want bool, when string) {
		t.Helper()
		b.app.stale = true
		if got := strings.Contains(b.screen(), "PROBE"); got != want {
			t.Errorf("%s: a column for probes: %t, want %t\n%s", when, got, want, b.screen())
		}
	}
	shows(false, "nobody was probed")
	connected := with(f, "server-001", func(r *model.Row) { r.Phase, r.Since = model.Up, noon })
	b.send(fleetMsg{connected})
	shows(false, "one is connected")
	probed := with(connected, "server-001", func(r *model.Row) { r.Probe = model.Probe{At: noon, Latency: time.Millisecond} })
	b.send(fleetMsg{probed})
	shows(true, "it was probed")
	lost := with(probed, "server-001", func(r *model.Row) { r.Phase = model.Waiting })
	lost.At = noon.Add(probeKept)
	b.send(fleetMsg{lost})
	shows(true, "it was lost")
	tried := with(lost, "server-001", func(r *model.Row) { r.Phase = model.Starting })
	tried.At = noon.Add(probeKept + time.Second)
	b.send(fleetMsg{tried})
	shows(false, "it is away for long")
	b.send(sized(wide, 24))
	shows(true, "there is room")
}

// TestO_AnAcknowledgedRowStillSaysWhy: who acknowledged it, and when, stands where
// there is room for all; that somebody did stands before a note, too.
func TestO_AnAcknowledgedRowStillSaysWhy(t *testing.T) {
	f := with(tenPhases(), "github", func(r *model.Row) {
		r.AckedBy, r.AckedSince = text("root (pts/2)"), noon.Add(-20*time.Second)
		r.LastFailure = text("exit code 1 · Error: Bad credentials")
	})
	noted := with(f, "github", func(r *model.Row) { r.Note = text("command: nope not found") })
	for _, c := range []struct {
		width int
		fleet model.Fleet
		want  string
	}{
		{80, f, " acked · exit code 1 · Error: Bad cr…"},
		{80, noted, " acked · command: nope not found · e…"},
		{120, f, " acked · exit code 1 · Error: Bad credentials"},
		{200, f, " acknowledged by root (pts/2) 20 s ago · exit code 1 · Error: Bad credentials"},
		{240, noted, " acknowledged by root (pts/2) 20 s ago · command: nope not found · exit code 1 · Error: Bad credentials"},
	} {
		b := newBench(t, c.fleet, c.width, 24, Options{})
		if got := b.rowLine("github"); !strings.HasSuffix(got, c.want) {
			t.Errorf("at %d columns the row is %q, want its end to be %q", c.width, got, c.want)
		}
	}
}

// TestO1_ManyOrdersSayForWhomTheyWait, as a stop does.
func TestO1_ManyOrdersSayForWhomTheyWait(t *testing.T) {
	for _, c := range []struct {
		width, answers, declined int
		want                     string
	}{
		{120, 0, 0, "restarting 6: waiting for production-filesystem, production-github-mcp, production-postgres-replica and 3 more"},
		{80, 0, 0, "restarting 6: waiting for …filesystem, …github-mcp, …postgre…replica and 3 more"},
		{80, 3, 0, "restarting 6: 3 done, waiting for staging-…omation, search, …slack-n…cations"},
		{80, 4, 1, "restarting 6: 4 done, 1 refused (production-slack-notific…), waiting for search"},
		{40, 3, 0, "restarting 6: 3 done, 3 not answered"},
		{40, 5, 0, "restarting 6: 5 done, 1 not answered"},
	} {
		b := newBench(t, longNames(), c.width, 24, Options{})
		b.press("*", "r", "y")
		given := b.engine.orders()
		for _, o := range given[:c.answers] {
			b.answer(o, model.Done, false, "done")
		}
		for _, o := range given[len(given)-c.declined:] {
			b.answer(o, model.Declined, false, o.Server+": command: nope not found")
		}
		if got := b.footer(); got != c.want {
			t.Errorf("at %d columns %d answers: %q\nwant %q", c.width, c.answers, got, c.want)
		}
	}
}

// TestO1_WhatIsOffIsSkippedNotRefused: the question said so.
func TestO1_WhatIsOffIsSkippedNotRefused(t *testing.T) {
	b := newBench(t, longNames(), 120, 24, Options{})
	b.press("*", "r", "y")
	for _, o := range b.engine.orders() {
		if o.Server != "search" {
			b.answer(o, model.Done, false, "done")
			continue
		}
		b.engine.change(func(e *fake) {
			e.events = append(e.events, model.Event{Seq: uint64(1000 + len(e.events)), At: noon, Kind: model.EvOrder, Server: o.Server, OrderID: o.ID, Outcome: text("refused"), Error: text(leftOff), Text: text("restart search: refused: %s", leftOff)})
		})
		b.send(fleetMsg{b.engine.fleet})
	}
	if tone, got := b.app.answer(); got != "restart 6 servers: 5 done, 1 skipped (off)" || tone == bad {
		t.Errorf("the answer is %q, tone %d", got, tone)
	}
}

// TestTheEnginesWordsAreTheirs: what the screen knows an answer or a failure by is
// what is written there.
func TestTheEnginesWordsAreTheirs(t *testing.T) {
	for file, words := range map[string]string{"../supervise/order.go": `redact.Word("` + leftOff + `")`, "../transport/ending.go": strangeRevision} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), words) {
			t.Errorf("%s does not say %s", file, words)
		}
	}
}

// TestD7_ARevisionThatNobodySpeaksHasANextStep: to mend what the failure says is none.
func TestD7_ARevisionThatNobodySpeaksHasANextStep(t *testing.T) {
	f := with(tenPhases(), "notes", func(r *model.Row) {
		r.LastFailure = text("unknown protocol version 1999-01-01 from the server; rollcall speaks 2024-11-05 to 2026-07-28")
	})
	b := newBench(t, f, 120, 40, Options{})
	b.press("3")
	if !strings.Contains(b.screen(), "set protocol_version to a revision that both speak, or update the server, then c") {
		t.Errorf("the details do not say what to do:\n%s", b.screen())
	}
}
