package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
)

// linesOf reads lines until the end of the output.
func linesOf(out io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !yield(lines.Text()) {
				return
			}
		}
	}
}

// jsonEvent is what the tests read of a line of `serve --json`.
type jsonEvent struct {
	Event, Server, Line, Error string
	PID                        int
}

// eventsOf reads events until the end of the output, which it always reads to.
func eventsOf(out io.Reader) iter.Seq[jsonEvent] {
	return func(yield func(jsonEvent) bool) {
		dec := json.NewDecoder(out)
		for {
			var ev jsonEvent
			if dec.Decode(&ev) != nil {
				return
			}
			if !yield(ev) {
				go func() { _, _ = io.Copy(io.Discard, out) }()
				return
			}
		}
	}
}
