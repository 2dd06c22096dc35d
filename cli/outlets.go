package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rollcall/alert"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
	"rollcall/transport"
)

// outlets carry failures beyond the screen, for an engine of this process:
// failures.log, the webhook and the program of [alerts], stderr on disk. What
// keeps them from it stands in the header.
type outlets struct {
	voice    voice
	log      *alert.Log    // nil: there is no folder for it
	alerts   *alert.Alerts // nil: none are asked for
	stderr   *alert.Stderr // nil: not asked for
	lines    *supervise.Follower
	followed chan struct{} // closed when the last line of stderr is kept
}

// voice speaks to an engine that may not be there yet: listeners come first.
type voice struct {
	mu      sync.Mutex
	engine  *supervise.Engine
	waiting []func(*supervise.Engine)
}

// with has fn called with the engine, now or once it is there. fn must not
// block.
func (v *voice) with(fn func(*supervise.Engine)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.engine == nil {
		v.waiting = append(v.waiting, fn)
		return
	}
	fn(v.engine)
}

func (v *voice) found(e *supervise.Engine) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.engine = e
	for _, fn := range v.waiting {
		fn(e)
	}
	v.waiting = nil
}

func (v *voice) tell(t redact.Safe) { v.with(func(e *supervise.Engine) { e.Tell(t) }) }

func (v *voice) warn(key string, t redact.Safe) { v.with(func(e *supervise.Engine) { e.Warn(key, t) }) }

// warner is warn for one key.
func (v *voice) warner(key string) func(redact.Safe) {
	return func(t redact.Safe) { v.warn(key, t) }
}

// newOutlets makes what a configuration asks for. Nothing is written before the
// first event. known holds the servers' secrets.
func newOutlets(file *config.File, host redact.Safe, known *known) *outlets {
	o := &outlets{followed: make(chan struct{})}
	o.warnOfProblems(file)
	if sinks := sinksOf(file.Alerts, known); len(sinks) > 0 {
		o.alerts = alert.New(alert.Options{Host: host, Sinks: sinks, Store: alertStore(file), Open: o.open, Tell: o.voice.tell, Warn: o.voice.warn})
	}
	if file.LogDir == "" {
		o.voice.warn("failures.log", redact.Word("failures.log is not written: there is no folder for it; set [log] dir, or HOME"))
		return o
	}
	o.log = alert.NewLog(filepath.Join(file.LogDir, alert.FileName), configName(file.Path), alert.Rotation{Bytes: file.Log.MaxBytes, Keep: file.Log.Keep}, o.voice.warner("failures.log"))
	if file.Log.Stderr {
		o.stderr = alert.NewStderr(filepath.Join(file.LogDir, stderrDir), file.Log.StderrBytes, o.voice.warner("stderr"))
	}
	return o
}

// warnOfProblems says in the header what of [alerts] and [log] was left out
// because it is wrong.
func (o *outlets) warnOfProblems(file *config.File) {
	for _, p := range errorsOf(file, "alerts", "log") {
		o.voice.warn("configuration", redact.Sprintf("line %d: %s: it is left out; rollcall check says more", redact.Int(p.Line), p.Text))
		return
	}
}

// errorsOf are the errors in some tables of a configuration.
func errorsOf(file *config.File, tables ...string) []model.Problem {
	var found []model.Problem
	for _, p := range file.Problems {
		table, _, _ := strings.Cut(p.Field, ".")
		if !p.Warning && p.Server == "" && slices.Contains(tables, table) {
			found = append(found, p)
		}
	}
	return found
}

// sinksOf are what a configuration has posts sent to. The program has rollcall's
// environment, and may have read what servers have: of what it says, the servers'
// secrets are taken out too.
func sinksOf(c config.Alerts, known *known) []alert.Sink {
	var sinks []alert.Sink
	if !c.Webhook.IsZero() {
		sinks = append(sinks, alert.NewWebhook(c.Webhook, c.Format, c.Redactor))
	}
	if len(c.Exec) > 0 {
		sinks = append(sinks, alert.NewExec(c.Exec, c.Dir, transport.Environ(), func(text string) redact.Safe {
			return c.Redactor.Text(known.redact(text))
		}))
	}
	return sinks
}

