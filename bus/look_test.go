package bus

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestN1_WhoOnlyLooksRefusesNobody: status, stop and a shell's completion look
// whether the lock is held, and may do so in the instant in which an engine
// starts.
func TestN1_WhoOnlyLooksRefusesNobody(t *testing.T) {
	config := runtimeDir(t)
	p, err := Where(config)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var lookers sync.WaitGroup
	defer lookers.Wait()
	defer close(done)
	for range 2 {
		lookers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if _, err := Held(p.Socket); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 300 {
		lock, err := Acquire(config)
		if err != nil {
			t.Fatal(err)
		}
		if held, err := Held(p.Socket); !held || err != nil {
			t.Fatalf("while it is held: %t, %v", held, err)
		}
		lock.Release()
	}
}

// TestN1_WhoHoldsTheLockIsNotWaitedFor, but for one who looks and was stopped
// while he did: that is waited for, and not for ever.
func TestN1_WhoHoldsTheLockIsNotWaitedFor(t *testing.T) {
	config := runtimeDir(t)
	lock, err := Acquire(config)
	if err != nil {
		t.Fatal(err)
	}
	quickest := lookersStay
	for range 5 { // one of them is not held up by what else the machine does
		began := time.Now()
		if _, err := Acquire(config); !errors.As(err, new(*HeldError)) {
			t.Fatal(err)
		}
		quickest = min(quickest, time.Since(began))
	}
	if quickest >= lookersStay {
		t.Errorf("who holds it was waited for %v", quickest)
	}
	path := lock.Paths().Lock
	lock.Release()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := flock(f, unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := Acquire(config); !errors.As(err, new(*HeldError)) {
		t.Fatal(err)
	}
	if took := time.Since(began); took < lookersStay {
		t.Errorf("given up after %v", took)
	}
}

// TestN1_ASecondEngineKeepsTheWayOfTheFirstsGroup: both sockets lie in one
// directory, and a directory has one group.
func TestN1_ASecondEngineKeepsTheWayOfTheFirstsGroup(t *testing.T) {
	gid, err := groupID("daemon")
	other, err2 := groupID("bin")
	if os.Getuid() != 0 || err != nil || err2 != nil {
		t.Skip("only root can give a directory to a group", err, err2)
	}
	config := runtimeDir(t)
	first, firstLock := serveAt(t, config, newFake("a"), func(o *Options) { o.Group = "daemon" })
	second := config + ".second.toml"
	if err := os.WriteFile(second, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	way := func() (os.FileMode, int) {
		var st unix.Stat_t
		if err := unix.Stat(firstLock.Paths().Dir, &st); err != nil {
			t.Fatal(err)
		}
		return os.FileMode(st.Mode).Perm(), int(st.Gid)
	}
	_, secondLock := serveAt(t, second, newFake("b"))
	if mode, of := way(); mode != 0o750 || of != gid {
		t.Errorf("with a second engine without a group: mode %v, group %d", mode, of)
	}
	if info, err := os.Stat(secondLock.Paths().Socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the second's socket: %v, %v", info.Mode(), err)
	}
	third := config + ".third.toml"
	lock, err := Acquire(third)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if _, err := Serve(lock, Options{Engine: newFake("c"), Group: "bin"}); err == nil {
		t.Errorf("one directory was given to two groups, %d and %d", gid, other)
	}
	if mode, of := way(); mode != 0o750 || of != gid {
		t.Errorf("with another group's engine: mode %v, group %d", mode, of)
	}
	first.Close()
	firstLock.Release() // the socket stays where it was not ended in order: none that runs has it
	if err := os.WriteFile(firstLock.Paths().Socket, nil, 0o660); err != nil {
		t.Fatal(err)
	}
	s, err := Serve(lock, Options{Engine: newFake("c")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if mode, _ := way(); mode != 0o700 {
		t.Errorf("nobody's group has a way in: mode %v", mode)
	}
}
