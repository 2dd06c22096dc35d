package bus

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func credentials(fd int) (peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(c.Uid), gid: int(c.Gid), pid: int(c.Pid)}, nil
}

// terminalOf is the controlling terminal of a process, pts/3, or "".
func terminalOf(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	fields := strings.Fields(rest) // state, ppid, pgrp, session, tty_nr, …
	if len(fields) < 5 {
		return ""
	}
	n, err := strconv.ParseUint(fields[4], 10, 32)
	if err != nil {
		return ""
	}
	return terminalName(unix.Major(n), unix.Minor(n))
}

// terminalName names a terminal's device (the kernel's devices.txt).
func terminalName(major, minor uint32) string {
	switch {
	case 136 <= major && major <= 143:
		return fmt.Sprintf("pts/%d", (major-136)*256+minor)
	case major == 4 && minor < 64:
		return fmt.Sprintf("tty%d", minor)
	case major == 4:
		return fmt.Sprintf("ttyS%d", minor-64)
	}
	return ""
}
