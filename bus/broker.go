package bus

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	maxConns   = 128      // clients at once
	maxPending = 32 << 20 // bytes that wait for one client, before it is cut off
	// writeDeadline cuts a client off that reads nothing for so long while bytes
	// wait for it.
	writeDeadline = 5 * time.Second
	readyLimit    = 5 * time.Second
	engineUser    = "engine"
)

// broker is the embedded NATS server. It listens nowhere: what reaches it comes
// through InProcessConn, and bears a name and a pass that the doorkeeper gave.
type broker struct {
	*server.Server
	subjects subjects
	pass     string // the engine's own

	mu     sync.Mutex
	guests map[string]guest
}

// guest is what the doorkeeper lets in.
type guest struct {
	pass     string
	readOnly bool
}

// startBroker starts the server. It writes no log, catches no signal and keeps
// nothing on disk. hubs are the fleet's servers that it joins as a leaf (N4).
func startBroker(s subjects, hubs []*url.URL) (*broker, error) {
	b := &broker{subjects: s, pass: rand.Text(), guests: map[string]guest{}}
	// NoFastProducerStall stays off: with it the broker drops messages, silently,
	// for a client with more than three quarters of MaxPending waiting. So it is
	// cut off instead, and the engine's connection waits 10 ms for it, at most.
	opts := &server.Options{
		ServerName: s.prefix[len(root) : len(s.prefix)-1],
		DontListen: true, NoLog: true, NoSigs: true, NoSystemAccount: true,
		MaxPayload: maxPayload, MaxConn: maxConns + 1, MaxSubs: 64, MaxPending: maxPending,
		WriteDeadline: writeDeadline, DisableShortFirstPing: true,
		CustomClientAuthentication: b,
	}
	for _, hub := range hubs {
		opts.LeafNode.Remotes = append(opts.LeafNode.Remotes, &server.RemoteLeafOpts{
			URLs: []*url.URL{hub},
			// Nobody beyond this host gives orders here, whatever the hub allows.
			DenyImports: []string{s.order("*", "*")},
		})
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	b.Server = ns
	ns.Start()
	if !ns.ReadyForConnections(readyLimit) {
		ns.Shutdown()
		return nil, errors.New("the bus did not get ready")
	}
	return b, nil
}

// stop ends the server and waits until it has.
func (b *broker) stop() {
	b.Shutdown()
	b.WaitForShutdown()
}

// connect makes the engine's own connection.
func (b *broker) connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(b), nats.UserInfo(engineUser, b.pass), nats.NoReconnect(), nats.Name(engineUser))
}

// wanted reports whether anybody subscribes to a subject, here or over a hub.
func (b *broker) wanted(subject string) bool { return b.GlobalAccount().Interest(subject) > 0 }

func (b *broker) admit(who string, g guest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.guests[who] = g
}

func (b *broker) forget(who string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.guests, who)
}

// Check lets a connection in, with what it may do (server.Authentication).
func (b *broker) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if o.Username == engineUser {
		return same(o.Password, b.pass)
	}
	b.mu.Lock()
	g, ok := b.guests[o.Username]
	b.mu.Unlock()
	if !ok || !same(o.Password, g.pass) {
		return false
	}
	c.RegisterUser(&server.User{Username: o.Username, Permissions: b.permissions(o.Username, g)})
	return true
}

// permissions are what a client may do: ask and order under its own name, and
// hear what is for all and what is for itself. One that may only read has no
// subject to order on (N2).
func (b *broker) permissions(who string, g guest) *server.Permissions {
	s := b.subjects
	publish := []string{s.ask("*", who)}
	if !g.readOnly {
		publish = append(publish, s.order("*", who))
	}
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: []string{s.rows(), s.beat(), inboxOf(who) + ">"}},
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
