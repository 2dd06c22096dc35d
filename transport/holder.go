package transport

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"sync"

	"rollcall/model"
	"rollcall/redact"
)

// port is where a launched server is dialled on this host (C2), and what listened
// there before the launch.
type port struct {
	hosts   []netip.Addr // none: nothing can be said of it
	number  uint16
	sockets map[string]bool
}

// seePort looks at the port of a server that is to be launched.
func (r *Run) seePort() port {
	if r.spec.Transport == model.Stdio {
		return port{}
	}
	hosts, number := loopback(r.spec.URL.Reveal())
	return port{hosts, number, listeners(hosts, number)}
}

// holder is a process that holds a port. Without a PID nobody does, or it cannot
// be known.
type holder struct {
	pid  int
	name string
	mark string // of the launch that it belongs to
}

// heldElsewhere reports whether the port of a server that was launched and
// dialled is provably held by a process that is not of the launch: then that one
// was dialled, and the launch, which cannot have the port, will end. It is proved
// where the very socket listened before the launch, or is of the launch of
// another server that is dialled there too. A daemon that opens the port because
// a launch asks for it is older than the launch; its socket is not, and where the
// daemon keeps it open, the next launch of that server finds what was opened for
// one before it. Where it cannot be known it says nothing.
func (r *Run) heldElsewhere(p *process) (model.End, bool) {
	if p == nil || len(p.port.hosts) == 0 {
		return model.End{}, false
	}
	sockets := listeners(p.port.hosts, p.port.number)
	held := r.host.procs.holder(p, sockets)
	rival, known := r.host.rivals.dialledAt(p.port.number, held.mark)
	what, number := short(r.spec.Redactor, held.name), redact.Int(p.port.number)
	switch {
	case held.pid == 0:
		return model.End{}, false
	case known:
		return model.End{Cause: model.TransportBroken, Text: redact.Sprintf(
			"port %d is held by the server %s (%s, pid %d): give one of the two another port",
			number, redact.Name(rival), what, redact.Int(held.pid))}, true
	}
	if r.host.rivals.opened(r.spec.Name, sockets, p.port.sockets) {
		return model.End{}, false
	}
	return model.End{Cause: model.TransportBroken, Text: redact.Sprintf(
		"port %d is held by another process (%s, pid %d): stop that, or give this server another port",
		number, what, redact.Int(held.pid))}, true
}

// rivals are the servers that are launched and dialled on this host, by the marks
// of their launches.
type rivals struct {
	mu     sync.Mutex
	byMark map[string]rival
	doors  map[string]map[string]bool // by server: the sockets that others have opened since a launch of it
}

type rival struct {
	server string
	port   uint16
}

// add notes a launch; one that is not dialled here is none.
func (r *rivals) add(server string, p *process) {
	if len(p.port.hosts) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byMark == nil {
		r.byMark = map[string]rival{}
	}
	r.byMark[p.mark] = rival{server, p.port.number}
}

// remove forgets a launch of which nothing is left.
func (r *rivals) remove(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byMark, p.mark)
}

// opened reports whether one of the sockets that others hold was opened since a
// launch of the server: since this one, before which there were those of before,
// or since an earlier one that was reached through it.
func (r *rivals) opened(server string, sockets, before map[string]bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	doors := map[string]bool{}
	for socket := range sockets {
		if !before[socket] || r.doors[server][socket] {
			doors[socket] = true
		}
	}
	if r.doors == nil {
		r.doors = map[string]map[string]bool{}
	}
	r.doors[server] = doors
	return len(doors) > 0
}

// dialledAt is the server of a launch, where that is dialled at a port.
func (r *rivals) dialledAt(port uint16, mark string) (server string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.byMark[mark]
	return found.server, ok && found.port == port
}

// loopback are the addresses of this host that a url names, and its port; none
// where it names another host.
func loopback(rawURL string) (hosts []netip.Addr, port uint16) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, 0
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return nil, 0 // a well-known port is no launched server's
	}
	if u.Hostname() == "localhost" {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, uint16(n)
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil || !net.IP(addr.AsSlice()).IsLoopback() {
		return nil, 0
	}
	return []netip.Addr{addr.Unmap()}, uint16(n)
}
