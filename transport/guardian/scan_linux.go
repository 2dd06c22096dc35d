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
	PID, Group, Session, Parent int
	// Mark is the value of ROLLCALL_CHILD in its environment, if any; else that of
	// the nearest of its ancestors that has one, as far as they were seen alive.
	Mark string

	start uint64
}

// Marks remembers the marks of processes between scans: reading an environment
// costs more than reading a state. A process keeps the mark that it was born
// with. That it has none is believed at second sight: until exec it shows its
// parent's environment.
type Marks map[ident]string

// doubt is what is remembered of a process that had no mark at first sight.
const doubt = "?"

type ident struct {
	pid   int
	start uint64
}

const variable = Variable + "="

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
	var environ []byte // read into, again and again
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
		if !ok || mark == doubt {
			seenBefore := ok
			var empty bool
			mark, empty, err = readMark(pid, &environ)
			switch {
			case blind(err):
				return nil, err
			case empty && !s.kernel:
				unsure = append(unsure, newborn{id, s})
				continue
			}
			known[id] = mark
			if mark == "" && !seenBefore && !s.kernel {
				known[id] = doubt
			}
		}
		procs = append(procs, s.proc(pid, mark))
	}
	procs = append(procs, settle(unsure, known, &environ)...)
	inherit(procs, known)
	for id := range known {
		if !seen[id] {
			delete(known, id)
		}
	}
	return procs, nil
}

// inherit gives those that have no mark their parent's: what was started with an
// empty environment belongs to whoever started it. It is remembered, since the
// parent may be gone at the next scan. Children of this process get nothing from
// it: each launch has a mark of its own, and an orphan may be anybody's.
func inherit(procs []Proc, known Marks) {
	me := os.Getpid()
	at := make(map[int]int, len(procs))
	for i, p := range procs {
		at[p.PID] = i
	}
	var mark func(i, depth int) string
	mark = func(i, depth int) string {
		p := &procs[i]
		if parent, ok := at[p.Parent]; ok && p.Mark == "" && p.Parent != me && depth > 0 {
			if p.Mark = mark(parent, depth-1); p.Mark != "" {
				known[ident{p.PID, p.start}] = p.Mark
			}
		}
		return p.Mark
	}
	for i := range procs {
		mark(i, maxAncestors)
	}
}

// maxAncestors bounds the way up: a picture that was not taken at one instant
// could have a circle in it.
const maxAncestors = 64

// Adopt notes that a process bears a mark which was not found on it.
func (m Marks) Adopt(p Proc, mark string) { m[ident{p.PID, p.start}] = mark }

// blind reports whether an error says nothing of the process that was looked
// at: there was no descriptor to look with.
func blind(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// Zombies are the children of a process that have exited and were not waited
// for, and when each started, in clock ticks since the machine's start.
func Zombies(parent int) (starts map[int]uint64) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	starts = map[int]uint64{}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, err := readStat(pid); err == nil && s.state == 'Z' && s.parent == parent {
				starts[pid] = s.start
			}
		}
	}
	return starts
}

type stat struct {
	state                  byte
	parent, group, session int
	kernel                 bool   // a thread of the kernel's own
	start                  uint64 // clock ticks since the machine's start
	ticks                  uint64 // clock ticks that it and the children it waited for have spent
	resident               uint64 // pages
}

func (s stat) proc(pid int, mark string) Proc {
	return Proc{PID: pid, Group: s.group, Session: s.session, Parent: s.parent, Mark: mark, start: s.start}
}

// maxStat is more than /proc/PID/stat ever has, in bytes.
const maxStat = 1 << 10

// readSmall reads what of a file fits into buf. It does without os.File, which
// would ask the poller about each: a scan opens hundreds.
func readSmall(path string, buf []byte) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	n, err := syscall.Read(fd, buf)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// Newest is the number of the process or thread that was born last; 0 where it
// cannot be read. Between two equal ones nothing was born.
func Newest() int {
	var buf [128]byte
	b, err := readSmall("/proc/loadavg", buf[:])
	if err != nil {
		return 0
	}
	text := bytes.TrimSpace(b)
	pid, _ := strconv.Atoi(string(text[bytes.LastIndexByte(text, ' ')+1:]))
	return pid
}

