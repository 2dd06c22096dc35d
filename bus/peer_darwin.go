package bus

import "golang.org/x/sys/unix"

func credentials(fd int) (peer, error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	p := peer{uid: int(c.Uid), gid: -1}
	if c.Ngroups > 0 {
		p.gid = int(c.Groups[0])
	}
	p.pid, _ = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return p, nil
}

// terminalOf is not known without a privileged call.
func terminalOf(int) string { return "" }
