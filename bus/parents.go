package bus

import (
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"rollcall/redact"
)

// Barred is the first directory on the way to a socket that members of a group
// may not enter, with its mode; zero where none is.
func Barred(socket, group string) (redact.Safe, error) {
	gid, err := groupID(group)
	if err != nil {
		return redact.Safe{}, err
	}
	for _, dir := range wayTo(socket) {
		info, err := os.Stat(dir)
		if err != nil {
			return redact.Safe{}, err
		}
		mode := info.Mode().Perm()
		enter := mode&0o001 != 0
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Gid) == gid {
			enter = mode&0o010 != 0
		}
		if !enter {
			return redact.Sprintf("%s (%s)", (*redact.Redactor)(nil).Text(dir), (*redact.Redactor)(nil).Text(info.Mode().String())), nil
		}
	}
	return redact.Safe{}, nil
}

// barsUs is the first directory on the way to a socket that this process may not
// enter, or "".
func barsUs(socket string) string {
	for _, dir := range wayTo(socket) {
		if unix.Access(dir, unix.X_OK) != nil {
			return dir
		}
	}
	return ""
}

// wayTo are the directories on the way to a file, the root first.
func wayTo(path string) []string {
	dir := filepath.Dir(path)
	if dir == path {
		return nil
	}
	return append(wayTo(dir), dir)
}
