package bus

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"rollcall/redact"
)

// Options are what an engine is put on the bus with.
type Options struct {
	Engine  Engine
	Host    string // as the engine has it; a part of the subjects
	Config  redact.Safe
	Version redact.Safe // of rollcall
	// Group may use the socket too, beside its owner and root; "" for nobody else.
	Group string
	// Hubs are NATS servers of a fleet to join as a leaf (docs/fleet.md).
	Hubs []*url.URL
	// Stop is what a client's order to stop does, once; by is who gave it. nil:
	// Engine.Stop. It must not wait for the end.
	Stop func(by redact.Safe)
	// Warn is told every few seconds what an operator must know of the bus, or the
	// empty text. nil: nobody wants to know.
	Warn func(redact.Safe)
}

// Server carries one engine on the bus.
type Server struct {
	opts     Options
	engine   Engine
	hello    Hello
	gid      int
	lock     *Lock
	subjects subjects
	broker   *broker
	nc       *nats.Conn
	pump     *pump
	orders   *orders
	encoder  encoder
	quick    chan struct{} // what is answered at once, so many at a time
	slow     chan struct{} // what may block

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	stop   sync.Once

	mu       sync.Mutex
	closed   bool
	bye      redact.Safe // what Stopping has told
	listener *net.UnixListener
	callers  map[string]*caller
	awaiting []awaitsEnd // who ordered the stop
	ended    *ending     // once it has
}

// Serve puts an engine on the bus: it answers on the lock's socket until Close. The
// lock must be held until then.
func Serve(lock *Lock, opts Options) (*Server, error) {
	gid, err := groupID(opts.Group)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: opts, engine: opts.Engine, gid: gid, lock: lock,
		subjects: subjectsOf(opts.Host, lock.Paths().Name), orders: newOrders(),
		quick: make(chan struct{}, 64), slow: make(chan struct{}, 8), callers: map[string]*caller{},
		hello: Hello{Protocol: Protocol, Version: opts.Version, Host: (*redact.Redactor)(nil).Text(opts.Host), Config: opts.Config,
			Instance: rand.Text(), PID: os.Getpid(), Started: time.Now()},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.open(); err != nil {
		s.Close()
		return nil, fmt.Errorf("serve the engine on %s: %w", lock.Paths().Socket, err)
	}
	return s, nil
}

// open starts the broker, subscribes, and opens the door last.
func (s *Server) open() (err error) {
	if s.broker, err = startBroker(s.subjects, s.opts.Hubs); err != nil {
		return err
	}
	if s.nc, err = s.broker.connect(); err != nil {
		return err
	}
	s.pump = newPump(s.engine, s.nc, s.broker, s.subjects, s.hello.Instance)
	for subject, handle := range map[string]nats.MsgHandler{s.subjects.ask("*", "*"): s.asked, s.subjects.order("*", "*"): s.ordered} {
		sub, err := s.nc.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		// What floods in beyond this is dropped, and never answered.
		if err := sub.SetPendingLimits(1<<16, 16<<20); err != nil {
			return err
		}
	}
	if err := s.nc.Flush(); err != nil {
		return err
	}
	// From here on an answer is heard: the first order may come with the door.
	events := s.engine.FollowEvents(0, 0)
	s.spawn(func() { s.answers(events) })
	if err := s.openDoor(); err != nil {
		return err
	}
	s.spawn(func() { s.pump.run(s.ctx) })
	s.spawn(func() { s.pump.beats(s.ctx) })
	s.spawn(s.keepDoor)
	return nil
}

// Close ends every connection and takes the socket away. It waits until nothing
// of the bus runs any more.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	if s.listener != nil {
		_ = s.listener.Close()
	}
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	if s.nc != nil {
		s.nc.Close()
	}
	if s.broker != nil {
		s.broker.stop()
	}
}

// Clients is how many are connected.
func (s *Server) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.callers)
}

// spawn runs fn, unless the server is being closed.
func (s *Server) spawn(fn func()) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Go(fn)
	}
	return !s.closed
}

// answers hands on what became of orders.
func (s *Server) answers(events Events) {
	defer events.Close()
	for {
		batch, err := events.Next(s.ctx)
		if err != nil {
			return
		}
		for _, e := range batch {
			if e.Missed > 0 {
				s.lookUp()
				continue
			}
			s.settle(e)
		}
	}
}

func (s *Server) settle(e FollowedEvent) {
	answer, wait := s.orders.settle(e.Event)
	for _, reply := range wait {
		s.answer(reply, answer)
	}
}

// lookUp finds the answers that the follower was too slow for.
func (s *Server) lookUp() {
	if len(s.orders.open()) == 0 {
		return
	}
	for _, ev := range s.engine.Events("", 0, MaxKept) {
		s.settle(FollowedEvent{Event: ev})
	}
}
