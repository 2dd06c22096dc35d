package guardian

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// errMoved says that children came or went while they were listed.
var errMoved = errors.New("the list of children changed while it was read")

// Adopted are the PIDs of the children that this process got by the death of
// their parents, zombies too, and of some that it started itself. The kernel
// gives what is left behind to the first of a process's threads that lives, and
// Go's first thread lives until the end; it has those too that it started, or
// that other threads have left it. It costs a small part of a Scan. An error
// means that they could not be told: the kernel keeps no such list, or it
// changed meanwhile. Whoever is a child from before the call until after it is
// in the list; that one comes as long as it is read is for the caller to prevent.
func Adopted() ([]int, error) {
	list, err := readSteady("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	if err != nil {
		return nil, err
	}
	return parsePIDs(nil, list)
}

// childrenOf are the PIDs of the children of a process, by its name in /proc. It
// does without os.File: it is asked at each launch, and there are many threads.
func childrenOf(name string) ([]int, error) {
	dir := "/proc/" + name + "/task/"
	threads, err := namesIn(dir) // each has the children that it started
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, t := range threads {
		list, err := readSteady(dir + t + "/children")
		if err != nil {
			return nil, err // a thread that ends gives its children to another
		}
		if pids, err = parsePIDs(pids, list); err != nil {
			return nil, err
		}
	}
	return pids, nil
}

// parsePIDs appends the PIDs of a list.
func parsePIDs(pids []int, list []byte) ([]int, error) {
	for field := range bytes.FieldsSeq(list) {
		pid, err := strconv.Atoi(string(field))
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// namesIn are the names in a folder.
func namesIn(dir string) (names []string, err error) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var buf [2 << 10]byte
	for {
		n, err := syscall.ReadDirent(fd, buf[:])
		if err != nil || n <= 0 {
			return names, err
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}

// readSteady reads a list of children twice. While the kernel walks it, one that
// is taken away can make it skip another; what was listed first is then not
// listed again.
func readSteady(path string) ([]byte, error) {
	first, err := readAll(path)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	again, err := readAll(path)
	if err == nil && !bytes.Equal(first, again) {
		err = errMoved
	}
	return first, err
}

// readAll is readSmall for a file of any size. Most are empty.
func readAll(path string) (b []byte, err error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var buf [1 << 10]byte
	for {
		n, err := syscall.Read(fd, buf[:])
		if err != nil || n <= 0 {
			return b, err
		}
		b = append(slices.Grow(b, n), buf[:n]...)
	}
}
