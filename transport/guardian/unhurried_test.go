package guardian

import (
	"io"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestT1_ThePipesEndIsSeenAtOnceAndWhatIsToldWaits: within an hour's pause.
func TestT1_ThePipesEndIsSeenAtOnceAndWhatIsToldWaits(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	pipe := &unhurried{file: r, pause: time.Hour}
	tell := func(line string) {
		t.Helper()
		if _, err := io.WriteString(w, line); err != nil {
			t.Fatal(err)
		}
	}
	buf := make([]byte, 64)
	read := func() string {
		n, _ := pipe.Read(buf)
		return string(buf[:n])
	}
	tell("+1 1\n")
	if got := read(); got != "+1 1\n" {
		t.Errorf("at first it read %q", got)
	}
	tell("+2 2\n")
	later := make(chan string)
	go func() { later <- read() }()
	for range 1000 { // time for a read that does not wait
		runtime.Gosched()
	}
	tell("+3 3\n")
	_ = w.Close()
	if got := <-later; got != "+2 2\n+3 3\n" {
		t.Errorf("it read %q before the end", got)
	}
	if got := read(); got != "" {
		t.Errorf("after the end it read %q", got)
	}
}

// TestT1_MuchThatIsToldDoesNotWait: a guardian that starts late is told all groups.
func TestT1_MuchThatIsToldDoesNotWait(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := io.WriteString(w, "+1 1\n+2 2\n+3 3\n"); err != nil {
		t.Fatal(err)
	}
	pipe, buf := &unhurried{file: r, pause: time.Hour}, make([]byte, 5)
	for range 3 {
		if n, err := pipe.Read(buf); n != len(buf) || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
	}
}
