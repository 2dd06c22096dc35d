// Rollcall keeps many MCP and MCPL servers alive and shows them in a terminal.
package main

import (
	"os"

	"rollcall/cli"
	"rollcall/transport/guardian"
)

func main() {
	if guardian.Asked() {
		guardian.Main()
		return
	}
	os.Exit(cli.Main(os.Args[1:]))
}
