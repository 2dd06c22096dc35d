package bus

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rollcall/redact"
)

func TestN1_ASecondEngineIsRefusedAndNamesTheFirst(t *testing.T) {
	config := runtimeDir(t)
	first, err := Acquire(config)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(config), "link.toml")
	if err := os.Symlink(config, link); err != nil {
		t.Fatal(err)
	}
	_, err = Acquire(link)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
		t.Fatalf("over a link to the same file: %v", err)
	}
	other := filepath.Join(filepath.Dir(config), "other.toml")
	if l, err := Acquire(other); err != nil {
		t.Errorf("another configuration: %v", err)
	} else {
		l.Release()
	}
	first.Release()
	again, err := Acquire(config)
	if err != nil {
		t.Fatalf("after the first: %v", err)
	}
	again.Release()
}

func TestN1_AStaleSocketIsReplaced(t *testing.T) {
	config := runtimeDir(t)
	p, err := Where(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: p.Socket}); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Close(fd) // and the file stays, as after a SIGKILL
	_, lock := serveAt(t, config, newFake("a"))
	if _, err := dial(t, lock).Whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{p.Dir: 0o700, p.Socket: 0o600, p.Lock: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

// TestN1_AnEngineIsFoundWithoutTheEnvironment: started with one
// $XDG_RUNTIME_DIR, looked for without it, and the other way round.
func TestN1_AnEngineIsFoundWithoutTheEnvironment(t *testing.T) {
	config := runtimeDir(t)
	dir := os.Getenv("XDG_RUNTIME_DIR")
	t.Setenv("XDG_RUNTIME_DIR", "")
	_, lock := serveAt(t, config, newFake("a"))
	t.Cleanup(func() { _ = os.Remove(lock.Paths().Lock) }) // it lies outside of the test's own directory
	t.Setenv("XDG_RUNTIME_DIR", dir)
	p, err := Where(config)
	if err != nil || p != lock.Paths() {
		t.Errorf("found at %+v, %v; it is at %+v", p, err, lock.Paths())
	}
	_, err = Acquire(config)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("a second engine, with another environment: %v", err)
	}
}

func TestN1_ADirectoryOfSomebodyElseIsNotUsed(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "bus")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	open, link := filepath.Join(dir, "open"), filepath.Join(dir, "link")
	for path, mode := range map[string]os.FileMode{open: 0o777, filepath.Join(dir, "group"): 0o770} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := prepare(path, -1); err == nil || !strings.Contains(err.Error(), "can be written by") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := prepare(link, -1); err == nil {
		t.Error("a link was followed")
	}
	if os.Getuid() == 0 {
		if err := os.Chown(dir, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if err := prepare(dir, -1); err == nil || !strings.Contains(err.Error(), "belongs to user 12345") {
			t.Errorf("another's: %v", err)
		}
	}
}

func TestN1_ALongDirectoryIsNotUsed(t *testing.T) {
	config := runtimeDir(t)
	long := filepath.Join(filepath.Dir(config), strings.Repeat("d", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", long)
	p, err := Where(config)
	if err != nil || len(p.Socket) > socketLimit || strings.HasPrefix(p.Socket, long) {
		t.Errorf("%+v, %v", p, err)
	}
}

// asAnother runs this test's program as a user that is neither root nor in a
// group, and returns what became of its Dial.
func asAnother(t *testing.T, socket string, groups ...uint32) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The folder of a test's program is its owner's alone.
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "bus")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "dial")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(copied, b, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "ROLLCALL_BUS_DIAL="+socket)
	gid := uint32(65534)
	if len(groups) > 0 {
		gid = groups[0]
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: gid}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestN1_AnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	_, lock := serve(t, newFake("a"))
	p := lock.Paths()
	outside := filepath.Dir(p.Dir)
	if err := os.Chmod(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := asAnother(t, p.Socket); !strings.HasPrefix(got, "refused: the engine's socket belongs to somebody else") {
		t.Errorf("by the directory's mode: %s", got)
	}
	// Were the modes wide open, the credentials would still say no.
	if err := errors.Join(os.Chmod(p.Dir, 0o755), os.Chmod(p.Socket, 0o666)); err != nil {
		t.Fatal(err)
	}
	if got := asAnother(t, p.Socket); !strings.HasPrefix(got, "refused: the engine belongs to somebody else") {
		t.Errorf("by its credentials: %s", got)
	}
}

func TestN1_AGroupMayUseTheSocket(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	gid, err := groupID("daemon")
	if err != nil {
		t.Skip(err)
	}
	_, lock := serve(t, newFake("a"), func(o *Options) { o.Group = "daemon" })
	p := lock.Paths()
	if err := os.Chmod(filepath.Dir(p.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := asAnother(t, p.Socket, uint32(gid)); !strings.HasPrefix(got, "in: ") {
		t.Errorf("in the group: %s", got)
	}
	if err := errors.Join(os.Chmod(p.Dir, 0o755), os.Chmod(p.Socket, 0o666)); err != nil {
		t.Fatal(err)
	}
	if got := asAnother(t, p.Socket); !strings.HasPrefix(got, "refused: the engine belongs to somebody else") {
		t.Errorf("not in the group: %s", got)
	}
	if _, err := Serve(lock, Options{Engine: newFake(), Group: "nobody-has-this"}); err == nil {
		t.Error("a group that is not there was taken")
	}
}

func TestAClaimNeverStandsInThePeersPlace(t *testing.T) {
	p := peer{name: redact.Word("anna (pts/3)")}
	for claim, want := range map[redact.Safe]string{
		redact.Word(""): "anna (pts/3)", redact.Word("anna"): "anna (pts/3)", redact.Word("anna (pts/3)"): "anna (pts/3)",
		redact.Word("deploy"): "anna (pts/3), as deploy", redact.Word("root"): "anna (pts/3), as root",
	} {
		if got := p.by(claim).String(); got != want {
			t.Errorf("%q: %q, want %q", claim, got, want)
		}
	}
}

func TestTokensAreSafeAndDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, host := range []string{"edge-7", "edge_7", "edge.7", "edge 7", "edge*7", "edge>7", "", ".", "édge"} {
		got := token(host)
		if got == "" || strings.ContainsAny(got, ".*> \t") || seen[got] != "" {
			t.Errorf("%q: %q, as %q", host, got, seen[got])
		}
		seen[got] = host
	}
}
