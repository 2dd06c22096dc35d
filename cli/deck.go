package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
	"rollcall/transport"
)

// deck is a configuration with an engine on it, and what carries its launches.
type deck struct {
	host   *transport.Host
	engine *supervise.Engine
	files  *reloader
	ui     config.UI // as the file had it at the start
	logDir string    // likewise; empty: none
	out    *outlets
	err    io.Writer                  // what did not get out is said here; nil: nowhere
	server atomic.Pointer[bus.Server] // once it is on the bus

	atStop  func() // if any: called once when stop begins; must not block
	unwatch context.CancelFunc
	ended   chan []supervise.Survivor
	broken  chan crash // capacity 1: the first panic
}

// crash is a panic, to be printed once the terminal is restored (D10).
type crash struct{ value, stack string }

// processEnv is what config needs to know of this process, with the transport's
// own way to look for a command.
func processEnv() config.Env {
	env := config.ProcessEnv()
	for _, name := range managerVars {
		delete(env.Vars, name)
	}
	exe := env.Exe
	env.Look = func(spec *model.Spec) (field string, text, hint redact.Safe) {
		return transport.Look(present(spec, exe))
	}
	return env
}

// load finds and reads the configuration. A broken file is an error that shows
// the place; entries that were refused are the engine's to show (C5).
func (a *app) load() (string, *config.File, config.Env, error) {
	env := processEnv()
	path, err := config.Find(a.config, env)
	if err != nil {
		return "", nil, env, failure{exitFailure, err}
	}
	file, err := config.Load(path, env)
	var syntax *config.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return path, nil, env, failure{exitFailure, fmt.Errorf("the configuration is refused:\n%s", config.Render(syntax.Problem))}
	case err != nil:
		return path, nil, env, failure{exitFailure, err}
	}
	return path, file, env, nil
}

// open makes an engine on the configuration. Listeners are told each event.
func (a *app) open(listeners ...func(model.Event, uint64)) (*deck, error) {
	spareMemory()
	path, file, env, err := a.load()
	if err != nil {
		return nil, err
	}
	d := &deck{err: a.err, ui: file.UI, logDir: file.LogDir, ended: make(chan []supervise.Survivor, 1), broken: make(chan crash, 1)}
	d.host, err = transport.NewHost(transport.Options{Version: version(), Crash: func(v any, stack []byte) { d.crashed(v, stack) },
		Stderr: a.stderr, Terminal: a.terminal, Core: a.core, Adopt: a.stderr != nil})
	if err != nil {
		return nil, failure{exitFailure, err}
	}
	clean := (*redact.Redactor)(nil)
	host := hostName()
	known := newKnown(file.Entries)
	d.out = newOutlets(file, host, known)
	d.engine = supervise.New(supervise.Options{
		Host: host, Config: clean.Text(path),
		Start:     func(s *model.Spec, dial model.Dial) supervise.Run { return d.host.Start(present(s, env.Exe), dial) },
		Read:      reader(config.NewEntries(path, env), known),
		Store:     newStateFile(file.LogDir, path),
		Slots:     file.StartConcurrency,
		Listeners: append(d.out.listeners(), listeners...),
	}, file.Entries)
	d.out.attach(d.engine)
	d.files = newReloader(d.engine, file, env, known)
	return d, nil
}

// reader reads entries for orders, and remembers their secrets: a file that one
// names may have changed since the configuration was read.
func reader(entries *config.Entries, known *known) func(string) (*model.Spec, *model.Refusal) {
	return func(server string) (*model.Spec, *model.Refusal) {
		spec, refusal := entries.Read(server)
		known.remember(model.Entry{Name: server, Spec: spec})
		return spec, refusal
	}
}

// start runs the engine's loop, and watches the configuration.
func (d *deck) start() {
	d.spawn(func() { d.ended <- d.engine.Run() })
	ctx, cancel := context.WithCancel(context.Background())
	d.unwatch = cancel
	// Nobody waits for its end: a file system that hangs must not hold up a stop.
	d.spawn(func() { d.files.watch(ctx) })
}

// spawn runs fn. A panic of it is kept for whoever waits.
func (d *deck) spawn(fn func()) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				d.crashed(p, debug.Stack())
			}
		}()
		fn()
	}()
}

// crashed keeps the first panic of the loop or of a transport. Whoever waits
// for the engine gives up then: what was launched is the guardian's to end.
func (d *deck) crashed(v any, stack []byte) {
	select {
	case d.broken <- crash{fmt.Sprint(v), string(stack)}:
	default:
	}
}

