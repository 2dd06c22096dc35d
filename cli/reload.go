package cli

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"rollcall/bus"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
	"rollcall/supervise"
)

// reloader brings an engine up to date with its configuration's file (C8): a
// save is handed on at once and stops nothing, a reload is asked for. Its methods
// read the disk, and so may block; they may be called from any goroutine.
type reloader struct {
	engine *supervise.Engine
	path   string
	env    config.Env
	how    redact.Safe  // what applies what waits: "R applies it"
	began  *config.File // the settings of the file as it was at the start, which are in force
	screen bool         // a dashboard of this process shows it, with the file's [ui]
	lock   *bus.Lock    // of the configuration; nil where none is held

	reading sync.Mutex  // held from reading to handing on: the newest is handed on last
	told    redact.Safe // what waits, as it was told last

	*known // what was read
}

// newReloader makes one for an engine that a dashboard shows, and the file that it
// was made of.
func newReloader(engine *supervise.Engine, began *config.File, env config.Env, known *known) *reloader {
	settings := &config.File{StartConcurrency: began.StartConcurrency, Alerts: began.Alerts, LogDir: began.LogDir, Log: began.Log, UI: began.UI}
	return &reloader{engine: engine, path: began.Path, began: settings, env: env, known: known,
		how: redact.Word("R applies it"), screen: true}
}

// watch hands saves on until ctx ends. Where changes are not seen it says so.
func (r *reloader) watch(ctx context.Context) {
	if err := config.Watch(ctx, r.path, r.saved); err != nil {
		r.engine.Tell(redact.Sprintf("changes of the configuration are not seen: %s", (*redact.Redactor)(nil).Error(err)))
	}
}

// saved takes a file that may have changed, and says what of it waits for a
// reload, or reloads where the file wants it so.
func (r *reloader) saved() *config.File {
	r.reading.Lock()
	defer r.reading.Unlock()
	file, diff := r.read()
	var told redact.Safe
	switch {
	case !diff.Problem.IsZero():
		return file
	case diff.IsZero():
		told = savedForLater(diff)
	case !file.AutoReload:
		told = andLater(redact.Sprintf("the configuration was saved, not applied yet: %s: %s", diff.Line(), r.how), diff)
	case diff.Drastic():
		told = andLater(redact.Sprintf("reload = \"auto\" would remove %d of %d servers, so nothing was applied: %s: %s",
			redact.Int(len(diff.Removed)), redact.Int(diff.Before), diff.Line(), r.how), diff)
	default:
		r.apply(file, diff)
	}
	if told != r.told && !told.IsZero() {
		r.engine.Tell(told)
	}
	r.told = told
	return file
}

// unattended: there is no dashboard in this process, or none any more.
func (r *reloader) unattended() {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.how, r.screen = redact.Word("rollcall reload --yes or SIGHUP applies it"), false
}

// Pending reads the file and says what a reload would do.
func (r *reloader) Pending() model.Reload {
	r.reading.Lock()
	defer r.reading.Unlock()
	_, diff := r.read()
	return diff
}

// Reload applies the file, if that still does what was shown. It returns what
// it did, or what it would do now. Without a shown.By it is the operator here who
// wants it.
func (r *reloader) Reload(shown model.Reload) (did model.Reload, ok bool) {
	r.reading.Lock()
	defer r.reading.Unlock()
	file, diff := r.read()
	if !diff.Problem.IsZero() || diff.Text() != shown.Text() {
		return diff, false
	}
	diff.By = shown.By
	if diff.By.IsZero() {
		diff.By = operator()
	}
	r.apply(file, diff)
	return diff, true
}

// reload applies the file without asking: a SIGHUP. A file in which no server is
// left is taken for a save that went wrong.
func (r *reloader) reload() {
	r.reading.Lock()
	defer r.reading.Unlock()
	file, diff := r.read()
	switch {
	case !diff.Problem.IsZero():
		r.engine.Tell(redact.Sprintf("not reloaded: %s", diff.Problem))
	case diff.IsZero():
		r.applied(diff)
	case len(file.Entries) == 0:
		r.engine.Tell(redact.Sprintf("not reloaded: the file has no servers, and %d are in force: "+
			"set enabled = false for each that should stop", redact.Int(diff.Before)))
	default:
		r.apply(file, diff)
	}
}

