package bus

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollcall/redact"
)

// held reports whether an engine is refused because one runs.
func held(t *testing.T, what, config string) {
	t.Helper()
	second, err := Acquire(config)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("%s: a second engine: %v", what, err)
	}
	if err == nil {
		second.Release()
	}
}

// free reports whether an engine may start.
func free(t *testing.T, what, config string) {
	t.Helper()
	l, err := Acquire(config)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	l.Release()
}

// linked are two configurations and a link to the first.
func linked(t *testing.T) (link, v1, v2 string) {
	t.Helper()
	dir := filepath.Dir(runtimeDir(t))
	link, v1, v2 = filepath.Join(dir, "servers-now.toml"), filepath.Join(dir, "v1.toml"), filepath.Join(dir, "v2.toml")
	for _, path := range []string{v1, v2} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lead(t, link, v1)
	return link, v1, v2
}

// lead makes a link lead to a file, as ln -sfn does.
func lead(t *testing.T, link, to string) {
	t.Helper()
	_ = os.Remove(link)
	if err := os.Symlink(to, link); err != nil {
		t.Fatal(err)
	}
}

// TestN1_ALinkThatIsChangedLeadsToTheSameEngine: by the path that it was started
// with, and by each file that it reads.
func TestN1_ALinkThatIsChangedLeadsToTheSameEngine(t *testing.T) {
	link, v1, v2 := linked(t)
	_, lock := serveAt(t, link, newFake("a"))
	lead(t, link, v2)
	held(t, "the link, changed", link)
	held(t, "the file of before", v1)
	free(t, "the file that was not read yet", v2)
	if err := lock.Follow(); err != nil {
		t.Fatal(err)
	}
	held(t, "the file that is read now", v2)
	held(t, "the file that runs", v1)
	for _, config := range []string{link, v1, v2} {
		if p, err := Where(config); err != nil || p != lock.Paths() {
			t.Errorf("%s: found at %+v, %v; it is at %+v", config, p, err, lock.Paths())
		}
	}
	lock.Settle()
	held(t, "the file that runs now", v2)
	held(t, "the link", link)
	free(t, "the file that is nobody's now", v1)
}

func TestN1_AnotherEnginesFileIsNotRead(t *testing.T) {
	link, v1, v2 := linked(t)
	lock, err := Acquire(link)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	other, err := Acquire(v2)
	if err != nil {
		t.Fatal(err)
	}
	lead(t, link, v2)
	if err := lock.Follow(); !errors.As(err, new(*HeldError)) {
		t.Errorf("the other's file: %v", err)
	}
	held(t, "the file of before", v1)
	other.Release()
	if err := lock.Follow(); err != nil {
		t.Errorf("after the other's end: %v", err)
	}
}

// TestN1_AFolderThatIsALinkLeadsToTheSameEngine: current → releases/1.
func TestN1_AFolderThatIsALinkLeadsToTheSameEngine(t *testing.T) {
	dir := filepath.Dir(runtimeDir(t))
	for _, release := range []string{"r1", "r2"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, release), 0o700),
			os.WriteFile(filepath.Join(dir, release, "servers.toml"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	current := filepath.Join(dir, "current")
	lead(t, current, filepath.Join(dir, "r1"))
	config := filepath.Join(current, "servers.toml")
	lock, err := Acquire(config)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	lead(t, current, filepath.Join(dir, "r2"))
	held(t, "the path as it is written", config)
}

// TestN1_OneEngineWhateverTheEnvironment: neither runtime directory is the one of
// the login, and no socket is open yet.
func TestN1_OneEngineWhateverTheEnvironment(t *testing.T) {
	config := runtimeDir(t)
	elsewhere, err := os.MkdirTemp("/tmp", "bus")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(elsewhere)
	lock, err := Acquire(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{elsewhere, ""} {
		t.Setenv("XDG_RUNTIME_DIR", dir)
		held(t, "with "+dir, config)
	}
	s, err := Serve(lock, Options{Engine: newFake("a"), Version: redact.Word("1.0")})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Where(config); err != nil || p != lock.Paths() {
		t.Errorf("found at %+v, %v; it is at %+v", p, err, lock.Paths())
	}
	s.Close()
	lock.Release()
	if _, runs := Runs(config); runs {
		t.Error("it runs after its end")
	}
	for _, dir := range lockDirs() {
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+nameOf(config)+"*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestN1_TheLockOutlivesTheRuntimeDirectory(t *testing.T) {
	config := runtimeDir(t)
	s, lock := serveAt(t, config, newFake("a"))
	if err := os.RemoveAll(lock.Paths().Dir); err != nil { // the last logout
		t.Fatal(err)
	}
	held(t, "before the engine has looked", config)
	if pid, runs := Runs(config); !runs || pid != os.Getpid() {
		t.Errorf("without its socket: process %d, runs %v", pid, runs)
	}
	s.lookAtDoor()
	if p, err := Where(config); err != nil || p != lock.Paths() || !p.answers() {
		t.Errorf("found at %+v, %v; it is at %+v", p, err, lock.Paths())
	}
}

// TestN1_TwoEnginesAreToldOf: every lock was taken away, and another engine came
// before this one looked.
func TestN1_TwoEnginesAreToldOf(t *testing.T) {
	config := runtimeDir(t)
	told := make(chan string, 1)
	s, lock := serveAt(t, config, newFake("a"), func(o *Options) {
		o.Warn = func(text redact.Safe) {
			select {
			case <-told:
			default:
			}
			told <- text.String()
		}
	})
	lock.mu.Lock()
	for path := range lock.held {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	lock.mu.Unlock()
	other, err := Acquire(config)
	if err != nil {
		t.Fatal(err)
	}
	s.lookAtDoor()
	if got := <-told; !strings.HasPrefix(got, "two engines of this configuration run") {
		t.Errorf("%q", got)
	}
	other.Release()
	s.lookAtDoor()
	if got := <-told; got != "" {
		t.Errorf("after the other's end: %q", got)
	}
	held(t, "taken anew", config)
}

func TestN1_ALinkInTheLocksPlaceIsNamed(t *testing.T) {
	config := runtimeDir(t)
	p, err := Where(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(p.Dir, 0o700), os.Symlink("/dev/null", p.Lock)); err != nil {
		t.Fatal(err)
	}
	lock, err := Acquire(config)
	if err == nil {
		lock.Release()
	}
	if want := "the lock's file " + p.Lock + " is a link, and is not followed: remove it"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestN1_WhatBarsAGroupIsNamed: a directory on the way that its members may not
// enter.
func TestN1_WhatBarsAGroupIsNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to a group")
	}
	gid, err := groupID("daemon")
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Dir(runtimeDir(t)) // 0700
	inside := filepath.Join(dir, "rollcall")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(inside, "x.sock")
	if got, err := Barred(socket, "daemon"); err != nil || got.String() != dir+" (drwx------)" {
		t.Errorf("%q, %v", got, err)
	}
	if err := errors.Join(os.Chown(dir, -1, gid), os.Chmod(dir, 0o710)); err != nil {
		t.Fatal(err)
	}
	if got, err := Barred(socket, "daemon"); err != nil || !got.IsZero() {
		t.Errorf("the group's own: %q, %v", got, err)
	}
}
