package config

import (
	"maps"
	"os"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// Env is what config needs to know of the process it runs in. It is read, never
// changed.
type Env struct {
	Vars map[string]string // rollcall's own environment
	Exe  string            // the running program: ${ROLLCALL_EXE}
	Home string            // the user's home, absolute; empty where there is none
	// Look says what keeps a launch from being run: the field, cwd or command,
	// what was seen, and what to do; the field is empty where nothing does. With
	// nil nobody looks. Whoever launches hands it in: there is one way to look.
	Look func(*model.Spec) (field string, text, hint redact.Safe)
}

// ProcessEnv is the Env of this process, without Look.
func ProcessEnv() Env {
	e := Env{Vars: map[string]string{}}
	for _, kv := range os.Environ() {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			e.Vars[name] = value
		}
	}
	e.Exe, _ = os.Executable()
	e.Home, _ = os.UserHomeDir()
	return e
}

// lookup finds the variable that ${name} means.
func (e Env) lookup(name string) (string, bool) {
	if name == "ROLLCALL_EXE" && e.Exe != "" {
		return e.Exe, true
	}
	v, ok := e.Vars[name]
	return v, ok
}

// xdg is the folder that the variable names, else the one under the home; empty
// where there is neither. Relative values are ignored, as the XDG rules say.
func (e Env) xdg(name, under string) string {
	if v := e.Vars[name]; strings.HasPrefix(v, "/") {
		return v
	}
	if e.Home == "" {
		return ""
	}
	return e.Home + "/" + under
}

// passed are the names that a child gets of rollcall's own environment (T10):
// what a program needs to find itself at home, and what npx, uvx and docker need
// to find their caches, their registry, their daemon and the way out.
var passed = map[string]bool{
	"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "SHELL": true, "LANG": true, "LANGUAGE": true, "TZ": true,
	"TERM": true, "TMPDIR": true, "TMP": true, "TEMP": true,

	"HTTP_PROXY": true, "HTTPS_PROXY": true, "ALL_PROXY": true, "NO_PROXY": true,
	"http_proxy": true, "https_proxy": true, "all_proxy": true, "no_proxy": true,
	"SSL_CERT_FILE": true, "SSL_CERT_DIR": true, "CURL_CA_BUNDLE": true, "REQUESTS_CA_BUNDLE": true,

	"NODE_EXTRA_CA_CERTS": true, "NVM_DIR": true, "NVM_BIN": true, "VOLTA_HOME": true, "PNPM_HOME": true,
	"ASDF_DIR": true, "ASDF_DATA_DIR": true, "PYENV_ROOT": true, "CONDA_PREFIX": true, "VIRTUAL_ENV": true,
}

// passedFamilies are beginnings of names that a child gets too, but for those
// that speak of a secret: NPM_CONFIG_CACHE, not NPM_CONFIG__AUTH.
var passedFamilies = []string{"LC_", "XDG_", "NPM_CONFIG_", "npm_config_", "UV_", "PIP_", "DOCKER_", "CONTAINER_", "MISE_", "FNM_"}

// child is what a child inherits: the allowlist, or with all everything (T10).
func (e Env) child(all bool) map[string]string {
	if all {
		return maps.Clone(e.Vars)
	}
	kept := map[string]string{}
	for name, value := range e.Vars {
		if passed[name] || inFamily(name) && !speaks(name) {
			kept[name] = value
		}
	}
	return kept
}

func inFamily(name string) bool {
	for _, f := range passedFamilies {
		if strings.HasPrefix(name, f) {
			return true
		}
	}
	return false
}
