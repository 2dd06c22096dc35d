package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// load is what the supervised servers do while the subject is measured.
type load struct {
	name       string
	servers    int
	countdowns int           // servers beside them that wait for their next try
	lines      int           // a second and server
	settle     time.Duration // before the measurement begins
	measure    time.Duration
}

// The flood.
const (
	floodServers = 20
	floodLines   = 2000
	floodSettle  = 5 * time.Second
)

func loads(p plan) []load {
	return []load{
		{name: "idle", servers: p.servers, settle: p.settle, measure: p.measure},
		{name: "countdowns", servers: p.servers, countdowns: 20, settle: p.settle, measure: p.measure},
		{name: "flood", servers: floodServers, lines: floodLines, settle: floodSettle, measure: p.measure},
	}
}

// total is how many lines each server writes in all: it ends after the
// measurement, so that they can be counted.
func (l load) total() int {
	return l.lines * int((l.settle+l.measure)/time.Second+10)
}

// pourCommand makes this program one that writes lines: RATE TOTAL.
const pourCommand = "pour"

// pourStep is how often the lines that are due are written.
const pourStep = 10 * time.Millisecond

// pourLines writes numbered lines to stderr, so many a second, until all are
// written.
func pourLines(args []string) {
	rate, _ := strconv.Atoi(args[0])
	total, _ := strconv.Atoi(args[1])
	begun := time.Now()
	for written := 0; written < total; time.Sleep(pourStep) {
		due := min(int(time.Since(begun).Seconds()*float64(rate)), total)
		var b strings.Builder
		for ; written < due; written++ {
			fmt.Fprintf(&b, "worker %d: GET /v1/items?page=%d 200 in %d ms, cache miss\n", written%8, written, written%90)
		}
		_, _ = os.Stderr.WriteString(b.String())
	}
}
