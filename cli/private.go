package cli

import (
	"os"
	"syscall"
)

// private keeps what this process knows out of core dumps, and its memory from
// other processes of the same user (R4). It returns the limit of core dumps that
// was in force, for what is launched.
func private() *syscall.Rlimit {
	hide()
	var was syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &was) != nil {
		return nil
	}
	none := was
	none.Cur = 0 // the hard limit stays, so that a launch can be given its own
	if syscall.Setrlimit(syscall.RLIMIT_CORE, &none) != nil {
		return nil
	}
	return &was
}

// ownStderr is a name of stderr that stays where fd 2 is diverted
// (transport.Options).
func ownStderr() *os.File {
	fd, err := syscall.Dup(int(os.Stderr.Fd()))
	if err != nil {
		return os.Stderr
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), os.Stderr.Name())
}
