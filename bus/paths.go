package bus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// socketLimit is the longest path of a unix socket, in bytes, on the narrowest
// system: 104 with the closing zero.
const socketLimit = 103

// nameLimit bounds the part of a socket's name that a person recognises.
const nameLimit = 24

// Paths are where the engine of one configuration is found.
type Paths struct {
	Dir    string // the runtime directory, 0700
	Name   string // the configuration's base name and a hash of its canonical path
	Socket string // Dir/Name.sock
	Lock   string // Dir/Name.lock
}

// Where returns the paths for a configuration's file. Every link to one file
// has the same. Of the directories that may hold them it is the first where an
// engine answers, else the first that can be used: a login without
// $XDG_RUNTIME_DIR still finds the engine of one that has it. Nothing is made.
func Where(configPath string) (Paths, error) {
	all, err := places(configPath)
	if err != nil {
		return Paths{}, err
	}
	for _, p := range all {
		if p.answers() {
			return p, nil
		}
	}
	return all[0], nil
}

// places are the paths in every directory that may hold them, the preferred
// one first. There is at least one where the error is nil.
func places(configPath string) ([]Paths, error) {
	name := nameOf(configPath)
	var all []Paths
	for _, dir := range runtimeDirs() {
		p := Paths{Dir: dir, Name: name, Socket: filepath.Join(dir, name+".sock"), Lock: filepath.Join(dir, name+".lock")}
		if len(p.Socket) <= socketLimit && !contains(all, p) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no directory for the socket: set XDG_RUNTIME_DIR to a short path that is yours")
	}
	return all, nil
}

func contains(all []Paths, p Paths) bool {
	for _, q := range all {
		if q == p {
			return true
		}
	}
	return false
}

// answers reports whether somebody listens on the socket, in a directory that
// can be trusted.
func (p Paths) answers() bool {
	if trusted(p.Dir) != nil {
		return false
	}
	c, err := net.DialTimeout("unix", p.Socket, time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// runtimeDirs are the directories that may hold sockets, the preferred first.
// The last one is the same whatever the environment says.
func runtimeDirs() []string {
	uid := strconv.Itoa(os.Getuid())
	var dirs []string
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + uid} {
		// One that sudo or su left in the environment belongs to somebody else.
		if filepath.IsAbs(parent) && mine(parent) == nil {
			dirs = append(dirs, filepath.Join(parent, "rollcall"))
		}
	}
	return append(dirs, "/tmp/rollcall-"+uid)
}

// nameOf is the configuration's base name, cut and made safe for a file's and
// a subject's name, with a hash of its canonical path.
func nameOf(configPath string) string {
	path := canonical(configPath)
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = token(base)
	sum := sha256.Sum256([]byte(path))
	return base[:min(len(base), nameLimit)] + "-" + hex.EncodeToString(sum[:5])
}

// canonical is the file's own path, whatever link leads to it.
func canonical(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	return path
}

// mine says why a directory cannot be trusted: it is no directory, a link, or
// somebody else's, or others may write there.
func mine(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", dir)
	case ok && int(st.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to user %d, and is not used: remove it, or set XDG_RUNTIME_DIR", dir, st.Uid)
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%s can be written by everybody, and is not used: chmod o-w it", dir)
	}
	return nil
}

// trusted says why a runtime directory is not used. Where it does not exist
// yet, the error is fs.ErrNotExist.
func trusted(dir string) error {
	if err := mine(dir); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err == nil && info.Mode().Perm()&0o020 != 0 {
		return fmt.Errorf("%s can be written by its group, and is not used: chmod g-w it", dir)
	}
	return err
}

// prepare makes the runtime directory, or checks the one that is there, and
// gives it its mode: 0700, or 0750 and the group where gid is not −1 (N1).
func prepare(dir string, gid int) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := trusted(dir); err != nil {
		return err
	}
	mode := os.FileMode(0o700)
	if gid >= 0 {
		if err := os.Lchown(dir, -1, gid); err != nil {
			return err
		}
		mode = 0o750
	}
	return os.Chmod(dir, mode)
}
