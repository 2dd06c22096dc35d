package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// printer writes events and lines, one a line.
type printer struct {
	mu     sync.Mutex
	w      io.Writer
	json   bool
	logs   bool
	failed chan error // capacity 1: the first write that failed
	wrong  error      // likewise; nothing is written after it
}

func newPrinter(w io.Writer, asJSON, logs bool) *printer {
	return &printer{w: w, json: asJSON, logs: logs, failed: make(chan error, 1)}
}

// event prints one event, after how many were missed before it. Probes that were
// alive are left to --json and --logs.
func (p *printer) event(ev model.Event, missed uint64) {
	if missed > 0 {
		p.missedEvents(missed)
	}
	if !p.json && !p.logs && ev.Kind == model.EvProbe && ev.Outcome.String() == model.Alive.String() {
		return
	}
	server := redact.Name(ev.Server)
	if server.IsZero() {
		server = redact.Word("rollcall")
	}
	text := ev.Text
	if line := model.Telling(ev.Stderr); !line.IsZero() && !p.logs { // A1: the end of its stderr
		text = redact.Sprintf("%s · %s", text, line)
	}
	if by := ev.By.String(); by != "" && !strings.Contains(text.String(), by) {
		text = redact.Sprintf("%s · by %s", text, ev.By)
	}
	p.print(ev, fmt.Sprintf("%s %-16s %s", ev.At.Local().Format(time.TimeOnly), server, text))
}

// missedEvents says that events are missing at this place.
func (p *printer) missedEvents(n uint64) {
	now := time.Now()
	p.print(map[string]any{"at": model.Stamp(now), "event": "missed", "server": "", "run": 0, "missed": n},
		fmt.Sprintf("%s missed %d events: what reads this is too slow", now.Format(time.TimeOnly), n))
}

// logLine is a line of a server's log in the JSON output (X3).
type logLine struct {
	At     string         `json:"at"`
	Event  model.LineKind `json:"event"`
	Server string         `json:"server"`
	Run    uint64         `json:"run"`
	Line   redact.Safe    `json:"line,omitzero"`
	Missed uint64         `json:"missed,omitempty"`
}

// line prints a line of a server; what the server itself said stands behind a
// bar.
func (p *printer) line(server string, l model.Line) {
	bar := "| "
	if l.Kind == model.LineEvent || l.Kind == model.LineFailure {
		bar = ""
	}
	if p.json {
		p.print(logLine{At: model.Stamp(l.At), Event: l.Kind, Server: server, Run: l.Run, Line: l.Text}, "")
		return
	}
	p.print(nil, fmt.Sprintf("%s %-16s %s%s", l.At.Local().Format(time.TimeOnly), server, bar, l.Text))
}

// missed says that lines were dropped unread: a server's, or several servers'
// for "".
func (p *printer) missed(server string, n uint64) {
	now := time.Now()
	p.print(logLine{At: model.Stamp(now), Server: server, Missed: n},
		fmt.Sprintf("%s %-16s | … %d lines were dropped: what reads this is too slow", now.Format(time.TimeOnly), server, n))
}

func (p *printer) print(v any, text string) {
	line := []byte(text)
	if p.json {
		b, err := json.Marshal(v)
		if err != nil {
			return // cannot be: the values are the model's own
		}
		line = b
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wrong != nil {
		return
	}
	if _, err := p.w.Write(append(line, '\n')); err != nil {
		p.wrong = err
		p.failed <- err
	}
}
