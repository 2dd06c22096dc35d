//go:build !linux

package guardian

import (
	"errors"
	"os"
)

// Proc is one living process.
type Proc struct {
	PID, Group, Session, Parent int
	Mark                        string
}

// Marks remembers the marks of processes between scans.
type Marks map[int]string

// Scan finds nothing: environments cannot be read here.
func Scan(Marks) ([]Proc, error) { return nil, nil }

func startTime(int) uint64 { return 0 }

// Clock cannot be told as processes' times: they have none here.
func Clock() uint64 { return 0 }

// Zombies cannot be told here.
func Zombies(int) map[int]uint64 { return nil }

// PipeName cannot be told here.
func PipeName(*os.File) string { return "" }

// HoldsPipe cannot be told here.
func HoldsPipe(int, func(string) bool) bool { return false }

// Adopted cannot be told here.
func Adopted() ([]int, error) { return nil, errors.ErrUnsupported }

// Kin cannot be told here: there are none.
type Kin struct{}

// Learn learns nothing.
func (*Kin) Learn(int) bool { return false }

// LearnFrom learns nothing.
func (*Kin) LearnFrom([]Proc, int) {}

// Empty is true.
func (*Kin) Empty() bool { return true }

// Has is false.
func (*Kin) Has(Proc) bool { return false }

// HasPID is false.
func (*Kin) HasPID(int) bool { return false }

// Nameless cannot be told here.
func Nameless(Proc) bool { return false }
