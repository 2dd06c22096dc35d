// Bench drives the real program on a pseudo terminal of 200×50 and prints what
// it costs, as a table: idle, with countdowns, under a flood of lines; and, with
// -peers, what others that are installed in a folder cost under the same load.
//
//	go run ./bench [-servers 200] [-for 60s] [-peers DIR]
//
//	load (idle, countdowns, flood) ──▶ subject (rollcall, mprocs, …) ──▶ session (a terminal) ──▶ result ──▶ table
//
// The flood is 20 servers of 2,000 lines a second each, written by this program
// itself. CPU and memory are the supervisor's own, not its servers'. Both cores
// of a small machine are busy with the flood: compare runs side by side, not
// over days.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// plan is what is measured, and for how long.
type plan struct {
	servers         int
	measure, settle time.Duration
	peers           string
	only            string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == pourCommand {
		pourLines(os.Args[2:])
		return
	}
	var p plan
	flag.IntVar(&p.servers, "servers", 200, "how many idle servers")
	flag.DurationVar(&p.measure, "for", time.Minute, "how long to measure each load")
	flag.DurationVar(&p.settle, "settle", 75*time.Second, "before idle is measured: after a minute a row counts minutes")
	flag.StringVar(&p.peers, "peers", "", "a folder in which mprocs and pm2 were installed with npm; supervisord is taken from PATH")
	flag.StringVar(&p.only, "only", "", "one load alone: idle, countdowns, flood")
	flag.Parse()
	if err := run(p); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run builds the program, and measures each subject under each load.
func run(p plan) (err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	exe := filepath.Join(dir, "rollcall")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var t table
	for _, s := range subjects(exe, self, p.peers) {
		for _, l := range loads(p) {
			if p.only != "" && p.only != l.name || l.countdowns > 0 && !s.countdowns {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s, %s\n", s.name, l.name)
			r, err := s.measure(filepath.Join(dir, s.name+"-"+l.name), l)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, l.name, err)
			}
			t.add(s.name, l, r)
		}
	}
	fmt.Print(t.text())
	return nil
}
