package transport

import (
	"context"
	"io"
	"mime"
	"net/http"

	"rollcall/model"
	"rollcall/redact"
)

// heard makes of an answer what the SDK can take. It fails the whole connection
// where a body breaks off since its request was given up, and where it is not
// JSON-RPC alone; here that is an error of the one request. ctx is that request's.
func (rt *roundTripper) heard(ctx context.Context, resp *http.Response, said outgoing) (*http.Response, error) {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch posted := resp.Request.Method == http.MethodPost; {
	case media == "text/event-stream" && (posted || resp.Request.Method == http.MethodGet):
		resp.Body = newEventSift(resp.Body, newSift(said, rt.noise))
	case media == "application/json" && posted && !said.unanswered():
		return rt.whole(ctx, resp, said)
	}
	return resp, nil
}

// unanswered reports whether a message has no answer: a notification, or an
// answer of ours. One that was too long to be looked at may have one.
func (m outgoing) unanswered() bool { return (m.Method == "") != (m.ID == nil) }

// whole reads a body before the SDK does. What is longer than bigMessage is not
// looked at: no log is.
func (rt *roundTripper) whole(ctx context.Context, resp *http.Response, said outgoing) (*http.Response, error) {
	data, err := io.ReadAll(io.LimitReader(resp.Body, bigMessage))
	var more [][]byte
	for err == nil && len(data) == bigMessage {
		piece, n := make([]byte, bigMessage), 0
		n, err = io.ReadFull(resp.Body, piece)
		more = append(more, piece[:n])
		if err == io.EOF || err == io.ErrUnexpectedEOF && n > 0 {
			err = nil
			break
		}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		_ = resp.Body.Close()
		return nil, err
	case err != nil: // too long, too slow, or cut: this does end the connection
		resp.Body = &putBack{failing{err}, resp.Body}
		return resp, nil
	case len(more) == 0:
		if data, err = newSift(said, rt.noise).body(data); err != nil {
			_ = resp.Body.Close()
			return nil, err
		}
	}
	resp.Body = &putBack{&pieces{append([][]byte{data}, more...)}, resp.Body}
	return resp, nil
}

// noise tells a line that is no JSON-RPC, and so was skipped (T2).
func (rt *roundTripper) noise(line []byte) {
	if rt.run.ctx.Err() != nil {
		return
	}
	lines := redact.NewLines(rt.run.spec.Redactor, rt.run.line(model.LineNoise))
	_, _ = lines.Write(line)
	_, _ = lines.Write([]byte{'\n'})
}

type putBack struct {
	io.Reader
	io.Closer
}

// failing is a body that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// pieces is a body that was read; it lets go of what the SDK has of it.
type pieces struct{ left [][]byte }

func (b *pieces) Read(p []byte) (int, error) {
	for len(b.left) > 0 && len(b.left[0]) == 0 {
		b.left[0] = nil
		b.left = b.left[1:]
	}
	if len(b.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.left[0])
	b.left[0] = b.left[0][n:]
	return n, nil
}
