package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

// scriptedLoop is an engine's loop whose answers are the test's own.
type scriptedLoop struct {
	fleets chan model.Fleet
	mu     sync.Mutex
	hangs  bool
}

func (l *scriptedLoop) hang(hangs bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hangs = hangs
}

func (l *scriptedLoop) Next(ctx context.Context, _ uint64) (model.Fleet, error) {
	select {
	case f := <-l.fleets:
		return f, nil
	case <-ctx.Done():
		return model.Fleet{}, ctx.Err()
	}
}

func (l *scriptedLoop) Health(ctx context.Context) (model.Health, error) {
	l.mu.Lock()
	hangs := l.hangs
	l.mu.Unlock()
	if hangs {
		<-ctx.Done()
	}
	return model.Health{}, ctx.Err()
}

// said is what a herald told systemd, and when.
type said struct {
	mu    sync.Mutex
	began time.Time
	told  []string
}

func (s *said) send(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, fmt.Sprintf("%s %s", time.Since(s.began), state))
}

func (s *said) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.told
	s.told = nil
	return told
}

func rows(phases ...model.Phase) model.Fleet {
	var f model.Fleet
	for _, p := range phases {
		f.Rows = append(f.Rows, &model.Row{Phase: p})
	}
	return f
}

func TestN6_ReadyComesFromTheLoopAndTheStatusOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop, s := &scriptedLoop{fleets: make(chan model.Fleet, 1), hangs: true}, &said{began: time.Now()}
		h := &herald{engine: loop, send: s.send}
		ctx, cancel := context.WithCancel(t.Context())
		late, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		h.run(late)
		if told := s.take(); told != nil {
			t.Errorf("a loop that hangs: told %q", told)
		}
		loop.hang(false)
		s.began = time.Now()
		go h.run(ctx)
		for i := range 20 { // a change each 100 ms
			loop.fleets <- rows(append(slices.Repeat([]model.Phase{model.Up}, i), model.Waiting)...)
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		loop.fleets <- rows()
		synctest.Wait()
		want := []string{"0s READY=1", "0s STATUS=1 waiting", "1s STATUS=1 up, 1 waiting"}
		told := s.take()
		if len(told) < 4 || !slices.Equal(told[:3], want) || !strings.HasSuffix(told[len(told)-1], "STATUS=no servers") {
			t.Errorf("told %q, want %q first and the newest last", told, want)
		}
		cancel()
	})
}

func TestN6_TheWatchdogIsFedByALoopThatAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop, s := &scriptedLoop{fleets: make(chan model.Fleet)}, &said{began: time.Now()}
		h := &herald{engine: loop, send: s.send, watchdog: 30 * time.Second}
		ctx, cancel := context.WithCancel(t.Context())
		go h.run(ctx)
		time.Sleep(40 * time.Second)
		if told, want := s.take(), []string{"0s READY=1", "0s WATCHDOG=1", "15s WATCHDOG=1", "30s WATCHDOG=1"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		loop.hang(true)
		time.Sleep(5 * time.Minute)
		if told := s.take(); told != nil {
			t.Errorf("while the loop hung: told %q", told)
		}
		loop.hang(false)
		time.Sleep(15 * time.Second)
		if told := s.take(); len(told) == 0 {
			t.Error("the loop answers again, and nothing is told")
		}
		cancel()
	})
}

func TestN6_TheStatusIsTheCountOfEachPhase(t *testing.T) {
	f := rows(model.Halted, model.Up, model.Waiting, model.Up, model.Off)
	if got := census(f); got != "2 up, 1 waiting, 1 halted, 1 off" {
		t.Errorf("%q", got)
	}
	f.Stopping = true
	if got := census(f); got != "stopping: 2 up, 1 waiting, 1 halted, 1 off" {
		t.Errorf("%q", got)
	}
	all := rows()
	for p := range model.Phases {
		all.Rows = append(all.Rows, &model.Row{Phase: p})
	}
	if got := census(all); strings.Count(got, ",") != int(model.Phases)-1 {
		t.Errorf("a phase is missing: %q", got)
	}
}

// manager is a systemd that listens.
type manager struct {
	t    *testing.T
	conn *net.UnixConn
	path string
	told []string
}

func newManager(t *testing.T) *manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "rollcall") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &manager{t: t, conn: conn, path: path}
}

// hears reads until a message begins with a text, and returns it.
func (m *manager) hears(want string) string {
	m.t.Helper()
	if err := m.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		m.t.Fatal(err)
	}
	buffer := make([]byte, 4096)
	for {
		n, err := m.conn.Read(buffer)
		if err != nil {
			m.t.Fatalf("%s is not told: %v; told %q", want, err, m.told)
		}
		text := string(buffer[:n])
		m.told = append(m.told, text)
		if strings.HasPrefix(text, want) {
			return text
		}
	}
}

// TestN6_ServeUnderSystemd is a whole serve with a real socket: ready, status,
// watchdog, reload, stopping; and what it launches cannot speak in its name.
func TestN6_ServeUnderSystemd(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	dir := t.TempDir()
	path, environment := filepath.Join(dir, "servers.toml"), filepath.Join(dir, "environment")
	write(t, path, "[servers.a]\ncommand = \"sh\"\nargs = [\"-c\", \"env > "+environment+"; exec \\\"$0\\\" demo healthy\", \"${ROLLCALL_EXE}\"]\ninherit_env = true\n")
	cmd := rollcallCommand(t, "serve", "-c", path)
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+m.path, "WATCHDOG_USEC=200000", "PASSED_ON=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.hears("READY=1")
	m.hears("STATUS=1 settling")
	if first := m.told[0]; first != "READY=1" {
		t.Errorf("the first word is %q", first)
	}
	m.hears("WATCHDOG=1")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	reloading := m.hears("RELOADING=1")
	var began int64
	if _, err := fmt.Sscanf(reloading, "RELOADING=1\nMONOTONIC_USEC=%d", &began); err != nil || began <= 0 {
		t.Errorf("%q: %v", reloading, err)
	}
	m.hears("READY=1")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	m.hears("STOPPING=1")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	inherited, err := os.ReadFile(environment)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(inherited), "PASSED_ON=1") {
		t.Error("inherit_env passes nothing on: the test looks at the wrong thing")
	}
	for _, name := range managerVars {
		if strings.Contains(string(inherited), name+"=") {
			t.Errorf("T10: the server got %s", name)
		}
	}
}

func TestN6_WithoutSystemdNothingIsTold(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	var h *herald = newHerald(nil)
	if h != nil {
		t.Fatal("there is a herald")
	}
	h.run(t.Context())
	h.stopping()
	reloaded := errors.New("not reloaded")
	h.reload(func() { reloaded = nil })
	if reloaded != nil {
		t.Error(reloaded)
	}
}