// listeners are the engine's, each in a goroutine of its own: a disk that hangs
// delays no post.
func (o *outlets) listeners() []func(model.Event, uint64) {
	var l []func(model.Event, uint64)
	if o.log != nil {
		l = append(l, o.log.Event)
	}
	if o.alerts != nil {
		l = append(l, o.alerts.Event)
	}
	return l
}

// attach gives them the engine, before its loop runs.
func (o *outlets) attach(e *supervise.Engine) {
	if o.stderr == nil {
		close(o.followed)
	} else {
		o.lines = e.Follow("", 0, 0)
		go o.keepStderr()
	}
	o.voice.found(e)
}

// keepStderr keeps what servers say, until the engine has stopped.
func (o *outlets) keepStderr() {
	defer close(o.followed)
	defer o.stderr.Close()
	for {
		batch, err := o.lines.Next(context.Background())
		if err != nil {
			return
		}
		for len(batch) > 0 {
			n, missed := 0, batch[0].Missed
			server := batch[0].Server
			var lines []model.Line
			for n < len(batch) && batch[n].Server == server && (n == 0 || batch[n].Missed == 0) {
				if batch[n].Missed == 0 {
					lines = append(lines, batch[n].Line)
				}
				n++
			}
			if server == "" { // of several, nobody knows which
				server = "several-servers"
			}
			o.stderr.Lines(server, lines, missed)
			batch = batch[n:]
		}
	}
}

// stderrDir is where what servers say is kept, below [log] dir.
const stderrDir = "stderr"

// openLimit bounds how long the engine is waited for.
const openLimit = 2 * time.Second

// open are the servers whose episode is open.
func (o *outlets) open() (map[string]bool, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), openLimit)
	defer cancel()
	o.voice.mu.Lock()
	e := o.voice.engine
	o.voice.mu.Unlock()
	if e == nil {
		return nil, false
	}
	fleet, err := e.Next(ctx, 0)
	if err != nil {
		return nil, false
	}
	open := map[string]bool{}
	for _, r := range fleet.Rows {
		if !r.DownSince.IsZero() {
			open[r.Server] = true
		}
	}
	return open, true
}

// closeLimit is how long what is queued may still go out after the engine's end.
const closeLimit = 500 * time.Millisecond

// close ends them, after the engine's end, and returns what did not get out, in
// lines to print. It waits until begin ends for what is queued, and until wire
// ends for what is being sent then.
func (o *outlets) close(begin, wire context.Context) (left []string) {
	select {
	case <-o.followed:
	case <-begin.Done(): // the disk hangs
		left = append(left, "what servers said last may not be in "+stderrDir+"/: writing it does not end")
	}
	if o.lines != nil {
		o.lines.Close()
	}
	if o.log != nil {
		if n, why := o.log.Close(); n > 0 {
			left = append(left, fmt.Sprintf("%s not written to failures.log: %s", count(int(n), "line"), why))
		}
	}
	if o.alerts != nil {
		for _, l := range o.alerts.Close(begin, wire) {
			what := "tried again at the next start"
			if !l.Kept {
				what = "lost, since they could not be kept for the next start"
			}
			left = append(left, fmt.Sprintf("%s not sent yet to %s: %s", count(l.Posts, "alert"), l.Sink, what))
		}
	}
	return left
}

// alertStore is where open alerts are kept over a restart; nil where there is no
// folder to keep them in.
func alertStore(file *config.File) alert.Store {
	if file.LogDir == "" {
		return nil
	}
	return alertState{stateName(file.LogDir, "alerts", file.Path)}
}

// alertState is a file of open alerts.
type alertState struct{ path string }

// Load reads the file; one that is not there is empty.
func (f alertState) Load() ([]byte, error) {
	b, err := readState(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Save puts the whole file in place.
func (f alertState) Save(b []byte) error { return writeState(f.path, b) }
