package guardian

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
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

// Scan reads the process table. It updates known, which must not be shared. An
// error means that it could not look, for want of descriptors above all: nothing
// is known then, least of all that nobody is there.
func Scan(known Marks) ([]Proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	seen := make(map[ident]bool, len(known))
	procs := make([]Proc, 0, len(names))
	var unsure []newborn
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		s, err := readStat(pid)
		switch {
		case blind(err):
			return nil, err
		case err != nil || s.state == 'Z' || s.state == 'X':
			continue
		}
		id := ident{pid, s.start}
		seen[id] = true
		mark, ok := known[id]
		if !ok {
			var empty bool
			mark, empty, err = readMark(pid)
			switch {
			case blind(err):
				return nil, err
			case empty && !s.kernel:
				unsure = append(unsure, newborn{id, s.group})
				continue
			}
			known[id] = mark
		}
		procs = append(procs, Proc{PID: pid, Group: s.group, Mark: mark})
	}
	procs = append(procs, settle(unsure, known)...)
	for id := range known {
		if !seen[id] {
			delete(known, id)
		}
	}
	return procs, nil
}

// blind reports whether an error says nothing of the process that was looked
// at: there was no descriptor to look with.
func blind(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// Zombies are the children of a process that have exited and were not waited
// for.
func Zombies(parent int) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, err := readStat(pid); err == nil && s.state == 'Z' && s.parent == parent {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

type stat struct {
	state         byte
	parent, group int
	kernel        bool   // a thread of the kernel's own
	start         uint64 // clock ticks since the machine's start
}

// kernelThread is PF_KTHREAD among a process's flags.
const kernelThread = 0x00200000

// readStat reads /proc/PID/stat. The command's name may hold anything, so the
// fields are counted after the last ")".
func readStat(pid int) (s stat, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, err
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 {
		return s, errors.New("too few fields")
	}
	s.state = f[0][0]
	s.parent, err = strconv.Atoi(string(f[1]))
	if err != nil {
		return s, err
	}
	s.group, err = strconv.Atoi(string(f[2]))
	if err != nil {
		return s, err
	}
	flags, err := strconv.ParseUint(string(f[6]), 10, 64)
	if err != nil {
		return s, err
	}
	s.kernel = flags&kernelThread != 0
	s.start, err = strconv.ParseUint(string(f[19]), 10, 64)
	return s, err
}

// startTime is when a process started, 0 where there is none.
func startTime(pid int) uint64 {
	s, _ := readStat(pid)
	return s.start
}

const (
	settleTries = 20
	settlePause = time.Millisecond
)

// newborn is a process that was seen for the first time, without an environment.
type newborn struct {
	ident
	group int
}

// settle waits until each has an environment, has ended, or is known to have
// none. One within exec, or about to end, shows none for a moment: taken for one
// without a mark, it would never be found again.
func settle(unsure []newborn, known Marks) (procs []Proc) {
	for try := 0; len(unsure) > 0 && try < settleTries; try++ {
		time.Sleep(settlePause)
		unsure = slices.DeleteFunc(unsure, func(n newborn) bool {
			now, err := readStat(n.pid)
			if blind(err) {
				return false
			}
			if err != nil || now.start != n.start || now.state == 'Z' || now.state == 'X' {
				return true
			}
			mark, empty, err := readMark(n.pid)
			if blind(err) {
				return false
			}
			if !empty {
				known[n.ident] = mark
				procs = append(procs, Proc{PID: n.pid, Group: now.group, Mark: mark})
			}
			return !empty
		})
	}
	for _, n := range unsure {
		known[n.ident] = ""
		procs = append(procs, Proc{PID: n.pid, Group: n.group})
	}
	return procs
}

// readMark finds the mark in a process's environment; it is empty where there
// is none, or where it may not be read. empty says that there is no environment
// at all.
func readMark(pid int) (mark string, empty bool, err error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", false, err
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
			return string(mark), false, nil
		}
	}
	return "", len(buf) == 0, nil
}
