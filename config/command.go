package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// CheckCommand looks whether a spec's cwd exists and its command is found and
// executable, as a launch would: in PATH of the child's own environment. It
// returns nil where nothing is wrong, or nothing is launched; else an error with
// Server, Field, Text and Hint, but without a place ((*File).CheckCommand knows
// it). At start-up a missing command refuses no entry: it halts when it is
// started (H1).
func CheckCommand(spec *model.Spec) *model.Problem {
	if spec == nil || spec.Launch == nil {
		return nil
	}
	field, f := launchFault(spec)
	if !f.bad() {
		return nil
	}
	return &model.Problem{Server: spec.Name, Field: field, Hint: f.hint,
		Text: redact.Sprintf("server %s: %s: %s", redact.Name(spec.Name), redact.Name(field), f.text)}
}

// launchFault says which field of a launch is wrong, and how.
func launchFault(spec *model.Spec) (field string, f fault) {
	l, red := spec.Launch, spec.Redactor
	if l.Dir != "" {
		info, err := os.Stat(l.Dir)
		switch {
		case err != nil:
			return "cwd", fault{redact.Sprintf("%s: %s", red.Text(l.Dir), clean(reason(err))),
				redact.Word("make the folder, or name another; ${HOME}/… is under the home")}
		case !info.IsDir():
			return "cwd", fault{redact.Sprintf("%s is no folder", red.Text(l.Dir)), redact.Word("name a folder")}
		}
	}
	name := red.Text(l.Path)
	if strings.Contains(l.Path, "/") {
		if err := executable(l.Path); err != nil {
			return "command", fault{redact.Sprintf("%s: %s", name, clean(err.Error())), commandHint(l.Path, err)}
		}
		return "", fault{}
	}
	path, set := "", false
	for _, p := range l.Env {
		if p.Name == "PATH" {
			path, set = p.Value.Reveal(), true
		}
	}
	refused := errNotFound // what was seen of a file that bears the name but cannot be run
	for _, dir := range filepath.SplitList(path) {
		err := executable(filepath.Join(dir, l.Path))
		if err == nil {
			return "", fault{}
		}
		if !errors.Is(err, errNotFound) {
			refused = err
		}
	}
	if !set {
		return "command", fault{redact.Sprintf("%s not found: PATH is not set", name), commandHint(l.Path, errNotFound)}
	}
	return "command", fault{redact.Sprintf("%s %s in PATH=%s", name, clean(refused.Error()), red.Text(path)), commandHint(l.Path, refused)}
}

// What keeps a file from being executed.
var (
	errNotFound      = errors.New("not found")
	errFolder        = errors.New("is a folder")
	errNotExecutable = errors.New("is not executable")
)

// executable says why a file cannot be executed; nil where it can, as far as its
// mode says.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errNotFound
	case err != nil:
		return errors.New(reason(err))
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return errNotExecutable
	}
	return nil
}

// commandHint says what to do about a command that cannot be run.
func commandHint(command string, err error) redact.Safe {
	switch {
	case errors.Is(err, errNotExecutable):
		return redact.Word("chmod +x the file, or name its interpreter in command and the file in args")
	case errors.Is(err, errFolder):
		return redact.Word("name the program in the folder")
	}
	switch filepath.Base(command) {
	case "npx", "node", "npm":
		return redact.Word("install Node.js")
	case "uvx", "uv":
		return redact.Word("install uv")
	case "docker":
		return redact.Word("install Docker")
	case "podman":
		return redact.Word("install Podman")
	case "python", "python3", "pip", "pipx":
		return redact.Word("install Python 3")
	case "bun", "bunx":
		return redact.Word("install Bun")
	case "deno":
		return redact.Word("install Deno")
	case "go":
		return redact.Word("install Go")
	}
	if strings.Contains(command, "/~/") {
		return redact.Word("~ stands for nothing here: write ${HOME}/…")
	}
	if strings.ContainsAny(command, " \t") {
		return redact.Word("command is the program alone: put the rest into args")
	}
	return redact.Word("install it, name its whole path, or set PATH in env")
}
