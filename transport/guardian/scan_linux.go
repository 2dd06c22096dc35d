package guardian

import (
	"bytes"
	"os"
	"strconv"
)

// Proc is one living process; zombies are left out.
type Proc struct {
	PID, Group int
	Mark       string // the value of ROLLCALL_CHILD in its environment, if any
}

// Marks remembers the marks of processes between scans: reading an environment
// costs more than reading a state. A process keeps the mark that it was born
// with.
type Marks map[ident]string

type ident struct {
	pid   int
	start uint64
}

const variable = "ROLLCALL_CHILD="

// maxEnviron bounds what is read of one environment, in bytes.
const maxEnviron = 256 << 10

// Scan reads the process table. It updates known, which must not be shared.
func Scan(known Marks) []Proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	seen := make(map[ident]bool, len(known))
	procs := make([]Proc, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		s, ok := readStat(pid)
		if !ok || s.state == 'Z' || s.state == 'X' {
			continue
		}
		id := ident{pid, s.start}
		mark, ok := known[id]
		if !ok {
			mark = readMark(pid)
			known[id] = mark
		}
		seen[id] = true
		procs = append(procs, Proc{PID: pid, Group: s.group, Mark: mark})
	}
	for id := range known {
		if !seen[id] {
			delete(known, id)
		}
	}
	return procs
}

type stat struct {
	state byte
	group int
	start uint64 // clock ticks since the machine's start
}

// readStat reads /proc/PID/stat. The command's name may hold anything, so the
// fields are counted after the last ")".
func readStat(pid int) (s stat, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 {
		return s, false
	}
	s.state = f[0][0]
	s.group, err = strconv.Atoi(string(f[2]))
	if err != nil {
		return s, false
	}
	s.start, err = strconv.ParseUint(string(f[19]), 10, 64)
	return s, err == nil
}

// startTime is when a process started, 0 where there is none.
func startTime(pid int) uint64 {
	s, _ := readStat(pid)
	return s.start
}

// readMark finds the mark in a process's environment; empty where there is
// none, or where it may not be read.
func readMark(pid int) string {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 0, 8<<10)
	for len(buf) < maxEnviron {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil || n == 0 {
			break
		}
	}
	for v := range bytes.SplitSeq(buf, []byte{0}) {
		if mark, ok := bytes.CutPrefix(v, []byte(variable)); ok {
			return string(mark)
		}
	}
	return ""
}
