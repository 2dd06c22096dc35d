package cli

import (
	"os"
	"runtime/debug"
)

// heapGrowth is by how much the heap may grow before it is collected, in percent
// of what lives. Most of the memory that an engine holds lives as long as its
// servers do, and little is made anew: half of Go's own 100 saves a seventh of
// what is resident, and costs no CPU that can be measured.
const heapGrowth = 50

// spareMemory is for a process that is there for long. Who sets GOGC knows better.
func spareMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