// stop stops every server and waits until each is reaped (X2). A further
// SIGTERM or SIGINT kills at once. What survived is named in the error.
func (d *deck) stop() error {
	again := make(chan os.Signal, 4)
	// A terminal that hangs up meanwhile must not end the stop: its default would.
	signal.Notify(again, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(again)
	if d.atStop != nil {
		d.atStop()
	}
	if server := d.server.Load(); server != nil {
		server.Stopping(redact.Safe{}) // of whom, who orders it there has said
	}
	began := time.Now()
	d.unwatch()
	limit := began.Add(d.longestGrace() + wireMargin)
	d.engine.Stop()
	for {
		select {
		case s := <-again:
			if s != syscall.SIGHUP {
				d.engine.Kill()
			}
		case survivors := <-d.ended:
			d.host.Close()
			d.closeOutlets(began.Add(outletsLimit), limit, again)
			if server := d.server.Load(); server != nil {
				server.Ended((*redact.Redactor)(nil).Text(leftBehind(survivors)))
			}
			return survived(survivors)
		case c := <-d.broken:
			return d.broke(c)
		}
	}
}

const (
	// outletsLimit is how long, from the begin of a stop, sending an alert may still
	// begin: a quick stop waits for what is queued, a slow one does not wait again.
	outletsLimit = 2 * time.Second
	// wireMargin is how long, after the longest stop_grace from the begin of a stop,
	// an alert that is being sent may take: what is cut off there is sent twice. It
	// leaves X2's bound room for cutShort.
	wireMargin = 1500 * time.Millisecond
)

// longestGrace is the longest stop_grace that is in force; 0 where the engine
// does not say.
func (d *deck) longestGrace() (longest time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	entries, err := d.engine.InForce(ctx)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if e.Spec != nil {
			longest = max(longest, e.Spec.Timings.StopGrace.D)
		}
	}
	return longest
}

// closeOutlets lets out what is queued until begin, what is being sent then until
// limit, and says what did not get out. Both are closeLimit from now at least. A
// signal cuts it short.
func (d *deck) closeOutlets(begin, limit time.Time, again <-chan os.Signal) {
	least := time.Now().Add(closeLimit)
	begun, cancelBegin := context.WithDeadline(context.Background(), later(begin, least))
	defer cancelBegin()
	wire, cancel := context.WithDeadline(context.Background(), later(limit, later(begin, least)))
	defer cancel()
	done := make(chan []string, 1)
	go func() { done <- d.out.close(begun, wire) }()
	var left []string
	select {
	case left = <-done:
	case <-again:
		cancelBegin()
		left = d.cutShort(cancel, done)
	case <-wire.Done():
		left = d.cutShort(cancel, done)
	}
	for _, line := range left {
		if d.err != nil {
			fmt.Fprintf(d.err, "rollcall: %s\n", line)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// cutShort ends what is still being let out, and returns what did not get out.
func (d *deck) cutShort(cancel func(), done <-chan []string) []string {
	cancel()
	select {
	case left := <-done:
		return left
	case <-time.After(2 * closeLimit):
		return []string{"failures.log, or what of alerts is kept for the next start, may not be whole: writing it does not end"}
	}
}

// broke ends what was launched by the guardian's hand, and says what broke.
func (d *deck) broke(c crash) error {
	d.host.Close()
	d.closeOutlets(time.Now(), time.Now(), nil)
	return failure{exitFailure, fmt.Errorf("the engine broke (a defect of rollcall): %s\n%s", d.redact(c.value), d.redact(c.stack))}
}

// survived names what could not be ended (X2).
func survived(survivors []supervise.Survivor) error {
	if len(survivors) == 0 {
		return nil
	}
	return failure{exitFailure, fmt.Errorf("stop the servers: still there after SIGKILL: %s", leftBehind(survivors))}
}

// leftBehind names survivors; empty where there are none.
func leftBehind(survivors []supervise.Survivor) string {
	list := make([]string, len(survivors))
	for i, s := range survivors {
		list[i] = fmt.Sprintf("process %d of %s", s.PID, s.Server)
	}
	return strings.Join(list, ", ")
}

// redact takes every secret of the configuration out of a text that no
// transport has seen: a panic's.
func (d *deck) redact(s string) string { return d.files.redact(s) }

func redactAll(entries []model.Entry, s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		for _, e := range entries {
			switch {
			case e.Spec != nil:
				line = e.Spec.Redactor.Text(line).String()
			case e.Redactor != nil:
				line = e.Redactor.Text(line).String()
			}
		}
		lines[i] = (*redact.Redactor)(nil).Text(line).String()
	}
	return strings.Join(lines, "\n")
}

// hostName is this host's name, as it is shown.
func hostName() redact.Safe {
	name, _ := os.Hostname()
	return (*redact.Redactor)(nil).Text(name)
}

// operator is who gives orders here: anna (pts/3).
func operator() redact.Safe {
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if tty, err := os.Readlink("/proc/self/fd/0"); err == nil && strings.HasPrefix(tty, "/dev/") && tty != "/dev/null" {
		name += " (" + strings.TrimPrefix(tty, "/dev/") + ")"
	}
	return (*redact.Redactor)(nil).Text(name)
}
