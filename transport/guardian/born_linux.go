package guardian

import (
	"time"

	"golang.org/x/sys/unix"
)

// Clock is now, in clock ticks since the machine's start, as /proc has it; 0
// where it cannot be told.
func Clock() uint64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return uint64(time.Duration(now.Nano()) / clockTick)
}
