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
	sum := sha256.Sum256([]byte(canonical(config)))
	return stateFile{filepath.Join(dir, "state-"+hex.EncodeToString(sum[:6])+".json")}
}

// maxState bounds what is read, in bytes.
const maxState = 16 << 20

// Load reads the file; one that is not there is empty.
func (f stateFile) Load() (map[string]supervise.Saved, error) {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe would block the start
		return nil, fmt.Errorf("%s: no regular file", f.path)
	case info.Size() > maxState:
		return nil, fmt.Errorf("%s: longer than %d bytes", f.path, maxState)
	}
	b, err := readAtMost(f.path, maxState)
	if err != nil {
		return nil, err
	}
	var saved map[string]supervise.Saved
	if err := json.Unmarshal(b, &saved); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return saved, nil
}

// Save writes the whole state to a file beside and puts it in place, so that a
// crash leaves the old or the new one.
func (f stateFile) Save(saved map[string]supervise.Saved) error {
	b, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(f.path), ".state-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(b, '\n'))
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), f.path)
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
