package cli

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"rollcall/config"
)

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import [FILE…]",
		Short: "Write other MCP clients' servers as a servers.toml",
		Long: `import reads the files in which MCP clients keep their servers, and writes them
as one servers.toml on stdout: mcpServers (Claude Desktop, Claude Code, Cursor,
Windsurf, Gemini CLI), servers (VS Code), context_servers (Zed), mcp (crush,
opencode), Codex's config.toml, goose's config.yaml.

Secrets in them become ${NAME}; what to set is said in the output and on stderr.
Without a FILE it lists the files that it finds where the clients keep theirs.`,
		Example: `  rollcall import
  rollcall import ~/.cursor/mcp.json > servers.toml
  rollcall check`,
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return a.listClients()
			}
			return a.importFiles(files)
		},
	}
}

// importFiles writes the servers of files to stdout, and a summary to stderr.
func (a *app) importFiles(files []string) error {
	env := processEnv()
	got, err := config.Import(files, env)
	if err != nil {
		return failure{exitFailure, fmt.Errorf("import: %w", err)}
	}
	if _, err := fmt.Fprint(a.out, got.TOML); err != nil {
		return err
	}
	for _, f := range got.Files {
		fmt.Fprintf(a.err, "rollcall: %s from %s (%s)", count(len(f.Servers), "server"), f.Path, f.Client)
		if f.Notes > 0 {
			fmt.Fprintf(a.err, "; %s in the output", count(f.Notes, "note"))
		}
		fmt.Fprintln(a.err)
	}
	missing := 0
	for _, v := range got.Variables {
		if _, set := env.Vars[v.Name]; set {
			continue
		}
		if missing++; missing == 1 {
			fmt.Fprintln(a.err, "rollcall: set before rollcall starts:")
		}
		fmt.Fprintf(a.err, "  export %s=…    # %s\n", v.Name, v.Text())
	}
	a.sayLiteral(got.Literal)
	return nil
}

// sayLiteral names the values that may be secrets and stand in the output as they
// are, a server in a line.
func (a *app) sayLiteral(all []config.Literal) {
	for i, l := range all {
		switch {
		case i == 0:
			fmt.Fprint(a.err, "rollcall: written as it is, secret or not; instead of a secret write ${NAME} and set NAME, or name an env_file that holds it:")
			fallthrough
		case l.Server != all[i-1].Server:
			fmt.Fprintf(a.err, "\n  %s: %s", l.Server, l.Name)
		default:
			fmt.Fprintf(a.err, ", %s", l.Name)
		}
	}
	if len(all) > 0 {
		fmt.Fprintln(a.err)
	}
}

// listClients says which clients' files are there, and how to go on.
func (a *app) listClients() error {
	dir, err := os.Getwd()
	if err != nil {
		return failure{exitFailure, err}
	}
	found, looked := config.FindClients(processEnv(), dir, runtime.GOOS)
	if len(found) == 0 {
		return failure{exitFailure, fmt.Errorf("import: no client's servers found; looked at\n  %s\nname a file, or write one of your own: rollcall init",
			strings.Join(looked, "\n  "))}
	}
	for _, f := range found {
		what := count(len(f.Servers), "server") + ": " + strings.Join(f.Servers, ", ")
		if !f.Problem.IsZero() {
			what = "cannot be read: " + f.Problem.String()
		}
		if _, err := fmt.Fprintf(a.out, "%s\n  %s, %s\n", redactAll(nil, f.Path), f.Client, what); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.err, "rollcall: to take some over: rollcall import FILE… > servers.toml")
	return nil
}
