package cli

import (
	"os"
	"runtime/debug"
	"time"
)

// How far the heap may grow before it is collected, in percent of what lives.
// Most of the memory that an engine holds lives as long as its servers do, and
// little is made anew: half of Go's own 100 saves a seventh of what is resident,
// and costs no CPU that can be measured. Not so while many servers start: there a
// fifth of the CPU would go into it.
const (
	heapGrowth = 50
	startsFor  = 30 * time.Second
)

// spareMemory is for a process that is there for long. Who sets GOGC knows better.
func spareMemory() {
	if os.Getenv("GOGC") == "" {
		time.AfterFunc(startsFor, func() { debug.SetGCPercent(heapGrowth) })
	}
}
