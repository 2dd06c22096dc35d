package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

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
	err    io.Writer // what did not get out is said here; nil: nowhere

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
	env.Look = transport.Look
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
	d.out = newOutlets(file, host)
	d.engine = supervise.New(supervise.Options{
		Host: host, Config: clean.Text(path),
		Start:     func(s *model.Spec, dial model.Dial) supervise.Run { return d.host.Start(s, dial) },
		Read:      config.NewEntries(path, env).Read,
		Store:     newStateFile(file.LogDir, path),
		Slots:     file.StartConcurrency,
		Listeners: append(d.out.listeners(), listeners...),
	}, file.Entries)
	d.out.attach(d.engine)
	d.files = newReloader(d.engine, file, env, redact.Word("R applies it"))
	return d, nil
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
	began := time.Now()
	d.unwatch()
	d.engine.Stop()
	for {
		select {
		case s := <-again:
			if s != syscall.SIGHUP {
				d.engine.Kill()
			}
		case survivors := <-d.ended:
			d.host.Close()
			d.closeOutlets(began, again)
			return survived(survivors)
		case c := <-d.broken:
			return d.broke(c)
		}
	}
}

// outletsLimit is how long, from the begin of a stop, alerts may still go out:
// a quick stop waits for a slow webhook, a slow one does not wait again.
const outletsLimit = 2 * time.Second

// closeOutlets lets out what is queued, for a bounded time, and says what did
// not get out. A signal cuts it short.
func (d *deck) closeOutlets(began time.Time, again <-chan os.Signal) {
	ctx, cancel := context.WithTimeout(context.Background(), max(outletsLimit-time.Since(began), closeLimit))
	defer cancel()
	done := make(chan []string, 1)
	go func() { done <- d.out.close(ctx) }()
	var left []string
	select {
	case left = <-done:
	case <-again:
		left = d.cutShort(cancel, done)
	case <-ctx.Done():
		left = d.cutShort(cancel, done)
	}
	for _, line := range left {
		if d.err != nil {
			fmt.Fprintf(d.err, "rollcall: %s\n", line)
		}
	}
}

// cutShort ends what is still being let out, and returns what did not get out.
func (d *deck) cutShort(cancel func(), done <-chan []string) []string {
	cancel()
	select {
	case left := <-done:
		return left
	case <-time.After(2 * closeLimit):
		return []string{"the end of failures.log or of the alerts does not come: the disk hangs"}
	}
}

// broke ends what was launched by the guardian's hand, and says what broke.
func (d *deck) broke(c crash) error {
	d.host.Close()
	d.closeOutlets(time.Now(), nil)
	return failure{exitFailure, fmt.Errorf("the engine broke (a defect of rollcall): %s\n%s", d.redact(c.value), d.redact(c.stack))}
}

// survived names what could not be ended (X2).
func survived(survivors []supervise.Survivor) error {
	if len(survivors) == 0 {
		return nil
	}
	list := make([]string, len(survivors))
	for i, s := range survivors {
		list[i] = fmt.Sprintf("%d of %s", s.PID, s.Server)
	}
	return failure{exitFailure, fmt.Errorf("stop the servers: still there after SIGKILL: process %s", strings.Join(list, ", "))}
}

// redact takes every secret of the configuration out of a text that no
// transport has seen: a panic's.
func (d *deck) redact(s string) string { return d.files.redact(s) }

func redactAll(entries []model.Entry, s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		for _, e := range entries {
			if e.Spec != nil {
				line = e.Spec.Redactor.Text(line).String()
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

var operatorOnce = sync.OnceValue(func() redact.Safe {
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if tty, err := os.Readlink("/proc/self/fd/0"); err == nil && strings.HasPrefix(tty, "/dev/") && tty != "/dev/null" {
		name += " (" + strings.TrimPrefix(tty, "/dev/") + ")"
	}
	return (*redact.Redactor)(nil).Text(name)
})

// operator is who gives orders here: anna (pts/3).
func operator() redact.Safe { return operatorOnce() }

// canonical is the configuration's own path, whatever link leads to it.
func canonical(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	return path
}
