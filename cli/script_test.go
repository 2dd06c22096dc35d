package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rollcall/transport/guardian"
)

// TestMain lets the test binary stand in for rollcall: as the guardian, as one
// of demo's servers, and as the command of the scripts.
func TestMain(m *testing.M) {
	if guardian.Asked() {
		guardian.Main()
	}
	if len(os.Args) > 1 && os.Args[1] == "demo" {
		os.Exit(Main(os.Args[1:]))
	}
	breakWhenAsked()
	testscript.Main(m, map[string]func(){"rollcall": func() { os.Exit(Main(os.Args[1:])) }})
}

// TestScripts plays testdata/script/*.txtar: the commands as a person types
// them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
	})
}
