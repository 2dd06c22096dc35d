package bus

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/model"
	"rollcall/redact"
)

var (
	// ErrNoEngine says that nobody serves the socket.
	ErrNoEngine = errors.New("no engine answers")
	// ErrLost says that the engine was lost. The client tries to reach one again.
	ErrLost = errors.New("the engine is lost")
	// ErrReadOnly says that the client may give no orders.
	ErrReadOnly = errors.New("this client may only read")
)

// RefusedError says why the engine, or the system, does not let this client in.
type RefusedError struct{ Why redact.Safe }

func (e *RefusedError) Error() string { return e.Why.String() }

// answerError is what an engine answers instead of an answer.
type answerError struct{ why redact.Safe }

func (e answerError) Error() string { return e.why.String() }

// link is one connection to one engine. It is never renewed.
type link struct {
	welcome
	subjects subjects
	nc       *nats.Conn
	closed   chan struct{} // when the connection is gone

	mu      sync.Mutex
	gone    bool
	next    uint64
	calls   map[string]*call
	streams map[string]chan []byte
}

// call is one question under way. done is called once, and must not block.
type call struct {
	parts []byte
	done  func(answer []byte, err error)
}

// connect dials a socket, greets, and connects to the broker behind it.
func connect(ctx context.Context, socket string, g greeting) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, greetTimeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socket)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w at %s", ErrNoEngine, (*redact.Redactor)(nil).Text(socket))
	case errors.Is(err, fs.ErrPermission):
		return nil, &RefusedError{redact.Sprintf("the engine's socket belongs to somebody else: %s", (*redact.Redactor)(nil).Text(socket))}
	case err != nil:
		return nil, err
	}
	l, err := greetEngine(ctx, c, g)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return l, nil
}

func greetEngine(ctx context.Context, c net.Conn, g greeting) (*link, error) {
	deadline, _ := ctx.Deadline()
	_ = c.SetDeadline(deadline)
	// An engine that refuses at sight may have closed its end: what it said is
	// read all the same.
	sent := writeLine(c, g)
	in := bufio.NewReaderSize(c, greetLimit)
	l := &link{closed: make(chan struct{}), calls: map[string]*call{}, streams: map[string]chan []byte{}}
	if err := readLine(in, &l.welcome); err != nil {
		return nil, fmt.Errorf("greet the engine: %w", errors.Join(sent, err))
	}
	if !l.Refused.IsZero() {
		return nil, &RefusedError{l.Refused}
	}
	_ = c.SetDeadline(time.Time{})
	l.subjects = subjects{l.Prefix}
	nc, err := nats.Connect("nats://127.0.0.1", nats.SetCustomDialer(&dialed{Conn: c, in: in}), nats.NoReconnect(),
		nats.UserInfo(l.Who, l.Pass), nats.Timeout(time.Until(deadline)), nats.ClosedHandler(func(*nats.Conn) { l.end() }),
		// A time-out is not waited for: what is refused is answered with an error.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, fmt.Errorf("connect to the engine: %w", err)
	}
	l.nc = nc
	if _, err := nc.Subscribe(inboxOf(l.Who)+">", l.answered); err != nil {
		nc.Close()
		return nil, err
	}
	return l, nil
}

// dialed hands the NATS client a connection that is made, once.
type dialed struct {
	net.Conn
	in   *bufio.Reader
	used bool
}

func (d *dialed) Dial(string, string) (net.Conn, error) {
	if d.used {
		return nil, ErrLost
	}
	d.used = true
	return d, nil
}

func (d *dialed) Read(b []byte) (int, error) { return d.in.Read(b) }

// end fails what is under way.
func (l *link) end() {
	l.mu.Lock()
	calls, streams := l.calls, l.streams
	l.calls, l.streams, l.gone = nil, nil, true
	l.mu.Unlock()
	close(l.closed)
	for _, c := range calls {
		c.done(nil, ErrLost)
	}
	for _, st := range streams {
		close(st)
	}
}

// send asks and returns; done is called with the answer.
func (l *link) send(subject string, payload []byte, done func([]byte, error)) (id string) {
	l.mu.Lock()
	if l.gone {
		l.mu.Unlock()
		done(nil, ErrLost)
		return ""
	}
	l.next++
	id = strconv.FormatUint(l.next, 36)
	l.calls[id] = &call{done: done}
	l.mu.Unlock()
	if err := l.nc.PublishRequest(subject, inboxOf(l.Who)+"a."+id, payload); err != nil {
		l.finish(id, nil, fmt.Errorf("%w: %w", ErrLost, err))
	}
	return id
}

// finish ends a call, unless it has ended.
func (l *link) finish(id string, answer []byte, err error) {
	l.mu.Lock()
	c := l.calls[id]
	delete(l.calls, id)
	l.mu.Unlock()
	if c != nil {
		c.done(answer, err)
	}
}

// ask asks and waits for the answer until ctx ends. A nil answer is not read.
func (l *link) ask(ctx context.Context, subject string, payload any, answer any) error {
	b, err := l.fetch(ctx, subject, payload)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(b, answer)
}

// fetch is ask, with the answer as it came.
func (l *link) fetch(ctx context.Context, subject string, payload any) ([]byte, error) {
	b, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	type result struct {
		b   []byte
		err error
	}
	got := make(chan result, 1)
	id := l.send(subject, b, func(b []byte, err error) { got <- result{b, err} })
	select {
	case r := <-got:
		return r.b, r.err
	case <-ctx.Done():
		l.finish(id, nil, ctx.Err())
		return nil, fmt.Errorf("the engine did not answer: %w", ctx.Err())
	}
}

// whole asks for a snapshot.
func (l *link) whole(ctx context.Context) (model.Fleet, error) {
	b, err := l.fetch(ctx, l.subjects.ask("whole", l.Who), question{})
	if err != nil {
		return model.Fleet{}, err
	}
	_, fleet, err := decodeWhole(b)
	return fleet, err
}

// question asks one of the questions.
func (l *link) question(ctx context.Context, verb string, q question, answer any) error {
	return l.ask(ctx, l.subjects.ask(verb, l.Who), q, answer)
}

// answered takes whatever comes for this connection alone.
func (l *link) answered(m *nats.Msg) {
	kind, id, _ := strings.Cut(strings.TrimPrefix(m.Subject, inboxOf(l.Who)), ".")
	if kind == "s" {
		l.streamed(id, m.Data)
		return
	}
	if len(m.Data) == 0 { // the broker's own: nobody was there to answer
		l.finish(id, nil, ErrLost)
		return
	}
	rest := m.Data[1:]
	switch m.Data[0] {
	case partMore:
		l.mu.Lock()
		if c := l.calls[id]; c != nil {
			c.parts = append(c.parts, rest...)
		}
		l.mu.Unlock()
	case partLast:
		l.mu.Lock()
		c := l.calls[id]
		l.mu.Unlock()
		if c != nil && c.parts != nil {
			rest = append(c.parts, rest...)
		}
		l.finish(id, rest, nil)
	case partError:
		l.finish(id, nil, answerError{(*redact.Redactor)(nil).Text(string(rest))})
	}
}

// streamed hands a part to who follows. There is room: no more comes than there
// is credit for, and the word of the end.
func (l *link) streamed(id string, b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if st := l.streams[id]; st != nil {
		select {
		case st <- b:
		default:
		}
	}
}

func (l *link) close() { l.nc.Close() }
