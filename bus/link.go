package bus

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
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
	// ErrSilent says that the engine is lost in that it says nothing (N4): the
	// connection is there, and it may be too.
	ErrSilent = errors.New("no word of the engine")
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
		return nil, notOurs(socket)
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
		return nil, mute(c, errors.Join(err, sent))
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

// notOurs says what keeps this user from a socket.
func notOurs(socket string) error {
	clean := (*redact.Redactor)(nil)
	if dir := barsUs(socket); dir != "" {
		return &RefusedError{redact.Sprintf("the engine's socket belongs to somebody else: %s; %s may not be entered from here: "+
			"its owner starts `serve --group` with XDG_RUNTIME_DIR in a folder that the group may enter", clean.Text(socket), clean.Text(dir))}
	}
	return &RefusedError{redact.Sprintf("the engine's socket belongs to somebody else: %s; its owner may let a group in with `serve --group`", clean.Text(socket))}
}

// MuteError says that an engine was connected to and did not greet.
type MuteError struct {
	PID  int  // 0 where the system does not say
	Late bool // it kept the connection, and said nothing in time
}

func (e *MuteError) Error() string {
	who := "the engine"
	if e.PID > 0 {
		who = fmt.Sprintf("the engine, process %d,", e.PID)
	}
	if e.Late {
		return who + " does not answer: `kill -CONT` wakes one that was suspended"
	}
	return who + " hung up: it is ending, or has too many clients; try again"
}

// mute is why a welcome did not come.
func mute(c net.Conn, err error) error {
	if errors.Is(err, errHostile) {
		return fmt.Errorf("what answers is no engine of rollcall: %w", errHostile)
	}
	m := &MuteError{Late: errors.Is(err, os.ErrDeadlineExceeded)}
	if u, ok := c.(*net.UnixConn); ok {
		if p, err := peerOf(u); err == nil {
			m.PID = p.pid
		}
	}
	return m
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
	id, ok := l.expect(done)
	if !ok {
		done(nil, ErrLost)
		return ""
	}
	if err := l.nc.PublishRequest(subject, inboxOf(l.Who)+answerKind+id, payload); err != nil {
		l.finish(id, nil, fmt.Errorf("%w: %w", ErrLost, err))
	}
	return id
}

// expect makes room for an answer; ok is false where the connection is gone.
func (l *link) expect(done func([]byte, error)) (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return "", false
	}
	l.next++
	id = strconv.FormatUint(l.next, 36)
	l.calls[id] = &call{done: done}
	return id, true
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
	if kind == byeKind {
		l.leaves(m.Data)
		return
	}
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
		c := l.calls[id]
		if c != nil {
			c.parts = append(c.parts, rest...)
		}
		l.mu.Unlock()
		verb := "credit"
		if c == nil { // nobody waits for it any more
			verb = "unfollow"
		}
		l.tell(verb, question{ID: kind + "." + id, Limit: 1})
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

// tell says to the engine what it does not answer.
func (l *link) tell(verb string, q question) {
	if b, err := json.Marshal(q); err == nil {
		_ = l.nc.Publish(l.subjects.ask(verb, l.Who), b) // a lost engine needs no word
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
