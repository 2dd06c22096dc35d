package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// readBuffer is how much of stdout is read at once, in bytes. Each server has
// one for as long as it lives; a longer message is put together from several.
const readBuffer = 4 << 10

// stdio makes the wire over a process's stdin and stdout. stdout is drained to
// its end, also once the wire is closed; stdin is closed when the run is.
func (r *Run) stdio(p *process) *wire {
	w := r.newWire(func(data []byte) error {
		err := p.write(append(data, '\n'))
		if errors.Is(err, syscall.EPIPE) {
			return errors.New("the server closed its stdin")
		}
		return err
	})
	context.AfterFunc(r.ctx, func() {
		w.fail(model.End{Cause: model.ClosedByHost})
		r.host.procs.learn(p) // afterwards it may go, and nobody knows its children any more
		_ = p.stdin.Close()
	})
	p.drains.Go(r.host.guarded(func() { w.readLines(p.stdout) }))
	go r.host.guarded(w.pump)()
	return w
}

// overStdio is the conversation of a launched server, from the handshake to
// its end.
func (r *Run) overStdio(p *process, w *wire) {
	if err := r.hold(p, w.link()); err != nil {
		end, at := w.ending(err)
		r.closeOrExit(p, at, end)
	}
}

// readLines takes each line of a stream: JSON-RPC goes on its way, the rest is
// noise (T2).
func (w *wire) readLines(f *os.File) {
	noise := redact.NewLines(w.run.spec.Redactor, w.run.line(model.LineNoise))
	defer noise.Flush()
	l := lineReader{w: w, in: bufio.NewReaderSize(f, readBuffer), noise: inTurn{noise, w.run.host.turns}}
	l.draft = draft{room: w.run.host.room, done: w.done, cut: func() {
		w.fail(tooSlow())
		_ = f.SetReadDeadline(time.Now())
	}}
	for {
		err := l.line()
		switch {
		case err == nil:
			continue
		case errors.Is(err, errTooLong):
			w.fail(tooLong())
		case errors.Is(err, os.ErrDeadlineExceeded):
			_ = f.SetReadDeadline(time.Time{})
		case errors.Is(err, syscall.ENOMEM):
			w.fail(model.End{Cause: model.TransportBroken, Text: w.run.spec.Redactor.Error(err)})
		default:
			// A read from a pipe fails only when our own end is closed.
			w.fail(model.End{Cause: model.ClosedByPeer, Text: redact.Word("the server closed its stdout")})
			return
		}
		_, _ = io.Copy(io.Discard, l.in)
		return
	}
}

// lineReader reads a server's stdout.
type lineReader struct {
	w     *wire
	in    *bufio.Reader
	noise io.Writer
	draft draft
}

// line reads the next line, and what came without a line's end before an error.
// Its errors are of the stream, and of draft.need.
func (l *lineReader) line() error {
	part, err := l.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		if begins(part) {
			return l.message(part)
		}
		return l.chatter(part)
	case len(part) > 0 && !l.w.take(part):
		_, _ = l.noise.Write(part)
		if err != nil {
			_, _ = l.noise.Write([]byte{'\n'})
		}
	}
	return err
}

// chatter passes on a line that is no message, as it comes: nothing of it is
// collected. Its length has the bound of a message nevertheless (T2).
func (l *lineReader) chatter(part []byte) error {
	err := bufio.ErrBufferFull
	for size := len(part); size <= maxMessage+1; size += len(part) {
		_, _ = l.noise.Write(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		part, err = l.in.ReadSlice('\n')
	}
	return errTooLong
}

// message collects a line that begins as a message does.
func (l *lineReader) message(part []byte) error {
	d := &l.draft
	defer d.drop()
	for err := bufio.ErrBufferFull; ; part, err = l.in.ReadSlice('\n') {
		if lost := d.need(len(part)); errors.Is(lost, errHungUp) {
			return l.skip()
		} else if lost != nil {
			return lost
		}
		d.data = append(d.data, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
		d.complete()
		if !l.w.take(d.data) {
			_, _ = l.noise.Write(d.data)
			if err != nil {
				_, _ = l.noise.Write([]byte{'\n'})
			}
		}
		return err
	}
}

// skip reads on to the line's end.
func (l *lineReader) skip() error {
	for {
		_, err := l.in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// begins reports whether part may be the beginning of a JSON-RPC message, or of
// a batch. White space alone may not be: no server sends a buffer full of it.
func begins(part []byte) bool {
	part = bytes.TrimLeft(part, jsonSpace)
	if len(part) > 0 && part[0] == '[' {
		part = bytes.TrimLeft(part[1:], jsonSpace)
	}
	if len(part) == 0 || part[0] != '{' {
		return false
	}
	part = bytes.TrimLeft(part[1:], jsonSpace)
	return len(part) == 0 || part[0] == '"'
}

const jsonSpace = " \t\r\n"

func tooLong() model.End {
	return model.End{Cause: model.ClosedByHost, Text: redact.Sprintf("a message of more than %d MiB from the server", redact.Int(maxMessage>>20))}
}

var errTooLong = errors.New("the line is too long")
