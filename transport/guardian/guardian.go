package guardian

import (
	"bufio"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Arg is the first argument that asks a program to be the guardian. The second
// is the beginning of the host's marks.
const Arg = "__guardian"

// What a line of the pipe says of a group.
const (
	Add    = '+'
	Remove = '-'
)

const (
	patience = 5 * time.Second      // how long it tries after the pipe's end
	pause    = 5 * time.Millisecond // between two tries
)

// Asked reports whether this process was started to be the guardian.
func Asked() bool { return len(os.Args) == 3 && os.Args[1] == Arg }

// Line is the line that adds or removes a group. Its leader must not be reaped
// yet.
func Line(what byte, pgid int) string {
	s := string(rune(what)) + strconv.Itoa(pgid)
	if what == Add {
		s += " " + strconv.FormatUint(startTime(pgid), 10)
	}
	return s + "\n"
}

// Main is the guardian: it reads groups from fd 3 until its end, kills those
// that are left, and what bears the host's mark, and exits.
func Main() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	groups := read(os.NewFile(3, "groups"))
	for until := time.Now().Add(patience); kill(groups, os.Args[2]) && time.Now().Before(until); {
		time.Sleep(pause)
	}
	os.Exit(0)
}

// read returns the groups that are left at the pipe's end, and when their
// leaders started.
func read(pipe *os.File) map[int]uint64 {
	groups := map[int]uint64{}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		line := lines.Text()
		if line == "" {
			continue
		}
		number, start, _ := strings.Cut(line[1:], " ")
		pgid, err := strconv.Atoi(number)
		switch {
		case err != nil || pgid <= 1:
		case line[0] == Remove:
			delete(groups, pgid)
		case line[0] == Add:
			groups[pgid], _ = strconv.ParseUint(start, 10, 64)
		}
	}
	return groups
}

// kill signals what is left, and reports whether there was anything alive.
func kill(groups map[int]uint64, mark string) (more bool) {
	for pgid, start := range groups {
		// A group whose leader is gone keeps its number while it has members; a
		// leader with another start time means that the number was given anew.
		if now := startTime(pgid); now != 0 && now != start {
			delete(groups, pgid)
			continue
		}
		if syscall.Kill(-pgid, syscall.SIGKILL) != nil {
			delete(groups, pgid)
		}
	}
	for _, p := range Scan(Marks{}) {
		_, member := groups[p.Group]
		if marked := strings.HasPrefix(p.Mark, mark+"-"); marked {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
			member = true
		}
		more = more || member
	}
	return more
}
