package transport

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// holder is the process that has one of the sockets open, where it is none of the
// launch's.
func (t *procTable) holder(p *process, sockets map[string]bool) holder {
	if len(sockets) == 0 {
		return holder{}
	}
	mine := map[int]bool{p.pid: true}
	launched, _ := t.launched(p)
	for _, pid := range launched {
		mine[pid] = true
	}
	for pid := range mine {
		held, err := holds(pid, sockets)
		if held || err != nil && !errors.Is(err, fs.ErrNotExist) || pid < 0 {
			return holder{} // it is ours, or cannot be told
		}
	}
	for _, q := range t.scan().procs {
		if mine[q.PID] {
			continue
		}
		if held, _ := holds(q.PID, sockets); held {
			comm, _ := os.ReadFile("/proc/" + strconv.Itoa(q.PID) + "/comm")
			name := strings.TrimSpace(string(comm))
			if q.PID == 1 || name == userInit {
				return holder{} // it listens for others
			}
			return holder{q.PID, name, q.Mark}
		}
	}
	return holder{}
}

// userInit is the name of an init that is not PID 1: a user's.
const userInit = "systemd"

// holds reports whether a process has one of the sockets open.
func holds(pid int, sockets map[string]bool) (bool, error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, fd := range fds {
		if name, err := os.Readlink(dir + fd.Name()); err == nil && sockets[name] {
			return true, nil
		}
	}
	return false, nil
}

// listeners are the sockets that a connection to one of the hosts reaches, as
// /proc names them: those that listen on the very address, else on all.
func listeners(hosts []netip.Addr, port uint16) map[string]bool {
	exact, wild := map[netip.Addr][]string{}, map[string]string{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table) // there may be no IPv6
		for line := range bytes.Lines(text) {
			at, socket, ok := listening(string(line))
			switch {
			case !ok || at.Port() != port:
			case at.Addr().IsUnspecified():
				wild[socket] = table
			default:
				exact[at.Addr()] = append(exact[at.Addr()], socket)
			}
		}
	}
	found := map[string]bool{}
	for _, host := range hosts {
		for _, socket := range exact[host] {
			found[socket] = true
		}
		for socket, table := range wild {
			if len(exact[host]) == 0 && (host.Is4() || table == "/proc/net/tcp6") {
				found[socket] = true
			}
		}
	}
	return found
}

// stateListen is TCP_LISTEN as the tables write it.
const stateListen = "0A"

// listening reads a line of a table: the address, as words of the machine's byte
// order in hexadecimal, the state, and the socket's inode.
func listening(line string) (at netip.AddrPort, socket string, ok bool) {
	f := strings.Fields(line)
	if len(f) < 10 || f[3] != stateListen {
		return at, "", false
	}
	host, port, _ := strings.Cut(f[1], ":")
	words, err := hex.DecodeString(host)
	if err != nil || len(words)%4 != 0 {
		return at, "", false
	}
	for i := 0; i < len(words); i += 4 {
		binary.NativeEndian.PutUint32(words[i:], binary.BigEndian.Uint32(words[i:]))
	}
	addr, known := netip.AddrFromSlice(words)
	n, err := strconv.ParseUint(port, 16, 16)
	if !known || err != nil {
		return at, "", false
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), "socket:[" + f[9] + "]", true
}
