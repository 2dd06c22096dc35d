package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotFound says that no configuration is where C1 looks for one.
var ErrNotFound = errors.New("no configuration found")

// Find returns the path of the configuration (C1): flag, else $ROLLCALL_CONFIG,
// else ./servers.toml, else $XDG_CONFIG_HOME/rollcall/servers.toml
// (~/.config where that is not set). The first two are returned without a look:
// whoever names a file wants that one, or to hear from Load that it is missing.
// An error wraps ErrNotFound, and says where it looked and what to do.
func Find(flag string, env Env) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if named := env.Vars["ROLLCALL_CONFIG"]; named != "" {
		return named, nil
	}
	places := []string{"servers.toml"}
	if dir := env.xdg("XDG_CONFIG_HOME", ".config"); dir != "" {
		places = append(places, filepath.Join(dir, "rollcall", "servers.toml"))
	}
	for _, path := range places {
		// What is there but cannot be read is found: Load says why.
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: looked for %s: write one of them, or name a file with --config or ROLLCALL_CONFIG; rollcall init writes one to begin with, rollcall import takes other clients' servers over",
		ErrNotFound, strings.Join(places, " and "))
}
