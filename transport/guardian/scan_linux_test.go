package guardian

import (
	"syscall"
	"testing"
)

// Who cannot look does not know that nobody is there.
func TestT1_AScanWithoutDescriptorsIsNoEmptyOne(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	none := syscall.Rlimit{Cur: 0, Max: was.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	procs, err := Scan(Marks{})
	if e := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); e != nil {
		t.Fatal(e)
	}
	if err == nil {
		t.Errorf("a scan without descriptors saw %d processes, and no error", len(procs))
	}
	if procs, err = Scan(Marks{}); err != nil || len(procs) == 0 {
		t.Errorf("with descriptors again: %d processes, %v", len(procs), err)
	}
}
