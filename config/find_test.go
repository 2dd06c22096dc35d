package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestC1_WhereTheConfigurationIsFound(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	t.Chdir(work)
	env := Env{Vars: map[string]string{}, Home: home}

	_, err := Find("", env)
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), filepath.Join(home, ".config/rollcall/servers.toml")) {
		t.Fatalf("nowhere: %v", err)
	}
	find := func(want, flag string) {
		t.Helper()
		if got, err := Find(flag, env); got != want || err != nil {
			t.Errorf("Find = %q, %v; want %q", got, err, want)
		}
	}
	inHome := filepath.Join(home, "xdg/rollcall/servers.toml")
	if err := os.MkdirAll(filepath.Dir(inHome), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{inHome, filepath.Join(work, "servers.toml")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		env.Vars["XDG_CONFIG_HOME"] = filepath.Join(home, "xdg")
		if path == inHome {
			find(inHome, "")
		}
	}
	find("servers.toml", "")
	env.Vars["ROLLCALL_CONFIG"] = "/nowhere/a.toml"
	find("/nowhere/a.toml", "")
	find("b.toml", "b.toml")
}

func TestC1_AMissingFileSaysWhatToDo(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.toml"), testEnv())
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--config") {
		t.Fatalf("got %v", err)
	}
	if _, err = Load(t.TempDir(), testEnv()); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Fatalf("a folder: got %v", err)
	}
}
