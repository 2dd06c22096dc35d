//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestX2_AReaderThatIsStuckHoldsUpNoStop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, "[servers.a]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"chatty\", \"--rate\", \"5000\"]\n")
	cmd := rollcallCommand(t, "serve", "--logs", "-c", path)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	// Read a little, so that it runs; then no more: the pipe fills.
	if _, err := r.Read(make([]byte, 1<<16)); err != nil {
		t.Fatal(err)
	}
	comes(t, "a full pipe", full(r))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v, want exit 0; stderr: %s", err, said.String())
		}
	case <-time.After(patience): // whoever waits for this reader waits for ever
		t.Fatal("it does not stop")
	}
}

// full returns a condition: nothing more fits into a pipe. What it holds has not
// grown for many looks, in which a writer that is not stuck wrote several times.
func full(r *os.File) func() bool {
	last, still := -1, 0
	return func() bool {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		if err != nil || n != last {
			last, still = n, 0
		}
		still++
		return still > 10 && n > 32<<10
	}
}
