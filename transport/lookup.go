package transport

import (
	"os"
	"path/filepath"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// install says how one gets a command that was not found.
var install = map[string]redact.Safe{
	"npx":     redact.Word(": install Node.js"),
	"npm":     redact.Word(": install Node.js"),
	"node":    redact.Word(": install Node.js"),
	"uvx":     redact.Word(": install uv"),
	"uv":      redact.Word(": install uv"),
	"python":  redact.Word(": install Python"),
	"python3": redact.Word(": install Python"),
	"docker":  redact.Word(": install Docker"),
	"podman":  redact.Word(": install Podman"),
	"deno":    redact.Word(": install Deno"),
	"bun":     redact.Word(": install Bun"),
	"bunx":    redact.Word(": install Bun"),
}

// maxPath is how many bytes of a PATH a report repeats.
const maxPath = 512

// Find returns the file that spec's launch would run. Where there is none, or
// it cannot be executed, it returns an empty path, and a text that says where
// it looked and what to do (H1). It looks at the file system, no more.
func Find(spec *model.Spec) (path string, problem redact.Safe) {
	l := spec.Launch
	name := spec.Redactor.Text(l.Path)
	if strings.ContainsRune(l.Path, '/') {
		path := l.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.Dir, path)
		}
		why := runnable(path)
		if why.IsZero() {
			return absolute(path), why
		}
		return "", redact.Sprintf("%s %s", name, why)
	}
	search := ""
	for _, v := range l.Env {
		if v.Name == "PATH" {
			search = v.Value.Reveal()
		}
	}
	return findIn(search, l, name, spec.Redactor)
}

// findIn looks for a bare name in each folder of a PATH.
func findIn(search string, l *model.Launch, name redact.Safe, red *redact.Redactor) (string, redact.Safe) {
	var found redact.Safe // a file of that name that cannot be run
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue // a relative folder would depend on where rollcall was started
		}
		path := filepath.Join(dir, l.Path)
		why := runnable(path)
		if why.IsZero() {
			return path, why
		}
		if _, err := os.Stat(path); err == nil && found.IsZero() {
			found = redact.Sprintf("%s %s", red.Text(path), why)
		}
	}
	if !found.IsZero() {
		return "", found
	}
	shown, cut := red.Text(search).Cut(maxPath)
	if cut {
		shown = redact.Join("", shown, redact.Word("…"))
	}
	return "", redact.Sprintf("%s not found in PATH=%s%s", name, shown, install[l.Path])
}

// runnable says why a file cannot be run; empty where it can.
func runnable(path string) redact.Safe {
	st, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return redact.Word("not found")
	case err != nil:
		return redact.Word("cannot be read: check the permissions of its folders")
	case st.IsDir():
		return redact.Word("is a folder, not a command")
	case st.Mode()&0o111 == 0:
		return redact.Word("is not executable: chmod +x it")
	}
	return redact.Safe{}
}

// absolute makes a path absolute: the child may start in another folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
