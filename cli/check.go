package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rollcall/config"
	"rollcall/model"
)

func (a *app) checkCommand() *cobra.Command {
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Say what is wrong with a configuration; exit 1 where there are errors",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("check takes no argument: rollcall check --config %s", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return a.check(asJSON, verbose) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "every timing in force, those that are built in too")
	return c
}

// report is what check found.
type report struct {
	Config   string          `json:"config"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Problems []model.Problem `json:"problems"`
	Servers  []checked       `json:"servers"`
}

// checked is one server as it would be started.
type checked struct {
	Server    string       `json:"server"`
	Refused   bool         `json:"refused,omitempty"`
	Enabled   bool         `json:"enabled"`
	Transport string       `json:"transport,omitempty"`
	Shown     *model.Shown `json:"shown,omitempty"`
}

func (a *app) check(asJSON, verbose bool) error {
	env := processEnv()
	path, err := config.Find(a.config, env)
	if err != nil {
		return failure{exitFailure, err}
	}
	r := report{Config: path, Problems: []model.Problem{}, Servers: []checked{}}
	file, err := config.Load(path, env)
	var syntax *config.SyntaxError
	switch {
	case errors.As(err, &syntax):
		r.Problems = append(r.Problems, syntax.Problem)
	case err != nil:
		return failure{exitFailure, err}
	default:
		r.add(file)
	}
	for _, p := range r.Problems {
		if p.Warning {
			r.Warnings++
		} else {
			r.Errors++
		}
	}
	if asJSON {
		err = json.NewEncoder(a.out).Encode(r)
	} else {
		err = (&reportWriter{paint: paintFor(a.out), w: a.out, all: verbose}).write(r)
	}
	if err == nil && r.Errors > 0 {
		return failure{code: exitFailure}
	}
	return err
}

// add takes over what a file that could be read has. A command that is not
// there is a warning: its server halts, the others start (H1).
func (r *report) add(file *config.File) {
	r.Problems = append(r.Problems, file.Problems...)
	for _, e := range file.Entries {
		c := checked{Server: e.Name, Refused: e.Spec == nil}
		if e.Spec != nil {
			c.Enabled, c.Transport, c.Shown = e.Spec.Enabled, e.Spec.Transport.String(), e.Spec.Shown
			if p := file.CheckCommand(e.Spec); p != nil {
				p.Warning = true
				r.Problems = append(r.Problems, *p)
			}
		}
		r.Servers = append(r.Servers, c)
	}
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
