package bus

import (
	"fmt"
	"net"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"rollcall/redact"
)

// claimLimit bounds what a client says of itself, in bytes.
const claimLimit = 64

// peer is who is at the other end of a connection, as the kernel says.
type peer struct {
	uid  int
	gid  int
	pid  int // 0 where the system does not say
	name redact.Safe
}

// peerOf asks the kernel who made a connection, and gives the answer a name:
// anna (pts/3).
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var failed error
	err = raw.Control(func(fd uintptr) { p, failed = credentials(int(fd)) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return peer{}, fmt.Errorf("who connects is not known: %w", err)
	}
	name := "user " + strconv.Itoa(p.uid)
	if u, err := user.LookupId(strconv.Itoa(p.uid)); err == nil {
		name = u.Username
	}
	if tty := terminalOf(p.pid); tty != "" {
		name += " (" + tty + ")"
	}
	p.name = (*redact.Redactor)(nil).Text(name)
	return p, nil
}

// may reports whether the peer may use the socket: the owner, root, and who is
// in the group that it was widened to; gid is −1 without one (N1).
func (p peer) may(gid int) bool {
	if p.uid == os.Getuid() || p.uid == 0 {
		return true
	}
	return gid >= 0 && (p.gid == gid || p.inGroup(gid))
}

func (p peer) inGroup(gid int) bool {
	u, err := user.LookupId(strconv.Itoa(p.uid))
	if err != nil {
		return false
	}
	groups, err := u.GroupIds()
	return err == nil && slices.Contains(groups, strconv.Itoa(gid))
}

// by is who gave an order: the peer, and behind it what the client claims where
// that says something else. A claim never stands in the peer's place.
func (p peer) by(claim redact.Safe) redact.Safe {
	claim, _ = claim.Cut(claimLimit)
	if claim.IsZero() || strings.HasPrefix(p.name.String(), claim.String()) {
		return p.name
	}
	return redact.Sprintf("%s, as %s", p.name, claim)
}

// groupID is the id of a unix group, −1 for "".
func groupID(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return -1, fmt.Errorf("group %s: %w", name, err)
	}
	return strconv.Atoi(g.Gid)
}
