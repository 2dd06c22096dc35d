package guardian

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// errMoved says that children came or went while they were listed.
var errMoved = errors.New("the list of children changed while it was read")

// Children are the PIDs of this process's children, zombies too. It costs a
// small part of a Scan. An error means that they could not be told: the kernel
// keeps no such list, or it changed meanwhile. Whoever is a child from before
// the call until after it is in the list; that one comes as long as it is read
// is for the caller to prevent.
func Children() ([]int, error) { return childrenOf("self") }

// childrenOf are the PIDs of the children of a process, by its name in /proc.
func childrenOf(name string) ([]int, error) {
	dir := "/proc/" + name + "/task/"
	threads, err := os.ReadDir(dir) // each has the children that it started
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, t := range threads {
		list, err := readSteady(dir + t.Name() + "/children")
		if err != nil {
			return nil, err // a thread that ends gives its children to another
		}
		for field := range bytes.FieldsSeq(list) {
			pid, err := strconv.Atoi(string(field))
			if err != nil {
				return nil, err
			}
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// readSteady reads a list of children twice. While the kernel walks it, one that
// is taken away can make it skip another; what was listed first is then not
// listed again.
func readSteady(path string) ([]byte, error) {
	first, err := os.ReadFile(path)
	if err != nil || len(first) == 0 {
		return nil, err
	}
	again, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(first, again) {
		err = errMoved
	}
	return first, err
}