// kernelThread is PF_KTHREAD among a process's flags.
const kernelThread = 0x00200000

// readStat reads /proc/PID/stat. The command's name may hold anything, so the
// fields are counted after the last ")".
func readStat(pid int) (s stat, err error) {
	var buf [maxStat]byte
	b, err := readSmall("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return s, err
	}
	var f [22][]byte
	n := 0
	for field := range bytes.FieldsSeq(b[bytes.LastIndexByte(b, ')')+1:]) {
		if n == len(f) {
			break
		}
		f[n] = field
		n++
	}
	if n < len(f) {
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
	s.session, err = strconv.Atoi(string(f[3]))
	if err != nil {
		return s, err
	}
	flags, err := strconv.ParseUint(string(f[6]), 10, 64)
	if err != nil {
		return s, err
	}
	s.kernel = flags&kernelThread != 0
	for _, spent := range f[11:15] { // in user and system mode, itself and its children
		n, err := strconv.ParseUint(string(spent), 10, 64)
		if err != nil {
			return s, err
		}
		s.ticks += n
	}
	s.resident, err = strconv.ParseUint(string(f[21]), 10, 64)
	if err != nil {
		return s, err
	}
	s.start, err = strconv.ParseUint(string(f[19]), 10, 64)
	return s, err
}

// clockTick is the unit of times in /proc: 1/USER_HZ, which is 100 on every
// machine that Go runs on.
const clockTick = time.Second / 100

// Use is what a process uses: resident memory in bytes, and the CPU time that it
// and those of its children that it has waited for have spent.
func Use(pid int) (resident uint64, cpu time.Duration, err error) {
	s, err := readStat(pid)
	if err != nil {
		return 0, 0, err
	}
	return s.resident * uint64(os.Getpagesize()), time.Duration(s.ticks) * clockTick, nil
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
	stat
}

// settle waits until each has an environment, has ended, or is known to have
// none. One within exec, or about to end, shows none for a moment: taken for one
// without a mark, it would never be found again.
func settle(unsure []newborn, known Marks, environ *[]byte) (procs []Proc) {
	for try := 0; len(unsure) > 0 && try < settleTries; try++ {
		time.Sleep(settlePause)
		unsure = slices.DeleteFunc(unsure, func(n newborn) bool {
			now, err := readStat(n.pid)
			if blind(err) {
				return false
			}
			if err != nil || now.start != n.ident.start || now.state == 'Z' || now.state == 'X' {
				return true
			}
			mark, empty, err := readMark(n.pid, environ)
			if blind(err) {
				return false
			}
			if !empty {
				known[n.ident] = mark
				procs = append(procs, now.proc(n.pid, mark))
			}
			return !empty
		})
	}
	for _, n := range unsure {
		known[n.ident] = ""
		procs = append(procs, n.stat.proc(n.pid, ""))
	}
	return procs
}

// readMark finds the mark in a process's environment, which it reads into buf;
// it is empty where there is none, or where it may not be read. empty says that
// there is no environment at all.
func readMark(pid int, buf *[]byte) (mark string, empty bool, err error) {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", false, err
	}
	defer syscall.Close(fd)
	b := (*buf)[:0]
	for len(b) < maxEnviron {
		b = slices.Grow(b, 4<<10)
		n, err := syscall.Read(fd, b[len(b):cap(b)])
		if err != nil || n <= 0 {
			break
		}
		b = b[:len(b)+n]
	}
	*buf = b
	for v := range bytes.SplitSeq(b, []byte{0}) {
		if mark, ok := bytes.CutPrefix(v, []byte(variable)); ok {
			return string(mark), false, nil
		}
	}
	return "", len(b) == 0, nil
}
