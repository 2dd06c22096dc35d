package cli

import (
	"os"
	"runtime/debug"
	"time"
)

// How far the heap may grow before it is collected, in percent of what lives.
// Most of the memory that an engine holds lives as long as its servers do, and
// little is made anew: half of Go's own 100 saves a seventh of what is resident,
// and costs no CPU that can be measured. Not so while many servers start: with
// 100 a fifth of rollcall's CPU would go into it, and the servers want that too.
// But one that pours from its start on has it grow too.
const (
	heapGrowth  = 50
	startGrowth = 150
	startsFor   = 10 * time.Second
)

// spareMemory is for a process that is there for long, and is called at its
// start. Who sets GOGC knows better.
func spareMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(startGrowth)
		time.AfterFunc(startsFor, func() { debug.SetGCPercent(heapGrowth) })
	}
}
