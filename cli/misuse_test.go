package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// typed runs rollcall with its arguments, where no terminal is.
func typed(args ...string) (code int, out, errs string) {
	var o, e shared
	code = (&app{in: strings.NewReader(""), out: &o, err: &e}).run(args)
	return code, o.String(), e.String()
}

// commands are all that --help leads to, rollcall itself among them, by what is
// typed for them.
func commands(c *cobra.Command, typed string) map[string]*cobra.Command {
	all := map[string]*cobra.Command{typed: c}
	for _, sub := range c.Commands() {
		for name, c := range commands(sub, strings.TrimSpace(typed+" "+sub.Name())) {
			all[name] = c
		}
	}
	return all
}

// TestX4_WrongUsageOfEachCommandSaysWhatToDo: an unknown flag, and an argument
// too many.
func TestX4_WrongUsageOfEachCommandSaysWhatToDo(t *testing.T) {
	t.Parallel()
	var out shared
	all := commands(newRoot(&app{in: strings.NewReader(""), out: &out, err: &out}), "")
	if len(all) < 20 {
		t.Errorf("only %d commands", len(all))
	}
	anyNumber := regexp.MustCompile(`^(connect|disconnect|restart|import|probe|demo|help)$`)
	says := map[string]string{ // what has words of its own
		"":           "there is no command \"surplus\": `rollcall --help` lists them",
		"check":      "rollcall check --config surplus",
		"completion": "there is bash, fish, powershell, zsh",
		"logs":       "logs takes NAME, and was given 3 arguments: see `rollcall logs --help`",
		"failures":   "failures takes [NAME], and was given 3 arguments: see `rollcall failures --help`",
	}
	for name := range all {
		args := strings.Fields(name)
		help := strings.TrimSpace("rollcall "+name) + " --help`"
		if name != demoName { // whose flags are its own
			code, out, errs := typed(append(args, "--nonsense")...)
			if code != exitUsage || out != "" || !strings.HasPrefix(errs, "rollcall: ") || !strings.Contains(errs, "unknown flag: --nonsense: see `"+help) {
				t.Errorf("%s --nonsense: exit %d\n%s%s", name, code, out, errs)
			}
		}
		if anyNumber.MatchString(name) {
			continue
		}
		want := says[name]
		if want == "" {
			want = "takes no argument, and was given 3: see `" + help
		}
		code, out, errs := typed(append(args, "surplus", "hunter2", "hunter2")...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "rollcall: ") || !strings.Contains(errs, want) || strings.Contains(errs, "hunter2") {
			t.Errorf("%s surplus: exit %d, want %q\n%s%s", name, code, want, out, errs)
		}
	}
}

func TestX4_WrongUsageSaysWhatWasMeant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, says string }{
		{"logs", "rollcall: logs of which server? `rollcall status` lists them\n"},
		{"staus", "rollcall: there is no command \"staus\", did you mean status? `rollcall --help` lists them\n"},
		{"logs a --lines many", "rollcall: logs: invalid argument \"many\" for \"-n, --lines\" flag: "},
		{"failures --since", "rollcall: failures: flag needs an argument: --since: see `rollcall failures --help`\n"},
		{"probe --call search --timeout 0s http://127.0.0.1:1/mcp", "rollcall: probe: --timeout takes a time above 0, as 90s\n"},
		{"probe --call search --timeout -1s http://127.0.0.1:1/mcp", "rollcall: probe: --timeout takes a time above 0, as 90s\n"},
		{"probe --call search --timeout soon http://127.0.0.1:1/mcp", "see `rollcall probe --help`\n"},
		{"probe --timeout 5s http://127.0.0.1:1/mcp", "rollcall: probe: --timeout is for a call: it needs --call TOOL\n"},
	} {
		code, out, errs := typed(strings.Fields(c.typed)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit %d\n%s%s", c.typed, code, out, errs)
		}
	}
}

// TestX4_WhatToTypeNamesTheConfiguration where that was named.
func TestX4_WhatToTypeNamesTheConfiguration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a fleet.toml")
	write(t, path, "")
	if code, _, errs := typed("status", "-c", path); code != exitNoEngine || !strings.Contains(errs, "`rollcall -c '"+path+"' serve` starts one") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if code, _, errs := typed("-c", path); code != exitUsage || !strings.Contains(errs, "`rollcall -c '"+path+"' serve` runs") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	path = filepath.Join(t.TempDir(), "new.toml")
	if code, out, errs := typed("init", "-c", path); code != exitOK || !strings.Contains(out, "next: `rollcall -c "+path+" check`, then `rollcall -c "+path+"`\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestTheDemoServersAreListed(t *testing.T) {
	t.Parallel()
	if code, out, _ := typed("--help"); code != exitOK || !regexp.MustCompile(`(?m)^  demo +The example's servers`).MatchString(out) {
		t.Errorf("exit %d\n%s", code, out)
	}
}
