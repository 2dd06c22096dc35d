package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rollcall/redact"
)

// FoundFile is a client's file that is there.
type FoundFile struct {
	Path    string
	Client  string
	Servers []string    // the names that Import would give them alone
	Problem redact.Safe // why it cannot be read; empty where it can
}

// FindClients looks where MCP clients keep their files (C10): the user's own, and
// those of the project in dir. os is runtime.GOOS. It returns what is there, each
// file once, and all the places that it looked at. Files without servers are left
// out.
func FindClients(env Env, dir, os string) (found []FoundFile, looked []string) {
	for i := range clients {
		c := &clients[i]
		places := c.places
		if os == "darwin" {
			places = slices.Concat(c.darwin, places)
		}
		for _, p := range places {
			path := placeOf(p, env, dir)
			if path == "" || slices.Contains(looked, path) {
				continue
			}
			looked = append(looked, path)
			if f, ok := lookInto(path, c.name, env); ok {
				found = append(found, f)
			}
		}
	}
	return found, looked
}

// placeOf is the path that one of a client's places means; empty where there is
// no home.
func placeOf(place string, env Env, dir string) string {
	base, rest, _ := strings.Cut(place, "/")
	switch base {
	case "~":
		base = env.Home
	case "$XDG":
		base = env.xdg("XDG_CONFIG_HOME", ".config")
	case ".":
		base = dir
	default:
		return place
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, rest)
}

// lookInto reads one file; ok is false where it is not there, or has no servers.
func lookInto(path, client string, env Env) (FoundFile, bool) {
	if _, err := os.Stat(path); err != nil {
		return FoundFile{}, false
	}
	f := FoundFile{Path: path, Client: client}
	o, err := takeFile(path, env, newVariables(), map[string]int{})
	switch {
	case errors.Is(err, ErrNoServers):
		return FoundFile{}, false
	case err != nil:
		first, _, _ := strings.Cut(err.Error(), "\n")
		f.Problem = clean(first)
		return f, true
	}
	for _, t := range o.servers {
		f.Servers = append(f.Servers, t.name)
	}
	return f, len(f.Servers) > 0
}
