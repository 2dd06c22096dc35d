package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"rollcall/redact"
)

// Exec hands posts to a program of the operator's, as JSON on its stdin.
type Exec struct {
	argv  []redact.Secret // not empty; the program's path or name first
	dir   string
	env   []string
	clean func(string) redact.Safe
}

// NewExec makes one. dir is where the program runs, env is its environment; nil:
// rollcall's own. It may say any of that: clean takes out of a text not only what is
// secret in argv, but whatever rollcall holds, for any server. It is called from
// any goroutine.
func NewExec(argv []redact.Secret, dir string, env []string, clean func(string) redact.Safe) *Exec {
	return &Exec{argv, dir, env, clean}
}

// Kind tells it from a Webhook.
func (e *Exec) Kind() string { return "exec" }

// Name is how it is spoken of.
func (e *Exec) Name() redact.Safe {
	return redact.Sprintf("exec (%s)", e.clean(filepath.Base(e.argv[0].Reveal())))
}

// Tries is how often a post is handed over.
func (e *Exec) Tries() int { return 1 }

const (
	pipeGrace  = time.Second     // for what still holds stderr once the program has ended
	groupGrace = 2 * time.Second // for what of its process group outlives it
	groupLook  = 20 * time.Millisecond
	maxSaid    = 4 << 10 // bytes of its stderr that are kept
)

// Send runs the program with one post. At ctx's end it is killed, with its
// process group; what it leaves of the group when it ends of itself is killed a
// short while later.
func (e *Exec) Send(ctx context.Context, p Post) Result {
	began := time.Now()
	r := e.run(ctx, p)
	r.Took = time.Since(began)
	return r
}

func (e *Exec) run(ctx context.Context, p Post) Result {
	b, err := json.Marshal(p)
	if err != nil {
		return Result{Err: e.clean(err.Error())}
	}
	args := make([]string, len(e.argv)-1)
	for i, a := range e.argv[1:] {
		args[i] = a.Reveal()
	}
	cmd := exec.CommandContext(ctx, e.argv[0].Reveal(), args...)
	cmd.Dir, cmd.Env = e.dir, e.env
	cmd.Stdin = bytes.NewReader(append(b, '\n'))
	said := &ending{limit: maxSaid}
	cmd.Stderr = said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = pipeGrace
	late := false
	if err = cmd.Start(); err == nil {
		err = cmd.Wait()
		late = errors.Is(ctx.Err(), context.DeadlineExceeded)
		endGroup(ctx, cmd.Process.Pid)
	}
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return Result{Said: redact.Word("exit code 0")}
	case late:
		err = errors.New("took too long, and was killed")
	case said.last() != "":
		err = fmt.Errorf("%w: %s", err, said.last())
	}
	return Result{Err: e.clean(err.Error())}
}

// endGroup waits for the end of what a program left of its process group, and
// kills it after groupGrace, or at ctx's end. The program is reaped; as long as
// one of its group is there, no other group gets its number, and it is asked for
// so often that none has got it meanwhile.
func endGroup(ctx context.Context, group int) {
	look := time.NewTicker(groupLook)
	defer look.Stop()
	late := time.NewTimer(groupGrace)
	defer late.Stop()
	for syscall.Kill(-group, 0) == nil {
		select {
		case <-look.C:
			continue
		case <-late.C:
		case <-ctx.Done():
		}
		_ = syscall.Kill(-group, syscall.SIGKILL) // what has ended meanwhile is gone
		return
	}
}

// ending keeps the end of what is written to it.
type ending struct {
	limit int
	b     []byte
	cut   bool // something was left out
}

func (e *ending) Write(p []byte) (int, error) {
	kept := p[max(len(p)-e.limit, 0):]
	e.b = append(e.b, kept...)
	over := max(len(e.b)-e.limit, 0)
	e.b = e.b[over:]
	e.cut = e.cut || over > 0 || len(kept) < len(p)
	return len(p), nil
}

// last is the last line; empty where its beginning was left out: the rest of a
// secret that is cut there would not be known for one.
func (e *ending) last() string {
	lines := bytes.Split(bytes.TrimSpace(e.b), []byte("\n"))
	if len(lines) == 1 && e.cut {
		return ""
	}
	return string(bytes.TrimSpace(lines[len(lines)-1]))
}