// apply reloads. The lock is held.
func (r *reloader) apply(file *config.File, diff model.Reload) {
	r.engine.Configure(file.Entries, true)
	r.applied(diff)
}

// applied says what a reload did. The lock is held.
func (r *reloader) applied(diff model.Reload) {
	if r.lock != nil {
		r.lock.Settle() // nothing of another file is in force any more
	}
	r.engine.Tell(reloadedText(diff))
	r.told = savedForLater(diff) // with the rest
}

// savedForLater is what a save changes that no reload applies; empty for nothing.
func savedForLater(diff model.Reload) redact.Safe {
	if len(diff.Later) == 0 {
		return redact.Safe{}
	}
	return redact.Sprintf("the configuration was saved: %s", diff.LaterLine())
}

// reloadedText is what a reload did, and who wanted it.
func reloadedText(diff model.Reload) redact.Safe {
	what := diff.Line()
	switch {
	case !diff.IsZero():
	case len(diff.Later) == 0:
		what = redact.Word("what runs is as the file has it")
	default:
		what = redact.Word("the servers are as the file has them")
	}
	if !diff.By.IsZero() {
		what = redact.Sprintf("%s, by %s", what, diff.By)
	}
	return andLater(redact.Sprintf("reloaded: %s", what), diff)
}

// andLater adds what a reload leaves for later to what is said of it.
func andLater(text redact.Safe, diff model.Reload) redact.Safe {
	if later := diff.LaterLine(); !later.IsZero() {
		return redact.Sprintf("%s; %s", text, later)
	}
	return text
}

// loopAnswers is how long the engine's loop may take to say what is in force.
const loopAnswers = 5 * time.Second

// read reads the file, hands it on as a save, and says what is left for a
// reload. A file that cannot be read changes nothing, and the engine says so
// until it is mended. The lock is held.
func (r *reloader) read() (*config.File, model.Reload) {
	if r.lock != nil {
		if err := r.lock.Follow(); err != nil {
			return nil, r.unread((*redact.Redactor)(nil).Error(err))
		}
	}
	file, err := config.Load(r.path, r.env)
	if err != nil {
		return nil, r.unread(wrong(err))
	}
	r.remember(file.Entries...)
	r.engine.Note(redact.Safe{})
	r.engine.Configure(file.Entries, false)
	ctx, cancel := context.WithTimeout(context.Background(), loopAnswers)
	defer cancel()
	inForce, err := r.engine.InForce(ctx)
	if err != nil {
		return file, model.Reload{Problem: redact.Word("the engine does not answer")}
	}
	diff := config.Diff(inForce, file.Entries)
	diff.Later = config.Later(r.began, file)
	if r.screen {
		diff.Later = append(diff.Later, config.LaterOnScreen(r.began, file)...)
	}
	return file, diff
}

// unread has the engine say why the file is not read, until that is mended.
func (r *reloader) unread(why redact.Safe) model.Reload {
	problem := redact.Sprintf("%s: what runs stays as it is until this is mended", why)
	r.engine.Note(problem)
	return model.Reload{Problem: problem}
}

// wrong is why a file could not be read, in one line, with its place.
func wrong(err error) redact.Safe {
	var syntax *config.SyntaxError
	if !errors.As(err, &syntax) {
		return (*redact.Redactor)(nil).Error(err)
	}
	p := syntax.Problem
	file := (*redact.Redactor)(nil).Text(filepath.Base(p.File.String()))
	if p.Line == 0 {
		return redact.Sprintf("%s: %s", file, p.Text)
	}
	return redact.Sprintf("%s:%d: %s", file, redact.Int(p.Line), p.Text)
}
