package bus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// socketLimit is the longest path of a unix socket, in bytes, on the narrowest
// system: 104 with the closing zero.
const socketLimit = 103

// baseLimit bounds the part of a socket's name that a person recognises.
const baseLimit = 24

// Paths are where the engine of one configuration is found.
type Paths struct {
	Dir    string // the runtime directory, 0700
	Name   string // the configuration's base name and a hash of its path
	Socket string // Dir/Name.sock
	Lock   string // Dir/Name.lock
}

func pathsIn(dir, name string) Paths {
	return Paths{Dir: dir, Name: name, Socket: filepath.Join(dir, name+socketSuffix), Lock: filepath.Join(dir, name+lockSuffix)}
}

// Where returns the paths for a configuration's file: those of the engine that
// was started with this path, or that reads the file it leads to, whatever the
// environment of either; without one, where an engine would be. Nothing is made.
func Where(configPath string) (Paths, error) {
	all, err := places(configPath)
	if err != nil {
		return Paths{}, err
	}
	for _, name := range namesOf(configPath) {
		for _, dir := range lockDirs() {
			if p, ok := pathsIn(dir, name).told(); ok {
				return p, nil
			}
		}
	}
	for _, p := range all {
		if p.answers() {
			return p, nil
		}
	}
	return all[0], nil
}

// told are the paths of the engine that a lock's file names, if it answers.
func (p Paths) told() (Paths, bool) {
	if trusted(p.Dir) != nil {
		return Paths{}, false
	}
	_, socket := about(p.Lock)
	if socket == "" {
		return Paths{}, false
	}
	at := pathsIn(filepath.Dir(socket), strings.TrimSuffix(filepath.Base(socket), socketSuffix))
	return at, at.answers()
}

// places are where the socket may be, the preferred one first. There is at least
// one where the error is nil. Its name is that of the path as it was given: that
// lock is held as long as the engine runs, whatever a link leads to.
func places(configPath string) ([]Paths, error) {
	name := givenNames(configPath)[0]
	var all []Paths
	for _, dir := range runtimeDirs() {
		if p := pathsIn(dir, name); len(p.Socket) <= socketLimit {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no directory for the socket: set XDG_RUNTIME_DIR to a short path that is yours")
	}
	return all, nil
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
// The last one is the same whatever the environment says, and stays when the
// user has logged out.
func runtimeDirs() []string {
	uid := strconv.Itoa(os.Getuid())
	var dirs []string
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), "/run/user/" + uid} {
		// One that sudo or su left in the environment belongs to somebody else.
		if filepath.IsAbs(parent) && mine(parent) == nil {
			dirs = append(dirs, filepath.Join(parent, "rollcall"))
		}
	}
	return unique(append(dirs, "/tmp/rollcall-"+uid))
}

// lockDirs are the directories that hold locks: all of them, the one that every
// environment shares first. Of two engines that start at once one fails there;
// where it cannot be used (another user may have taken its name), in the next.
func lockDirs() []string {
	dirs := runtimeDirs()
	slices.Reverse(dirs)
	return dirs
}

// namesOf are the names of a configuration, that of its path first and that of
// the file it leads to last. Two engines of which one has a name of the other's
// would read the same file, now or when a link is changed.
func namesOf(configPath string) []string {
	return unique(append(givenNames(configPath), nameOf(Canonical(configPath))))
}

// givenNames are the names of the path itself: with the links to its folder
// resolved, and as it is written. Its last element may be a link to anything.
func givenNames(configPath string) []string {
	path := configPath
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	inside := path
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		inside = filepath.Join(dir, filepath.Base(path))
	}
	return unique([]string{nameOf(inside), nameOf(path)})
}

// nameOf is a path's base name, cut and made safe for a file's and a subject's
// name, with a hash of the path.
func nameOf(path string) string {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = token(base)
	sum := sha256.Sum256([]byte(path))
	return base[:min(len(base), baseLimit)] + "-" + hex.EncodeToString(sum[:5])
}

// Canonical is the file's own path, whatever link leads to it.
func Canonical(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		path = p
	}
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	return path
}

// unique leaves out what stood before.
func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
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

// letsIn is the group that an engine which runs lets in to its socket in a
// directory, if one does.
func letsIn(dir string) (gid int, lets bool) {
	list, _ := os.ReadDir(dir) // one that cannot be read is not used
	for _, e := range list {
		name, isSocket := strings.CutSuffix(e.Name(), socketSuffix)
		info, err := e.Info()
		if !isSocket || err != nil || info.Mode().Perm()&0o060 == 0 {
			continue
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		held, err := heldAt(filepath.Join(dir, name+lockSuffix))
		if ok && err == nil && held {
			return int(st.Gid), true
		}
	}
	return 0, false
}

// usable makes a directory for locks, or checks the one that is there. Its mode
// is left alone: an engine whose socket lies there may have given it a group.
func usable(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return trusted(dir)
}

// prepare makes the runtime directory, or checks the one that is there, and
// gives it its mode: 0700, or 0750 and the group where gid is not −1 (N1). The
// group of another engine whose socket lies there keeps its way in. Call it while
// there is no socket of this one's own.
func prepare(dir string, gid int) error {
	if err := usable(dir); err != nil {
		return err
	}
	switch other, lets := letsIn(dir); {
	case lets && gid < 0:
		return nil // the socket's own mode keeps them out of this engine
	case lets && gid != other:
		return fmt.Errorf("%s lets group %d in, to another engine that runs, and cannot let group %d in too: start one of the two with XDG_RUNTIME_DIR in another folder", dir, other, gid)
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
