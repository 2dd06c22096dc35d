package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// eventSift is an event stream without what is no JSON-RPC. What of an event
// bears on the stream's resumption stays. An event of more than bigMessage bytes
// is not looked at, nor kept: no log is that long.
type eventSift struct {
	*sift
	io.Closer
	lines *bufio.Reader

	event   []byte // the lines of an event that has not ended
	fresh   bool   // what comes next begins a line
	passing bool   // the event is too long to be looked at
	resumes bool   // an event bore an id: the answer may come elsewhere
	out     []byte // what is ready for the SDK
	err     error  // why nothing more comes
}

func newEventSift(body io.ReadCloser, s *sift) *eventSift {
	return &eventSift{sift: s, Closer: body, lines: bufio.NewReader(body), fresh: true}
}

// Read waits for the next event that the SDK may see.
func (e *eventSift) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// next takes one line, or a piece of a long one.
func (e *eventSift) next() {
	piece, err := e.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	e.err = err
	blank := e.fresh && len(bytes.TrimRight(piece, "\r\n")) == 0
	e.fresh = bytes.HasSuffix(piece, []byte{'\n'})
	if e.passing {
		e.out, e.passing = append([]byte(nil), piece...), !blank
		return
	}
	e.event = append(e.event, piece...)
	switch {
	case err != nil && !errors.Is(err, io.EOF): // it is lost with the stream
	case blank || err != nil:
		e.out = e.dispatch(e.event)
		e.event = e.event[:0]
	case len(e.event) > bigMessage:
		e.out, e.event, e.passing = e.event, nil, true
	}
	if errors.Is(err, io.EOF) && e.answer == nil && e.orphan != nil && !e.resumes {
		e.out = appendField(e.out, "data", e.orphan) // nothing else comes
		e.out = append(e.out, '\n')
	}
}

// dispatch is what the SDK may see of an event; nil for none of it.
func (e *eventSift) dispatch(event []byte) (out []byte) {
	var name, data []byte
	found := false
	for line := range bytes.SplitSeq(event, []byte{'\n'}) {
		field, value, colon := bytes.Cut(bytes.TrimRight(line, "\r"), []byte{':'})
		value = bytes.TrimSpace(value)
		switch string(field) {
		case "id":
			e.resumes = e.resumes || len(value) > 0
			out = appendField(out, "id", value)
		case "retry":
			out = appendField(out, "retry", value)
		case "event":
			name = value
		case "data":
			if found {
				data = append(data, '\n')
			}
			data, found = append(data, value...), true
		default:
			if !colon && len(bytes.TrimSpace(field)) > 0 {
				e.noise(field) // no field is named so: it is a line of a log
			}
		}
	}
	if len(data) > 0 && (len(name) == 0 || string(name) == "message") {
		before := len(e.messages)
		if !e.take(data) {
			e.noise(data)
		}
		for _, m := range e.messages[before:] {
			out = e.message(out, m)
		}
		e.messages = e.messages[:0]
	}
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n\n")) {
		out = append(out, '\n')
	}
	return out
}

// message appends one event with a message to out, which may hold its first fields.
func (e *eventSift) message(out, m []byte) []byte {
	var line bytes.Buffer
	if json.Compact(&line, m) != nil { // the SDK's decoder takes more than this one
		line.Reset()
		line.Write(bytes.ReplaceAll(m, []byte{'\n'}, []byte{' '}))
	}
	return append(appendField(out, "data", line.Bytes()), '\n')
}

func appendField(out []byte, name string, value []byte) []byte {
	out = append(append(out, name...), ": "...)
	return append(append(out, value...), '\n')
}
