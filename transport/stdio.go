package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"rollcall/model"
	"rollcall/redact"
)

// readBuffer is how much of stdout is read at once, in bytes. Each server has
// one for as long as it lives; a longer line is put together from several.
const readBuffer = 4 << 10

// stdio makes the wire over a process's stdin and stdout. stdout is drained to
// its end, also once the wire is closed; stdin is closed when the run is.
func (r *Run) stdio(p *process) *wire {
	w := r.newWire(func(data []byte) error {
		_, err := p.stdin.Write(append(data, '\n'))
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
	turn := inTurn{noise, w.run.host.turns}
	in := bufio.NewReaderSize(f, readBuffer)
	var line []byte
	for {
		var err error
		line, err = readLine(in, line[:0])
		switch {
		case errors.Is(err, errTooLong):
			w.fail(tooLong())
			_, _ = io.Copy(io.Discard, in)
			return
		case len(line) > 0 && !w.take(line):
			_, _ = turn.Write(append(line, '\n'))
		}
		if err != nil {
			// A read from a pipe fails only when our own end is closed.
			w.fail(model.End{Cause: model.ClosedByPeer, Text: redact.Word("the server closed its stdout")})
			return
		}
		if cap(line) > bigMessage {
			line = nil
		}
	}
}

func tooLong() model.End {
	return model.End{Cause: model.ClosedByHost, Text: redact.Sprintf("the server sent a message of more than %d MiB", redact.Int(maxMessage>>20))}
}

var errTooLong = errors.New("the line is too long")

// readLine appends the next line to buf, without its end. At the end of the
// stream it returns what there was and the error; past maxMessage bytes it
// returns errTooLong.
func readLine(in *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(buf)+len(part) > maxMessage+1 {
			return buf, errTooLong
		}
		buf = append(buf, part...)
		switch {
		case err == nil:
			return buf[:len(buf)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return buf, err
		}
	}
}
