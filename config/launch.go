package config

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// maxEnvFile bounds an env_file, in bytes.
const maxEnvFile = 1 << 20

// launchFields are the fields that mean nothing without a command.
var launchFields = []string{"args", "env", "cwd", "env_file", "inherit_env"}

// launch reads what is launched (T1, T10).
func (r *entryReader) launch() {
	v := r.table.get("command")
	command, ok := r.text(v)
	if ok && strings.TrimSpace(command.text) == "" {
		r.report(v.span(), v.field, fault{redact.Word("empty"), redact.Word("name the program to launch, or remove it")})
		ok = false
	}
	args, dir, env := r.args(), r.workDir(), r.environment()
	if !ok {
		if !v.given() && r.table.get("url").given() {
			r.unused(launchFields, redact.Word("unused, since there is no command"), redact.Word("remove it, or set command"))
		}
		return
	}
	r.secrets.refs(command, false)
	// A command with a slash is found from cwd, as in a shell; else from the file's
	// folder, wherever rollcall itself was started.
	l := &model.Launch{Path: command.text, Dir: dir, Env: env}
	if strings.Contains(l.Path, "/") && !filepath.IsAbs(l.Path) {
		base := dir
		if base == "" {
			base = r.dir
		}
		l.Path = filepath.Join(base, l.Path)
	}
	for _, a := range args {
		l.Args = append(l.Args, redact.NewSecret(a.text))
	}
	r.spec.Launch = l
	r.latest(command.text, args)
}

// unused warns of each of the fields that is given.
func (r *entryReader) unused(fields []string, text, hint redact.Safe) {
	for _, name := range fields {
		if v := r.table.get(name); v.given() {
			r.warn(v.key(), v.field, fault{text, hint})
		}
	}
}

// args reads the arguments and what is secret in them.
func (r *entryReader) args() []item {
	items := r.texts(r.table.get("args"))
	texts, at := make([]expanded, len(items)), make([]*node, len(items))
	for i, a := range items {
		texts[i], at[i] = a.expanded, a.at
	}
	r.secrets.args(texts, at)
	return items
}

// workDir reads cwd; a relative one is relative to the file's folder. Whether it
// exists is looked at when it is needed (CheckLaunch).
func (r *entryReader) workDir() string {
	e, ok := r.text(r.table.get("cwd"))
	if !ok || e.text == "" {
		return ""
	}
	r.secrets.refs(e, false)
	return r.absolute(e.text)
}

func (r *entryReader) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.dir, path)
}

// environment is the child's whole environment, sorted by name: what it inherits
// (T10), then env_file, then env, the later winning.
func (r *entryReader) environment() []model.Pair {
	inherit := r.boolean(r.table.get("inherit_env"), false)
	all := r.env.child(inherit)
	inherited := maps.Clone(all)
	var declared []string
	for _, p := range r.envFile() {
		r.secrets.add(p.name, p.value, ofEnvFile)
		all[p.name] = p.value
		delete(inherited, p.name)
		declared = append(declared, p.name)
	}
	for _, p := range r.pairs(r.table.get("env")) {
		name := p.name()
		r.secrets.value(name, p.expanded, p.at, ofEnv)
		if name == "" || strings.ContainsAny(name, "=\x00") {
			r.report(p.key(), p.field, fault{redact.Word("no name that a variable can have"), redact.Word("remove the = from the name")})
			continue
		}
		all[name] = p.text
		delete(inherited, name)
		declared = append(declared, name)
	}
	names := slices.Sorted(maps.Keys(all))
	pairs := make([]model.Pair, len(names))
	for i, name := range names {
		pairs[i] = model.Pair{Name: name, Value: redact.NewSecret(all[name])}
		if value, ok := inherited[name]; ok {
			r.secrets.inherited(name, value)
		}
	}
	slices.Sort(declared)
	for _, name := range slices.Compact(declared) {
		r.shown.Env = append(r.shown.Env, redact.Name(name))
	}
	return pairs
}

// envFile reads the variables of env_file.
func (r *entryReader) envFile() []dotenvLine {
	v := r.table.get("env_file")
	e, ok := r.text(v)
	if !ok {
		return nil
	}
	r.secrets.refs(e, false)
	path := r.absolute(e.text)
	r.envPath = path
	text, err := readBounded(path, maxEnvFile)
	if err != nil {
		r.report(v.span(), v.field, fault{redact.Sprintf("the file cannot be read: %s", clean(reason(err))),
			redact.Word("a relative path is relative to the configuration's folder; ${HOME}/… is under the home")})
		return nil
	}
	vars, line, err := dotenv(text)
	if err != nil {
		r.report(v.span(), v.field, fault{redact.Sprintf("line %d of the file %s", redact.Int(line), clean(err.Error())),
			redact.Word("write NAME=value a line; a value with spaces at its ends or line ends goes into double quotes")})
		return nil
	}
	secret := func(l dotenvLine) bool {
		return speaks(l.name) && !r.secrets.public[l.name] && !r.secrets.exempt(l.value)
	}
	if slices.ContainsFunc(vars, secret) && othersMayRead(path) {
		r.warn(v.span(), v.field, fault{redact.Word("the file holds a secret, and others may read it"), redact.Word("chmod 600 it")})
	}
	return vars
}

// errTooLong says that a file is longer than its bound.
var errTooLong = errors.New("it is too long")

// readBounded reads a regular file of at most limit bytes. A pipe that nobody
// writes to would else block whoever reads.
func readBounded(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", errors.New("it is a folder")
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errTooLong
	}
	return string(b), err
}

// reason is an error's text without the path that it names: the path may be
// what a variable gave.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// latest warns of `npx -y name@latest` (C9): what runs changes from one start to
// the next.
func (r *entryReader) latest(command string, args []item) {
	switch filepath.Base(command) {
	case "npx", "bunx", "pnpx", "uvx":
	default:
		return
	}
	for _, a := range args {
		if strings.HasSuffix(a.text, "@latest") {
			r.warn(a.span(), a.field, fault{redact.Word("@latest fetches another version whenever there is a newer one"),
				redact.Word("write the version that you tried: name@1.2.3")})
		}
	}
}

// maxShownCommand bounds a command line that is shown, in bytes.
const maxShownCommand = 8 << 10

// shownCommand is the command with its arguments, secrets hidden (D6).
func shownCommand(l *model.Launch, red *redact.Redactor) redact.Safe {
	shown := []redact.Safe{red.Text(l.Path)}
	length := 0
	for _, a := range l.Args {
		if length > maxShownCommand {
			shown = append(shown, redact.Word("…"))
			break
		}
		text := red.Text(a.Reveal())
		if s := text.String(); s == "" || strings.ContainsAny(s, " \t'\"") {
			text = redact.Sprintf("'%s'", text)
		}
		length += len(text.String())
		shown = append(shown, text)
	}
	return redact.Join(" ", shown...)
}
