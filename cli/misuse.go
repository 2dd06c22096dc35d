package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// strict makes wrong usage of every command an error that says what to do (X4).
func strict(root *cobra.Command) {
	strictOfCobra(root)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == root {
			return usage("%v: %s", err, seeHelp(c))
		}
		return usage("%s: %v: %s", ofRoot(c), err, seeHelp(c))
	})
	strictArgs(root)
}

// strictArgs puts what a command takes into words where cobra refuses arguments.
// They are not repeated: they may be a secret in the wrong place.
func strictArgs(c *cobra.Command) {
	if allowed := c.Args; allowed != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := allowed(c, args)
			if err == nil || errors.As(err, new(failure)) {
				return err
			}
			if !c.HasParent() {
				return noCommand(c, args[0])
			}
			_, takes, some := strings.Cut(c.Use, " ")
			if !some || strings.HasPrefix(takes, "-") {
				return usage("%s takes no argument, and was given %d: %s", ofRoot(c), len(args), seeHelp(c))
			}
			return usage("%s takes %s, and was given %s: %s", ofRoot(c), takes, count(len(args), "argument"), seeHelp(c))
		}
	}
	for _, sub := range c.Commands() {
		strictArgs(sub)
	}
}

// noCommand says that there is no such command, and which is close.
func noCommand(root *cobra.Command, typed string) error {
	root.SuggestionsMinimumDistance = 2 // edits; cobra sets it too late for Args
	meant := ":"
	if near := root.SuggestionsFor(typed); len(near) > 0 {
		meant = fmt.Sprintf(", did you mean %s?", strings.Join(near, " or "))
	}
	return usage("there is no command %q%s `rollcall --help` lists them", typed, meant)
}

// ofRoot is a command as it is typed after rollcall.
func ofRoot(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

func seeHelp(c *cobra.Command) string { return fmt.Sprintf("see `%s --help`", c.CommandPath()) }

// strictOfCobra is for cobra's own commands: by themselves they say what there
// is, with the exit of success.
func strictOfCobra(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.RunE = func(c *cobra.Command, args []string) error {
				if len(args) == 0 {
					return c.Help()
				}
				var shells []string
				for _, shell := range c.Commands() {
					shells = append(shells, shell.Name())
				}
				return usage("completion: no completion for %q: there is %s", args[0], strings.Join(shells, ", "))
			}
			c.Args = cobra.ArbitraryArgs
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if _, unknown, err := root.Find(args); err != nil || len(unknown) > 0 {
					return usage("help: no command is named %q: rollcall help lists them", strings.Join(args, " "))
				}
				return nil
			}
		}
	}
}

// naming is a text with commands to type in it, each as `rollcall …`, made to
// name a configuration; the text itself for "".
func naming(text, config string) string {
	if config == "" {
		return text
	}
	return strings.ReplaceAll(text, "`rollcall", "`rollcall -c "+shellWord(config))
}

// shellWord is s as a shell reads it as one word.
func shellWord(s string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+,:@%", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !plain(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
