package transport

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"

	"rollcall/model"
	"rollcall/redact"
)

// heldElsewhere reports whether the port of a server that was launched and
// dialled (C2) is provably held by a process that was there before the launch:
// then that one was dialled, and the launch, which cannot have the port, will
// end. Where it cannot be known it says nothing.
func (r *Run) heldElsewhere(p *process) (model.End, bool) {
	if p == nil || r.spec.Transport == model.Stdio {
		return model.End{}, false
	}
	hosts, port := loopback(r.spec.URL.Reveal())
	if len(hosts) == 0 {
		return model.End{}, false
	}
	pid, name := r.host.procs.holder(p, hosts, port)
	if pid == 0 {
		return model.End{}, false
	}
	return model.End{Cause: model.TransportBroken, Text: redact.Sprintf(
		"port %d is held by another process (%s, pid %d): stop that, or give this server another port",
		redact.Int(port), short(r.spec.Redactor, name), redact.Int(pid))}, true
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
