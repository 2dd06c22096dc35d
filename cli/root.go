package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"rollcall/model"
)

// The exits (X4).
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// failure is an error that was reported already, or whose exit is not 1.
type failure struct {
	code int
	err  error // nil: there is nothing more to say
}

func (f failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f failure) Unwrap() error { return f.err }

// usage is an error of wrong usage.
func usage(format string, args ...any) error {
	return failure{exitUsage, fmt.Errorf(format, args...)}
}

// app is what the commands share.
type app struct {
	config string // --config
	socket string // --socket, of the commands that speak to an engine
	screen screen
	out    io.Writer
	err    io.Writer
	in     io.Reader

	// Of a process of its own, else nil (R4):
	stderr   *os.File        // err, where fd 2 may be diverted
	terminal *os.File        // what the dashboard draws on
	core     *syscall.Rlimit // what launches get
}

// Main runs rollcall with its arguments and returns the exit code.
func Main(args []string) int {
	if len(args) > 0 && args[0] == demoName { // a server like any other, with nothing to hide
		return (&app{in: os.Stdin, out: os.Stdout, err: os.Stderr}).run(args)
	}
	core, stderr := private(), ownStderr()
	return (&app{in: os.Stdin, out: os.Stdout, err: stderr, stderr: stderr, core: core}).run(args)
}

func (a *app) run(args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetErr(a.err)
	err := root.Execute()
	if err == nil {
		return exitOK
	}
	code := exitUsage // cobra's own
	var f failure
	if errors.As(err, &f) {
		code = f.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(a.err, "rollcall: %s\n", redactAll(nil, text))
	}
	return code
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "rollcall",
		Short: "Keep many MCP and MCPL servers alive, and see which is broken, since when, and why",
		Long: `rollcall launches or dials each server of a configuration, completes the
handshake, probes it, retries it with a backoff, and shows one live row a
server. Without a command it shows the dashboard.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(*cobra.Command, []string) error { return a.dashboard() },
	}
	root.PersistentFlags().StringVarP(&a.config, "config", "c", "", "the configuration (default $ROLLCALL_CONFIG, ./servers.toml, $XDG_CONFIG_HOME/rollcall/servers.toml)")
	root.AddCommand(a.attachCommand(), a.statusCommand(), a.logsCommand(), a.eventsCommand(),
		a.orderCommand(model.Connect), a.orderCommand(model.Disconnect), a.orderCommand(model.Restart), a.reloadCommand(), a.stopCommand())
	root.AddCommand(a.serveCommand(), a.checkCommand(), a.initCommand(), a.importCommand(), a.probeCommand(), a.failuresCommand(), a.alertCommand(), a.versionCommand(), a.demoCommand())
	a.dashboardFlags(root)
	root.SetOut(a.out) // the completions are written to what is set when they are made
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	strict(root)
	return root
}
