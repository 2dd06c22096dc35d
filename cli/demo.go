package cli

import (
	"github.com/spf13/cobra"

	"rollcall/demo"
)

// demoName is the command that runs a small server.
const demoName = "demo"

// demoCommand is the small servers of the example configuration: they run as the
// same binary, ${ROLLCALL_EXE}.
func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:                demoName + " NAME",
		Short:              "The example's servers: small ones that behave or misbehave",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := demo.Main(args, a.in, a.out, a.err); code != 0 {
				return failure{code: code}
			}
			return nil
		},
	}
}
