package transport

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"rollcall/model"
	"rollcall/redact"
)

// Look says what keeps a spec's launch from being run: the field that is wrong,
// cwd or command, what was seen, and what to do about it (H1). The field is
// empty where nothing is wrong, or nothing is launched. It looks at the file
// system, no more, and may be called from any goroutine.
func Look(spec *model.Spec) (field string, text, hint redact.Safe) {
	if spec.Launch == nil {
		return "", text, hint
	}
	_, m := find(spec)
	return m.field, m.text, m.advice()
}

// missing is why a launch cannot be run; the zero value says that it can.
type missing struct {
	field string      // cwd, command
	text  redact.Safe // what was seen
	hint  redact.Safe // what to do
	note  redact.Safe // what helps with it: which PATH was searched; may be empty
}

// advice is the hint with its note.
func (m missing) advice() redact.Safe {
	if m.note.IsZero() {
		return m.hint
	}
	return redact.Sprintf("%s; %s", m.hint, m.note)
}

// report is all of it in one line, the most telling part first: a row cuts its
// end. It is for a server that is halted: c has it looked for again (D7).
func (m missing) report() redact.Safe {
	text := m.text
	if m.field == "cwd" {
		text = redact.Sprintf("cwd %s", text)
	}
	m.hint = redact.Sprintf("%s, then c", m.hint)
	return redact.Sprintf("%s: %s", text, m.advice())
}

// find returns the file that spec's launch would run, or why there is none.
func find(spec *model.Spec) (path string, m missing) {
	l := spec.Launch
	name := spec.Redactor.Text(l.Path)
	if m := checkDir(l.Dir, spec.Redactor); m.field != "" {
		return "", m
	}
	if strings.ContainsRune(l.Path, '/') {
		path := l.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.Dir, path)
		}
		why := runnable(path)
		if why == runs {
			return absolute(path), m
		}
		return "", missing{field: "command", text: redact.Sprintf("%s %s", name, whyTexts[why]), hint: advice(why, l.Path)}
	}
	for _, v := range l.Env {
		if v.Name == "PATH" {
			return findIn(v.Value.Reveal(), l.Path, spec.Redactor)
		}
	}
	return "", missing{"command", redact.Sprintf("%s not found", name), advice(notFound, l.Path), redact.Word("PATH is not set")}
}

// checkDir looks at the folder that a launch would run in.
func checkDir(dir string, red *redact.Redactor) missing {
	if dir == "" {
		return missing{}
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing{"cwd", redact.Sprintf("%s not found", red.Text(dir)), redact.Word("make the folder, or name another"),
			redact.Word("${HOME}/… is under the home")}
	case err != nil:
		return missing{field: "cwd", text: redact.Sprintf("%s cannot be read", red.Text(dir)), hint: advice(unreadable, dir)}
	case !info.IsDir():
		return missing{field: "cwd", text: redact.Sprintf("%s is no folder", red.Text(dir)), hint: redact.Word("name a folder")}
	}
	return missing{}
}

// maxPath is how many bytes of a PATH a report repeats: on a screen of 80×24 the
// advice before it stays in the pane.
const maxPath = 240

// findIn looks for a bare name in each folder of a PATH.
func findIn(search, command string, red *redact.Redactor) (string, missing) {
	var found missing // a file of that name that cannot be run
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue // a relative folder would depend on where rollcall was started
		}
		path := filepath.Join(dir, command)
		why := runnable(path)
		if why == runs {
			return path, missing{}
		}
		if why != notFound && found.field == "" {
			found = missing{field: "command", text: redact.Sprintf("%s %s", red.Text(path), whyTexts[why]), hint: advice(why, path)}
		}
	}
	if found.field != "" {
		return "", found
	}
	return "", missing{"command", redact.Sprintf("%s not found", red.Text(command)), advice(notFound, command),
		redact.Sprintf("searched PATH=%s", shownPath(search, red))}
}

// shownPath is what a report repeats of a PATH.
func shownPath(search string, red *redact.Redactor) redact.Safe {
	shown, cut := red.Text(search).Cut(maxPath)
	if cut {
		shown = redact.Join("", shown, redact.Word("…"))
	}
	return shown
}

// why is what keeps a file from being run.
type why uint8

const (
	runs why = iota
	notFound
	unreadable
	folder
	notExecutable
	whys
)

var whyTexts = [whys]redact.Safe{
	notFound:      redact.Word("not found"),
	unreadable:    redact.Word("cannot be read"),
	folder:        redact.Word("is a folder, not a command"),
	notExecutable: redact.Word("is not executable"),
}

// runnable says why a file cannot be run, as far as its mode tells.
func runnable(path string) why {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return notFound
	case err != nil:
		return unreadable
	case info.IsDir():
		return folder
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return notExecutable
	}
	return runs
}

// install says how one gets a command that was not found.
var install = map[string]redact.Safe{
	"npx":     redact.Word("install Node.js"),
	"npm":     redact.Word("install Node.js"),
	"node":    redact.Word("install Node.js"),
	"uvx":     redact.Word("install uv"),
	"uv":      redact.Word("install uv"),
	"python":  redact.Word("install Python"),
	"python3": redact.Word("install Python"),
	"pip":     redact.Word("install Python"),
	"pipx":    redact.Word("install pipx"),
	"docker":  redact.Word("install Docker"),
	"podman":  redact.Word("install Podman"),
	"deno":    redact.Word("install Deno"),
	"bun":     redact.Word("install Bun"),
	"bunx":    redact.Word("install Bun"),
	"go":      redact.Word("install Go"),
}

// advice is what to do about a command that cannot be run.
func advice(w why, command string) redact.Safe {
	switch w {
	case unreadable:
		return redact.Word("check the permissions of its folders")
	case folder:
		return redact.Word("name the program in it")
	case notExecutable:
		return redact.Word("chmod +x it, or name its interpreter in command and the file in args")
	}
	if how, ok := install[filepath.Base(command)]; ok {
		return how
	}
	switch {
	case strings.Contains(command, "/~/"):
		return redact.Word("~ stands for nothing here: write ${HOME}/…")
	case strings.ContainsAny(command, " \t"):
		return redact.Word("command is the program alone: put the rest into args")
	}
	return redact.Word("install it, name its whole path, or set PATH in env")
}

// absolute makes a path absolute: the child may start in another folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
