package guardian

import (
	"strconv"
	"strings"
)

// Born is when a process was started: not before From and not after To, in clock
// ticks since the machine's start. That and its PID tell it from another one that
// is given the PID later. The zero value says that it cannot be told.
type Born struct{ From, To uint64 }

// Bearing times what starts a process by two looks at the clock, since a look
// at the process in /proc costs more than the rest of what a launch is noted by.
// start is called once.
func Bearing(start func() error) (Born, error) {
	from := Clock()
	err := start()
	return Born{from, Clock()}, err
}

// Tells reports whether the clock and /proc agree on when a process was started
// that is not reaped yet: where they do not, Exactly does it.
func (b Born) Tells(pid int) bool { return b.holds(startTime(pid)) }

// Exactly is when a process that is not reaped yet was started.
func Exactly(pid int) Born {
	t := startTime(pid)
	return Born{t, t}
}

// holds reports whether a process that started at t, as /proc tells it, may be
// the one.
func (b Born) holds(t uint64) bool { return b.From <= t && t <= b.To }

func (b Born) String() string {
	return strconv.FormatUint(b.From, 10) + "-" + strconv.FormatUint(b.To, 10)
}

func parseBorn(text string) (b Born) {
	from, to, _ := strings.Cut(text, "-")
	b.From, _ = strconv.ParseUint(from, 10, 64)
	b.To, _ = strconv.ParseUint(to, 10, 64)
	return b
}
