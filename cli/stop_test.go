//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestX2_AReaderThatIsStuckHoldsUpNoStop(t *testing.T) {
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
	full(t, r)
	began := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, want exit 0; stderr: %s", err, said.String())
	}
	if took := time.Since(began); took > 8*time.Second { // the grace of 5 s plus 3 s
		t.Errorf("the stop took %s", took)
	}
}

// full waits until nothing more fits into a pipe: what it holds has not grown
// for half a second, in which a writer that is not stuck wrote several times.
func full(t *testing.T, r *os.File) {
	t.Helper()
	last, still := -1, 0
	for range 300 {
		n := pending(r)
		if n != last {
			last, still = n, 0
		}
		if still++; still > 10 && n > 32<<10 {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Fatalf("the pipe holds %d bytes and does not fill", last)
}
