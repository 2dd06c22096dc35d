package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rollcall/config"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a commented servers.toml to begin with",
		Long: `init writes a commented servers.toml: where --config says, else where
ROLLCALL_CONFIG says, else here. It never overwrites a file.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.writeTemplate() },
	}
}

// writeTemplate writes the template to a new file that only its owner may read: secrets
// may come to be written there.
func (a *app) writeTemplate() error {
	path := "servers.toml"
	if named := os.Getenv("ROLLCALL_CONFIG"); named != "" {
		path = named
	}
	if a.config != "" {
		path = a.config
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return failure{exitFailure, fmt.Errorf("init: %w", err)}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return failure{exitFailure, fmt.Errorf("init: %s is there already, and stays as it is: name another file with --config", path)}
	}
	if err != nil {
		return failure{exitFailure, fmt.Errorf("init: %w", err)}
	}
	_, err = f.WriteString(config.Template)
	if err := errors.Join(err, f.Close()); err != nil {
		return failure{exitFailure, fmt.Errorf("init: %w", err)}
	}
	next := naming("next: `rollcall check`, then `rollcall`", a.config)
	_, err = fmt.Fprintf(a.out, "wrote %s; %s\nyour other MCP clients' servers: `rollcall import`\n", path, next)
	return err
}
