package transport

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// The exit codes of a shell, of env, and of the loader, for what they could not run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// cannotRun reports whether an exit is that of a wrapper, or of a loader, which
// could not run the server. No server answers anything so.
func cannotRun(end model.End) bool {
	return end.ExitCode == model.Some(exitNotExecutable) || end.ExitCode == model.Some(exitNotFound)
}

// lastWords are the last lines of a process's stderr. Its drain alone writes them.
type lastWords struct {
	lines [8]redact.Safe
	next  int
}

// carriageReturn is how env shows one at the end of a name: nosuch\r, 'nosuch'$'\r.
const carriageReturn = `\r`

// maxLastWord is how long a line may be to be kept, in bytes.
const maxLastWord = 512

// keep is emit, with what it passes on kept.
func (l *lastWords) keep(emit func(redact.Safe)) func(redact.Safe) {
	return func(s redact.Safe) {
		if len(s.String()) <= maxLastWord {
			l.lines[l.next] = s
			l.next = (l.next + 1) % len(l.lines)
		}
		emit(s)
	}
}

// latest are the lines, the last first.
func (l *lastWords) latest() (lines []redact.Safe) {
	for i := range l.lines {
		if s := l.lines[(l.next+2*len(l.lines)-1-i)%len(l.lines)]; !s.IsZero() {
			lines = append(lines, s)
		}
	}
	return lines
}

// lacks says what a launch needed and did not find, or may not run, and what to
// do about it (H1, D7): an exit code is all that is known for sure, the rest is
// what the process said last. Empty where the handshake had completed: then the
// launch had all that it needed.
func (r *Run) lacks(p *process, code int) redact.Safe {
	r.mu.Lock()
	up := r.session != nil
	r.mu.Unlock()
	if up {
		return redact.Safe{}
	}
	var lines []redact.Safe
	select {
	case <-p.quiet:
		lines = p.last.latest()
	case <-time.After(r.host.waits.exit / 2): // another process holds it; the exit is told before the cut of a pipe
	case <-r.ctx.Done():
	}
	name := ""
	for _, line := range lines {
		if library := lackedLibrary(line.String()); library != "" {
			return redact.Sprintf("library %s not found, which it needs: install it", short(r.spec.Redactor, library))
		}
		if name = lackedProgram(line.String()); strings.HasSuffix(name, carriageReturn) { // its lines end as on Windows
			name = strings.TrimRight(strings.TrimSuffix(name, carriageReturn), "'$")
			return redact.Sprintf("%s and a carriage return is the interpreter named: take the carriage returns out of the file", short(r.spec.Redactor, name))
		}
		if name != "" {
			break
		}
	}
	what := redact.Word("a program that it needs was not found: see its stderr")
	switch shown := short(r.spec.Redactor, name); {
	case code == exitNotExecutable && name == "":
		return redact.Word("a program that it needs cannot be run: see its stderr")
	case code == exitNotExecutable:
		return redact.Sprintf("%s cannot be run, which it needs: check that it is executable, and built for this machine", shown)
	case strings.ContainsRune(name, '/'): // PATH was not searched
		return redact.Sprintf("%s not found, which it needs: %s", shown, advice(notFound, name))
	case name != "":
		what = redact.Sprintf("%s not found, which it needs: %s", shown, advice(notFound, name))
	}
	for _, v := range r.spec.Launch.Env {
		if v.Name == "PATH" {
			return redact.Sprintf("%s; launched with PATH=%s", what, shownPath(v.Value.Reveal(), r.spec.Redactor))
		}
	}
	return redact.Sprintf("%s; PATH is not set", what)
}

// verdicts are the words of shells and of env for what could not be run; more of
// them may stand before the last.
var verdicts = []string{"not found", "command not found", "no such file or directory", "required file not found",
	"permission denied", "bad interpreter", "cannot execute", "exec format error", "is a directory", "inaccessible or not found"}

func verdict(s string) bool { return slices.Contains(verdicts, strings.ToLower(s)) }

// lackedProgram is the program that a line of a shell or of env is about:
// `sh: 1: npx: not found`, `env: ‘node’: No such file or directory`,
// `zsh:1: command not found: uvx`. Empty where it is about none.
func lackedProgram(line string) string {
	parts := strings.Split(line, ": ")
	for i := range parts {
		parts[i] = strings.Trim(parts[i], " \t'\"`‘’“”")
	}
	last := len(parts) - 1
	if last < 1 {
		return ""
	}
	if !verdict(parts[last]) {
		if strings.EqualFold(parts[last-1], "command not found") {
			return programName(parts[last])
		}
		return ""
	}
	for last > 0 && verdict(parts[last]) {
		last--
	}
	return programName(parts[last])
}

// programName is a name as it can be looked up; a sentence is none.
func programName(s string) string {
	s = strings.TrimPrefix(s, "exec ")
	if s == "" || len(strings.Fields(s)) != 1 || filepath.Base(s) == "." {
		return ""
	}
	return s
}

// lackedLibrary is the library that a line of the loader is about; empty where it
// is about none.
func lackedLibrary(line string) string {
	_, rest, ok := strings.Cut(line, "error while loading shared libraries: ")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}
