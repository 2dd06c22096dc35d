package ui

import (
	"sort"
	"strconv"
	"time"

	"rollcall/model"
)

// Places of the entries that one line of the log may bring: what was dropped
// before it, the rule before a new run, the line itself.
const (
	seqDropped = iota
	seqRule
	seqLine
	perLine
)

// ended is how a run ended, in the words of the rule below its lines.
type ended struct {
	run  uint64
	text string
	sure bool // it came from the end itself, not from the stop before it
}

// addLines appends lines of the tail. A gap says how many were dropped, and a
// rule parts two incarnations of the server.
func (p *pane) addLines(lines []model.Line) {
	for _, l := range lines {
		if l.Seq <= p.lastLine {
			continue
		}
		if missing := l.Seq - p.lastLine - 1; missing > 0 {
			p.log = append(p.log, droppedEntry(l.Seq, missing))
		}
		p.lastLine = l.Seq
		if l.Run > p.lastRun {
			if p.lastRun > 0 {
				p.log = append(p.log, entry{seq: l.Seq*perLine + seqRule, head: "           ", tone: head, run: p.lastRun, text: p.ruleText(p.lastRun)})
			}
			p.lastRun = l.Run
		}
		p.log = append(p.log, lineEntry(l))
	}
	if extra := len(p.log) - maxLines; extra > 0 && p.scrolls[logView].follow {
		first := p.log[extra].seq / perLine // what was dropped is counted at the top
		p.log = append([]entry{droppedEntry(first, first-1)}, p.log[extra:]...)
	}
}

// full reports whether a log that is held, scrolled up, takes no more: what is
// looked at stays where it is however fast lines come (D5), and what came
// meanwhile is read when it is followed again, as far as the tail still has it.
func (p *pane) full() bool {
	if p.scrolls[logView].follow {
		return false
	}
	bytes := 0
	for i := range p.log {
		bytes += len(p.log[i].text)
	}
	return len(p.log) >= maxHeld || bytes >= maxHeldBytes
}

// droppedEntry counts the lines before one that are not there any more.
func droppedEntry(before, missing uint64) entry {
	return entry{seq: before*perLine + seqDropped, head: "           ", tone: dim,
		text: "(" + several(int(missing), "earlier line") + " no longer kept)"}
}

// lineEntry sets rollcall's own lines apart from what the server said, and
// failures from both, by a sign and by colour.
func lineEntry(l model.Line) entry {
	e := entry{seq: l.Seq*perLine + seqLine, head: l.At.Local().Format(time.TimeOnly), text: l.Text.String()}
	switch l.Kind {
	case model.LineStderr:
		e.head += " | "
	case model.LineNoise:
		e.head, e.tone = e.head+" # ", dim
	case model.LineEvent:
		e.head, e.tone = e.head+"   ", active
	case model.LineFailure:
		e.head, e.tone = e.head+" ! ", bad
	}
	return e
}

// ruleText is `— exit code 1 after 12 s, attempt 4 —`; as long as nobody said
// how the run ended, it names the run alone.
func (p *pane) ruleText(run uint64) string {
	text := "end of run " + strconv.FormatUint(run, 10)
	if i := p.endOf(run); i < len(p.ends) && p.ends[i].run == run {
		text = p.ends[i].text
	}
	return "— " + text + " —"
}

// endOf is the place of a run's end, or where it would be.
func (p *pane) endOf(run uint64) int {
	return sort.Search(len(p.ends), func(i int) bool { return p.ends[i].run >= run })
}

// noteEnd keeps how a run ended, and mends a rule that was drawn before that
// was known. What an end itself says wins over the order that asked for it.
func (p *pane) noteEnd(e model.Event) {
	text, sure := endText(e)
	if text == "" || e.Run == 0 {
		return
	}
	end := ended{e.Run, text, sure}
	switch i := p.endOf(e.Run); {
	case i == len(p.ends):
		p.ends = append(p.ends, end)
	case p.ends[i].run != e.Run || p.ends[i].sure && !sure:
		return
	default:
		p.ends[i] = end
	}
	for i := range p.log {
		if p.log[i].run == e.Run {
			p.log[i].text = p.ruleText(e.Run)
		}
	}
}

// endText is how an event says that a run ended, empty where it does not; sure
// is false for a stop that was only asked for.
func endText(e model.Event) (text string, sure bool) {
	switch e.Kind {
	case model.EvAttemptFailed, model.EvLost, model.EvHalted, model.EvEnded:
	case model.EvStopping:
		return e.Text.String(), false
	default:
		return "", false
	}
	e.Stderr = nil
	brief, ok := e.Brief()
	text = brief.String()
	if !ok {
		text = e.Text.String()
	}
	if e.Attempt.Ok && e.Kind != model.EvLost {
		text += ", attempt " + strconv.Itoa(e.Attempt.V)
	}
	return text, true
}
