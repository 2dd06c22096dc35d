package transport

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	kernelLog    = "/dev/kmsg"
	maxKernelLog = 16 << 20         // bytes of it that are looked at
	maxRecord    = 8 << 10          // of one record: the kernel gives no longer one
	recently     = 10 * time.Minute // how old a record of a kill may be; the log's clock is not ours
)

// initialNamespace is what /proc/self/ns/pid leads to where the PIDs seen here
// are those that the kernel writes into its log.
const initialNamespace = "pid:[4026531836]"

// outOfMemory reports whether the kernel says that it killed the leader, which
// has exited and is not reaped yet, for want of memory. Where its log may not be
// read (dmesg_restrict, a container) it says nothing, and neither does this:
// counters of a cgroup tell that somebody was killed, not who.
func (h *Host) outOfMemory(p *process) bool {
	if ns, err := os.Readlink("/proc/self/ns/pid"); err != nil || ns != initialNamespace {
		return false
	}
	name, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/comm")
	if err != nil {
		return false
	}
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return false
	}
	since := time.Duration(now.Nano()) - recently
	return killedForMemory(readKernelLog(h.kernelLog), p.pid, strings.TrimSuffix(string(name), "\n"), since)
}

// readKernelLog returns the records that the kernel still has; nil where they
// may not be read. One read gives one record.
func readKernelLog(path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	log, record := []byte(nil), make([]byte, maxRecord)
	for len(log) < maxKernelLog {
		n, err := unix.Read(fd, record)
		switch {
		case err == unix.EPIPE || err == unix.EINTR: // a record was overwritten: the next one follows
			continue
		case err != nil || n == 0: // EAGAIN: there is no more
			return log
		}
		log = append(log, record[:n]...)
	}
	return log
}

// killedForMemory reports whether a log has a record of the kernel's own, not
// older than since on its clock, that says that it killed this process for want
// of memory. A record is "priority,number,microseconds,flags;text".
func killedForMemory(log []byte, pid int, name string, since time.Duration) bool {
	want := []byte("ut of memory: Killed process " + strconv.Itoa(pid) + " (" + name + ")")
	for line := range bytes.Lines(log) {
		head, text, ok := bytes.Cut(line, []byte{';'})
		before, _, found := bytes.Cut(text, want)
		if !ok || !found || !bytes.Equal(before, []byte("O")) && !bytes.Equal(before, []byte("Memory cgroup o")) {
			continue
		}
		fields := strings.Split(string(head), ",")
		if len(fields) < 3 {
			continue
		}
		// Above 7 it was not the kernel that wrote: anybody who is root may.
		priority, err := strconv.Atoi(fields[0])
		at, err2 := strconv.ParseInt(fields[2], 10, 64)
		if err == nil && err2 == nil && priority <= 7 && time.Duration(at)*time.Microsecond >= since {
			return true
		}
	}
	return false
}
