package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rollcall/model"
)

func (a *app) reloadCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "reload",
		Short: "What the saved configuration would add, change and remove; with --yes, do it",
		Long: `reload has the running engine read its configuration anew and says what it would
add, change and remove, a line a server, and which changed settings are in force
only from rollcall's next start on. With --yes it does that. Servers that did not
change keep their process and their connection.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.reload(yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do it")
	return a.needsEngine(c)
}

func (a *app) reload(yes bool) error {
	client, err := a.reach("reload", false)
	if err != nil {
		return err
	}
	defer client.Close()
	shown := client.Pending()
	switch {
	case !shown.Problem.IsZero():
		return failure{exitFailure, fmt.Errorf("reload: %s", shown.Problem)}
	case shown.IsZero() && len(shown.Later) == 0:
		fmt.Fprintln(a.out, "nothing to do: what runs is as the file has it")
		return nil
	case shown.IsZero():
		a.showReload(shown)
		fmt.Fprintln(a.out, "nothing to do now: the servers are as the file has them")
		return nil
	}
	a.showReload(shown)
	if !yes {
		fmt.Fprintln(a.err, "rollcall: nothing was done yet: rollcall reload --yes does it")
		return nil
	}
	did, ok := client.Reload(shown)
	switch {
	case !did.Problem.IsZero():
		return failure{exitFailure, fmt.Errorf("reload: %s", did.Problem)}
	case !ok:
		return failure{exitFailure, fmt.Errorf("reload: the file was saved again meanwhile, and nothing was done: it would now %s: look, and give the command again", did.Line())}
	}
	fmt.Fprintln(a.out, "done")
	return nil
}

// showReload prints what a reload does, a line a server.
func (a *app) showReload(r model.Reload) {
	for _, line := range r.Lines() {
		fmt.Fprintln(a.out, line)
	}
}
