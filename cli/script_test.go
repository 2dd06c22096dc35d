package cli

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rollcall/transport/guardian"
	"rollcall/tty"
)

// patience bounds each wait for something real.
const patience = tty.Patience

// TestMain lets the test binary stand in for rollcall: as the guardian, as one
// of demo's servers, and as the command of the scripts. What rollcall launches has
// not its environment: that exits by syscall.Exit, for what atOnce says.
func TestMain(m *testing.M) {
	if guardian.Asked() {
		guardian.Main()
		syscall.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "demo" {
		syscall.Exit(Main(os.Args[1:]))
	}
	if len(os.Args) > 2 && os.Args[1] == pourName {
		rate, _ := strconv.Atoi(os.Args[2])
		pour(rate)
		return
	}
	breakWhenAsked()
	testscript.Main(housed{m}, map[string]func(){"rollcall": func() { os.Exit(Main(os.Args[1:])) }})
}

// atOnce has a program exit at once that was built with the race detector: else
// it waits a second for reports.
const atOnce = "atexit_sleep_ms=0"

// housed are the tests, with folders for state and sockets that are theirs alone.
type housed struct{ m *testing.M }

// Run runs them, many side by side: they wait more than they compute.
func (h housed) Run() int {
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	dir, err := os.MkdirTemp("/tmp", "rc") // short: a socket's path is
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{"XDG_STATE_HOME": filepath.Join(dir, "state"), "XDG_RUNTIME_DIR": dir, "GORACE": atOnce} {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
	}
	return h.m.Run()
}

// pourName is the command that makes the test binary write lines.
const pourName = "pour"

// pour writes rate numbered lines a second on stderr, in bursts of 10 ms.
func pour(rate int) {
	begun, out := time.Now(), bufio.NewWriterSize(os.Stderr, 64<<10)
	n := 0
	for range time.Tick(10 * time.Millisecond) {
		for due := int(time.Since(begun).Seconds() * float64(rate)); n < due; n++ {
			fmt.Fprintf(out, "%d GET /v1/items?page=20 200 in 31 ms, as long as a line of a log is\n", n)
		}
		if out.Flush() != nil {
			return
		}
	}
}

// TestScripts plays testdata/script/*.txtar: the commands as a person types
// them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", atOnce)
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("HOME", e.WorkDir)
			run, err := os.MkdirTemp("", "rc") // short: a socket's path is
			if err != nil {
				return err
			}
			e.Setenv("XDG_RUNTIME_DIR", run)
			e.Defer(func() { _ = os.RemoveAll(run) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": exitsWith, "until": comesToExit},
	})
}

// exitsWith runs a command whose exit code is given: code 3 rollcall status.
func exitsWith(ts *testscript.TestScript, _ bool, args []string) {
	if got := exitOf(ts, args[1:]); got != args[0] {
		ts.Fatalf("exit %s, want %s", got, args[0])
	}
}

// comesToExit runs a command again and again, until its exit code is the given one.
func comesToExit(ts *testscript.TestScript, _ bool, args []string) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for late := time.Now().Add(patience); exitOf(ts, args[1:]) != args[0]; <-look.C {
		if time.Now().After(late) {
			ts.Fatalf("never: exit %s", args[0])
		}
	}
}

// exitOf runs a command, and returns its exit code.
func exitOf(ts *testscript.TestScript, args []string) string {
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "0"
	case errors.As(err, &exit):
		return strconv.Itoa(exit.ExitCode())
	}
	ts.Fatalf("%v", err)
	return ""
}
