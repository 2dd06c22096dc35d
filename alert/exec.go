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
	argv     []redact.Secret // not empty; the program's path or name first
	dir      string
	redactor *redact.Redactor
}

// NewExec makes one. dir is where the program runs. It gets rollcall's own
// environment.
func NewExec(argv []redact.Secret, dir string, redactor *redact.Redactor) *Exec {
	return &Exec{argv, dir, redactor}
}

// Name is how it is spoken of.
func (e *Exec) Name() redact.Safe {
	return redact.Sprintf("exec (%s)", e.redactor.Text(filepath.Base(e.argv[0].Reveal())))
}

// Tries is how often a post is handed over.
func (e *Exec) Tries() int { return 1 }

const (
	pipeGrace = time.Second // for what still holds stderr once the program has ended
	maxSaid   = 4 << 10     // bytes of its stderr that are kept
)

// Send runs the program with one post. At ctx's end it is killed, with its
// process group.
func (e *Exec) Send(ctx context.Context, p Post) Result {
	began := time.Now()
	r := e.run(ctx, p)
	r.Took = time.Since(began)
	return r
}

func (e *Exec) run(ctx context.Context, p Post) Result {
	b, err := json.Marshal(p)
	if err != nil {
		return Result{Err: e.redactor.Error(err)}
	}
	args := make([]string, len(e.argv)-1)
	for i, a := range e.argv[1:] {
		args[i] = a.Reveal()
	}
	cmd := exec.CommandContext(ctx, e.argv[0].Reveal(), args...)
	cmd.Dir = e.dir
	cmd.Stdin = bytes.NewReader(append(b, '\n'))
	said := &ending{limit: maxSaid}
	cmd.Stderr = said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = pipeGrace
	err = cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return Result{Said: redact.Word("exit code 0")}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.New("took too long, and was killed")
	case said.last() != "":
		err = fmt.Errorf("%w: %s", err, said.last())
	}
	return Result{Err: e.redactor.Error(err)}
}

// ending keeps the end of what is written to it.
type ending struct {
	limit int
	b     []byte
}

func (e *ending) Write(p []byte) (int, error) {
	e.b = append(e.b, p[max(len(p)-e.limit, 0):]...)
	if over := len(e.b) - e.limit; over > 0 {
		e.b = e.b[over:]
	}
	return len(p), nil
}

// last is the last line.
func (e *ending) last() string {
	lines := bytes.Split(bytes.TrimSpace(e.b), []byte("\n"))
	return string(lines[len(lines)-1])
}
