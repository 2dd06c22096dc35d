package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rollcall/bus"
	"rollcall/supervise"
)

// stateFile keeps the holds and open episodes of one configuration, beside
// failures.log (O5).
type stateFile struct{ path string }

// newStateFile is the state file of a configuration in a folder; nil where
// there is no folder to keep it in.
func newStateFile(dir, config string) supervise.Store {
	if dir == "" {
		return nil
	}
	return stateFile{stateName(dir, "state", config)}
}

// stateName is the path of what is kept of one configuration: state-….json.
func stateName(dir, what, config string) string {
	sum := sha256.Sum256([]byte(bus.Canonical(config)))
	return filepath.Join(dir, what+"-"+hex.EncodeToString(sum[:6])+".json")
}

// maxState bounds what is read, in bytes.
const maxState = 16 << 20

// Load reads the file; one that is not there is empty.
func (f stateFile) Load() (map[string]supervise.Saved, error) {
	b, err := readState(f.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var saved map[string]supervise.Saved
	if err := json.Unmarshal(b, &saved); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return saved, nil
}

// Save puts the whole state in place.
func (f stateFile) Save(saved map[string]supervise.Saved) error {
	b, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	return writeState(f.path, b)
}

// readState reads a state file.
func readState(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe would block the start
		return nil, fmt.Errorf("%s: no regular file", path)
	case info.Size() > maxState:
		return nil, fmt.Errorf("%s: longer than %d bytes", path, maxState)
	}
	return readAtMost(path, maxState)
}

// writeState writes a state file beside and puts it in place, so that a crash
// leaves the old or the new one.
func writeState(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".state-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(b[:len(b):len(b)], '\n'))
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// readAtMost reads a file's first n bytes.
func readAtMost(path string, n int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, n))
}
