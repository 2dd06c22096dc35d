package config

import (
	"fmt"
	"strings"

	"rollcall/model"
)

// AdHoc makes a Spec of what stands on a command line (X1): a command with its
// arguments, or a URL. It follows the rules of an entry (R1: what is secret;
// C2: the transport), passes the whole environment on, and expands nothing: the
// shell has done so. Either the Spec or an error among the problems is there.
func AdHoc(name string, command []string, url string, env Env) (*model.Spec, []model.Problem) {
	var b strings.Builder
	fmt.Fprintf(&b, "[servers.%s]\n", name)
	if url != "" {
		fmt.Fprintf(&b, "url = %s\n", literal(url))
	}
	if len(command) > 0 {
		fmt.Fprintf(&b, "inherit_env = true\ncommand = %s\nargs = [", literal(command[0]))
		for _, a := range command[1:] {
			b.WriteString(literal(a) + ", ")
		}
		b.WriteString("]\n")
	}
	doc, err := parse(clean("command line"), b.String())
	if err != nil {
		return nil, []model.Problem{{Text: clean(err.Error())}}
	}
	r := newFileReader(doc, "", false, env)
	r.readDefaults()
	e, _ := r.entry(r.servers()[0])
	return e.Spec, e.Problems
}

// literal is a TOML string that expands to s.
func literal(s string) string { return tomlText(strings.ReplaceAll(s, "$", "$$")) }

// tomlText is a TOML string. Invalid UTF-8 cannot be written in TOML, and becomes
// U+FFFD.
func tomlText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r == '"' || r == '\\' || r < ' ' || r == 0x7f {
			fmt.Fprintf(&b, `\u%04X`, r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}
